"""Many at a second board at once: one job waits, one is worked on, whoever asks and however many workers there are."""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from league import queue, tasks
from league.models import Job, League, SecondBoard
from league.services.jobs import work
from league.services.jobs.cancelling import cancel_job
from league.services.laboratory import second_board
from league.services.laboratory.second_board import ask_second_boards, choose_second_board
from ratings.laboratory.board import standings_after
from tests.helpers.builders import record, sheet
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


def behind() -> League:
    """Return a league whose second board was made long ago, and whose books have changed since."""
    league = club(6)
    job = choose_second_board(league.pk, "elo", {"k": 40}, by="olga")
    assert tasks.job(str(job.pk))
    long_ago = timezone.now() - timedelta(hours=3)
    Job.objects.update(asked_at=long_ago, started_at=long_ago, ended_at=long_ago)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-06-01")))
    return league


def met(barrier: threading.Barrier, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that waits a second for the others to come as far, and then does what it does."""

    def waiting(*arguments: Any, **options: Any) -> Any:
        with suppress(threading.BrokenBarrierError):  # nobody else came: they are kept from it
            barrier.wait(1)
        return real(*arguments, **options)

    return waiting


def asks_again(league: League) -> list[str]:
    """Choose the same again, as an organiser does who wants the board made anew."""
    return [str(choose_second_board(league.pk, "elo", {"k": 40}, by="olga").pk)]


@pytest.mark.parametrize("other", [ask_second_boards, None], ids=["sweep", "organiser"])
def test_two_who_ask_at_once_have_one_job_made(other: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    league = behind()
    monkeypatch.setattr(second_board, "ask", met(threading.Barrier(2), work.ask))
    answers = in_threads([ask_second_boards, other or partial(asks_again, league)])
    (job,) = Job.objects.filter(state="waiting")
    assert {name for names in answers for name in names} == {str(job.pk)}


def test_four_sweeps_at_once_ask_once() -> None:
    behind()
    answers = in_threads([ask_second_boards] * 4)
    assert sum(map(len, answers)) == 1
    assert Job.objects.filter(state="waiting").count() == 1


def test_one_of_a_league_is_made_at_a_time_and_the_next_one_right_after(
    monkeypatch: pytest.MonkeyPatch, nobody_works: list[str]
) -> None:
    league = club(6)
    first = choose_second_board(league.pk, "elo", {"k": 40}, by="olga")
    found: list[Any] = []

    def meanwhile(*args: Any, **options: Any) -> Any:
        second = choose_second_board(league.pk, "elo", {"k": 41}, by="olga")
        third = choose_second_board(league.pk, "elo", {"k": 42}, by="olga")
        # A worker that is sent to it leaves it: the sweep or the end of this one sends another.
        found.extend([second, third, tasks.job(str(second.pk)), Job.objects.get(pk=second.pk).state])
        nobody_works.clear()
        return standings_after(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(second_board, "standings_after", meanwhile)
        assert tasks.job(str(first.pk))
    second, third, done, state = found
    assert (second.pk, done, state) == (third.pk, False, "waiting")
    assert nobody_works == [str(second.pk)], "a worker is sent to the next one"
    assert tasks.job(str(second.pk))
    board = SecondBoard.objects.get()
    assert (board.parameters["k"], board.made_at is None) == (42, False)


def test_jobs_of_other_leagues_and_other_kinds_wait_for_nobody() -> None:
    one, two = club(6), club(6, slug="other")
    running = choose_second_board(one.pk, "elo", {"k": 40})
    assert work.claim(running.pk)
    for league, kind in ((two, "second"), (one, "compare"), (one, "import")):
        assert work.claim(work.ask(league, kind).pk) is not None, kind


def test_a_dead_workers_job_and_the_next_one_are_not_taken_up_both() -> None:
    league = club(6)
    for _ in range(8):
        Job.objects.all().delete()
        dead, waiting = work.ask(league, Job.Kind.SECOND), work.ask(league, Job.Kind.SECOND)
        long_ago = timezone.now() - timedelta(minutes=5)
        Job.objects.filter(pk=dead.pk).update(state="running", beat_at=long_ago, attempts=1)
        answers = in_threads([partial(work.claim, job.pk) for job in (dead, waiting)])
        assert sum(answer is not None for answer in answers) == 1
        # Whose worker is dead keeps nobody: the other one may be had after the first has ended, too.
        (left,) = [job for job, answer in zip((dead, waiting), answers, strict=True) if answer is None]
        assert work.claim(left.pk) is None
        work.end(next(answer for answer in answers if answer), result={})
        assert work.claim(left.pk) is not None


def test_a_dead_worker_keeps_nobody_from_the_next_job() -> None:
    league = club(6)
    dead, waiting = work.ask(league, Job.Kind.SECOND), work.ask(league, Job.Kind.SECOND)
    Job.objects.filter(pk=dead.pk).update(state="running", beat_at=timezone.now() - timedelta(minutes=5))
    assert work.claim(waiting.pk) is not None


def test_after_one_that_is_told_to_stop_the_next_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club(6)
    first = choose_second_board(league.pk, "elo", {"k": 40}, by="olga")
    found: list[Job] = []

    def stopped(*args: Any, **options: Any) -> Any:
        assert not cancel_job(Job.objects.get(pk=first.pk), by="olga")
        found.append(choose_second_board(league.pk, "elo", {"k": 41}, by="olga"))
        return standings_after(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(second_board, "standings_after", stopped)
        assert tasks.job(str(first.pk))
    assert Job.objects.get(pk=first.pk).state == "failed"
    assert str(found[0].pk) in work.enqueue_jobs()
    assert tasks.job(str(found[0].pk))
    assert SecondBoard.objects.get().made_at is not None
