"""Imports that many games follow: written under the lock, rated after the commit, and the job ends with that."""

from io import BytesIO
from typing import Any

import pytest
from django.db import OperationalError
from django.test import override_settings

from league import tasks
from league.apps.imports.services import run, uploads
from league.apps.imports.services.run import ImportOptions, import_games, preview_import, preview_report
from league.core.dispatch.sweep import enqueue_due
from league.core.errors import Busy, Conflict
from league.core.jobs import queue
from league.core.jobs.services import work
from league.core.jobs.services.progress import ignore_progress
from league.core.leagues.services.leagues import create_league
from league.core.replay.services.background import run_long_replay
from league.models import Game, Job, League
from tests.helpers.builders import derived, make_league
from tests.helpers.import_client import Sender, json_games

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def large_and_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let five lines be a large file, and no thread write beside a test's open transaction."""
    monkeypatch.setattr(uploads, "MAX_SMALL_LINES", {"ndjson": 4, "csv": 4})
    monkeypatch.setattr(work, "BEAT", 3600.0)


@pytest.fixture
def wanted() -> Any:
    """Begin a league with its last four games, and ask for the nine in all, of which the first five are new."""
    make_league()
    api = Sender("record")
    api.send("".join(json_games(9).splitlines(keepends=True)[5:]))
    with override_settings(RUNGS_INLINE_GAMES=3):
        yield api.send(json_games(9)).data["id"]


def unnumbered(league: League) -> list[Any]:
    """Return the history of a league without the games' numbers, which follow the order in which they came."""
    return [(line[0], *line[2:]) for line in derived(league)[0]]


def as_if_in_order() -> list[Any]:
    """Return the history where the nine games came in their order."""
    other = make_league(slug="other")
    import_games(other.pk, BytesIO(json_games(9).encode()), ImportOptions(by="test", media="ndjson"))
    return unnumbered(other)


def test_the_games_are_rated_when_the_job_ends_and_the_lock_is_not_held_meanwhile(
    wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def watched(league_id: int, told: Any) -> Any:
        league = League.objects.get(pk=league_id)
        job = Job.objects.get(pk=wanted)
        assert job.result
        seen.append((Game.objects.count(), league.stale_key, job.state, job.parts.count(), job.result["replayed"]))
        return run_long_replay(league_id, told)

    monkeypatch.setattr(run, "run_long_replay", watched)
    assert tasks.job(wanted)
    # The fifth game to be written is the league's earliest; the job's report is there, and its file is gone.
    assert seen == [(9, 5, "running", 0, 0)]
    job = Job.objects.get(pk=wanted)
    assert job.result
    assert (job.state, job.result["games"], job.result["known"], job.result["replayed"]) == ("done", 5, 4, 9)
    assert League.objects.get(slug="club").stale_from is None
    assert unnumbered(League.objects.get(slug="club")) == as_if_in_order()


def test_a_worker_that_dies_before_they_are_rated_has_another_rate_them(
    wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*arguments: Any) -> None:
        raise OperationalError("the worker is gone")

    with monkeypatch.context() as patch:
        patch.setattr(run, "run_long_replay", die)
        patch.setattr("league.core.jobs.services.work.connection.close", lambda: None)
        with pytest.raises(OperationalError):
            tasks.job(wanted)
    assert (Game.objects.count(), Job.objects.get(pk=wanted).state) == (9, "running")
    assert enqueue_due() == [], "the import rates its games itself"
    Job.objects.update(beat_at=None, state="waiting")
    assert enqueue_due() == [League.objects.get().pk], "nobody has it in hand"
    assert tasks.job(wanted)
    job = Job.objects.get(pk=wanted)
    assert job.result
    assert (Game.objects.count(), job.state, job.attempts, job.result["replayed"]) == (9, "done", 2, 9)
    assert unnumbered(League.objects.get(slug="club")) == as_if_in_order()


def test_a_worker_that_was_thought_dead_notes_no_report(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job.objects.get(pk=wanted)
    Job.objects.update(state="running", attempts=2)
    with pytest.raises(Conflict, match="Another worker"):
        uploads.store_result_in_transaction(job, {"games": 5})
    assert (Job.objects.get().result, job.parts.count() > 0) == (None, True)


def test_games_that_cannot_be_rated_now_are_in_the_books_and_celery_is_asked(
    wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> None:
        raise Busy("The league is being changed all the time.")

    enqueued: list[Any] = []
    monkeypatch.setattr(queue, "enqueue", lambda *arguments: enqueued.append(arguments))
    monkeypatch.setattr(run, "run_long_replay", refuse)
    assert tasks.job(wanted)
    job, league = Job.objects.get(pk=wanted), League.objects.get()
    assert job.result
    assert (job.state, job.result["games"], job.result["replayed"], Game.objects.count()) == ("done", 5, 0, 9)
    assert ("league.replay", league.pk) in enqueued
    assert league.stale_key == 5


def test_the_first_games_of_a_league_are_rated_with_them() -> None:
    league = create_league("new", "New", system="elo")
    with override_settings(RUNGS_INLINE_GAMES=3):
        report = import_games(
            league.pk,
            BytesIO(json_games(9).encode()),
            ImportOptions(by="test", media="ndjson", create_players=True),
            end=unrated_nothing,
        )
    assert (report.games, report.replayed) == (9, 9)


def unrated_nothing(report: Any) -> None:
    """Hold that nothing is left due inside of the transaction."""
    assert League.objects.get(slug="new").stale_from is None
    assert report.replayed == 9


def test_a_dry_run_leaves_many_games_to_the_sums_outside_the_lock_and_says_the_same(
    django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = make_league()
    api = Sender("record")
    api.send("".join(json_games(9).splitlines(keepends=True)[5:]))
    file = BytesIO(json_games(9).encode())
    with override_settings(RUNGS_INLINE_GAMES=1000):
        within = preview_import(league, file, ImportOptions("", "ndjson"))
        file.seek(0)
        report = preview_report(league, file, ImportOptions("", "ndjson"))
    before = derived(league)
    monkeypatch.setattr("league.apps.imports.services.run.replay_from", None)  # nothing is rated under the lock
    with override_settings(RUNGS_INLINE_GAMES=3), django_capture_on_commit_callbacks() as messages:
        file.seek(0)
        assert preview_import(league, file, ImportOptions("", "ndjson"), ignore_progress) == within
        file.seek(0)
        assert preview_report(league, file, ImportOptions("", "ndjson")) == report
    # Five games are new, and the four that were there follow them.
    assert (within["games"], within["known"], within["replayed"], report.replayed) == (5, 4, 9, 9)
    assert (derived(league), Game.objects.count(), messages) == (before, 4, [])
    league.refresh_from_db()
    assert league.stale_from is None
