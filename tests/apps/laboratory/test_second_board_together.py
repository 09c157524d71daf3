"""Concurrent work on a second board: there is one waiting job, and the last choice wins."""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from league import tasks
from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.services import second_board
from league.apps.laboratory.services.second_board import (
    build_second_board,
    choose_second_board,
    request_due_second_boards,
)
from league.core import locking
from league.core.jobs import queue
from league.core.jobs.services import work
from league.models import Job, League
from ratings.laboratory.board import compute_standings
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.experiment_builders import club
from tests.helpers.ladder_builders import utc
from tests.helpers.threads import in_threads

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def nobody_works(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let no worker be but those of a test; returns to which jobs one was sent."""
    sent: list[str] = []
    monkeypatch.setattr(queue, "enqueue", lambda task, *arguments: sent.append(str(arguments[0])))
    return sent


def outdated_league() -> League:
    """Return a league whose second board is older than its last game."""
    league = club(6)
    job = choose_second_board(league.pk, "elo", {"k": 40}, username="olga")
    assert tasks.job(str(job.pk))
    long_ago = timezone.now() - timedelta(hours=3)
    Job.objects.update(asked_at=long_ago, started_at=long_ago, ended_at=long_ago)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-06-01")))
    return league


def wait_at_barrier(barrier: threading.Barrier, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that first waits up to a second for the other threads."""

    def waiting(*arguments: Any, **options: Any) -> Any:
        with suppress(threading.BrokenBarrierError):  # no other thread came: they are blocked
            barrier.wait(1)
        return real(*arguments, **options)

    return waiting


def choose_again(league: League) -> list[str]:
    """Choose the same board again, as an organiser does to rebuild it."""
    return [str(choose_second_board(league.pk, "elo", {"k": 40}, username="olga").pk)]


@pytest.mark.parametrize("other", [request_due_second_boards, None], ids=["sweep", "organiser"])
def test_simultaneous_requests_create_one_job(other: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    league = outdated_league()
    monkeypatch.setattr(second_board, "request_job", wait_at_barrier(threading.Barrier(2), work.request_job))
    answers = in_threads([request_due_second_boards, other or partial(choose_again, league)])
    (job,) = Job.objects.filter(state="waiting")
    assert {name for names in answers for name in names} == {str(job.pk)}


def test_a_choice_and_a_worker_do_not_deadlock(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club(6)
    job = choose_second_board(league.pk, "elo", {"k": 40}, username="olga")
    Job.objects.update(state="running")
    barrier, at_its_end = threading.Barrier(2), threading.Event()

    def refused(job: Job) -> None:
        work.refuse_cancelled(job)
        at_its_end.set()
        wait_at_barrier(barrier, int)()

    def chosen() -> Job:
        assert at_its_end.wait(20)
        return choose_second_board(league.pk, "elo", {"k": 41}, username="olga")

    monkeypatch.setattr(second_board, "refuse_cancelled", refused)
    # Where the other one has the board and waits for nothing yet.
    monkeypatch.setattr(League, "save", wait_at_barrier(barrier, League.save))
    # Who is stopped by the database does not try again unseen.
    monkeypatch.setattr(locking, "MAX_TRIES", 1)
    created, other = in_threads([lambda: build_second_board(job, lambda what, done, total: None), chosen])
    assert (created, other.state) == ({"games": 6, "players": 4}, "waiting")


def test_another_choice_cancels_the_running_build(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club(6)
    compared, elsewhere = [
        Job.objects.create(league=one, kind=kind, state="running", asked_at=timezone.now())
        for one, kind in ((league, "compare"), (make_league(slug="other"), "second"))
    ]
    first = choose_second_board(league.pk, "elo", {"k": 40}, username="olga")
    found: list[Job] = []

    def meanwhile(*args: Any, **options: Any) -> Any:
        if not found:
            found.extend(choose_second_board(league.pk, "elo", {"k": k}, username="olga") for k in (41, 42))
            assert tasks.job(str(found[0].pk)), "no one waits for the replaced one"
        return compute_standings(*args, **options)

    monkeypatch.setattr(second_board, "compute_standings", meanwhile)
    assert tasks.job(str(first.pk))
    second, third = found
    assert (second.pk, Job.objects.get(pk=first.pk).state) == (third.pk, "failed")
    board = SecondBoard.objects.get()
    assert (board.parameters["k"], board.made_at is None) == (42, False)
    others = Job.objects.filter(pk__in=[compared.pk, elsewhere.pk])
    assert list(others.values_list("state", "cancelled_by")) == [("running", "")] * 2
