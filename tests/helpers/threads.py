"""Work of several threads at once, and threads that hold a row."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connections, transaction

from league.core import locking


def in_threads(work: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run all at once, each on its own connection; return what each answered, or raise what one raised."""
    answers: list[Any] = [None] * len(work)
    barrier = threading.Barrier(len(work))

    def run(index: int) -> None:
        barrier.wait()
        try:
            answers[index] = work[index]()
        except Exception as error:  # noqa: BLE001 -- a thread's error must reach the test, whatever it is
            answers[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def hold_league(league_id: int) -> tuple[threading.Thread, threading.Event]:
    """Return a thread that holds a league's row, and what lets it go."""
    taken, go = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            locking.lock(league_id)
            taken.set()
            go.wait(60)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert taken.wait(20)
    return thread, go
