"""Every night: the books of each league are verified by a job, ratings are rebuilt, old jobs are forgotten."""

import logging
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest
from django.db import IntegrityError
from django.test import override_settings
from django.utils import timezone

from league import tasks
from league.core.dispatch import nightly
from league.core.games.services.record import void_game
from league.core.jobs.services import work
from league.models import Job, League, Rating, Sign
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder

pytestmark = pytest.mark.django_db


def club() -> League:
    """Return a league with two games and an edition."""
    league = make_league(parameters={"k": 32})
    make_ladder(league)
    for day in ("2024-03-10", "2024-03-11"):
        record(league, duel("anna", "ben", day))
    close(league, "2024-03")
    return league


def verified() -> dict[str, Any]:
    """Return what came of the one job that a night asked for and a worker did."""
    (name,) = nightly.request_verifications()
    assert tasks.job(name)
    return dict(Job.objects.get(pk=UUID(name)).result or {})


def test_the_verdict_is_kept_with_the_job_and_that_a_replay_that_is_due_keeps_it_from_knowing(settings: Any) -> None:
    start, league = timezone.now(), club()
    result = verified()
    job = Job.objects.get()
    assert (job.state, job.kind, job.asked_by, job.problem) == ("done", "verify", "", None)
    at = datetime.fromisoformat(result.pop("at"))
    assert start <= at <= timezone.now()
    assert result.pop("games_per_second") > 0
    # 4 lines, 2 ratings, March and the machine's month, 2 standings.
    assert result == {
        "games": 2, "rows": 10, "editions": 1, "entries": 7, "found": 0, "differences": [], "notes": [], "waits": False,
    }  # fmt: skip
    settings.RUNGS_INLINE_GAMES = 0
    void_game(league.pk, 1, reason="A friendly.", username="olga")
    result = verified()
    assert (result["found"], result["waits"], len(result["notes"])) == (0, True, 1)


def test_a_difference_is_an_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    club()
    Rating.objects.update(peak=9999.0)
    result = verified()
    assert (result["found"], len(result["differences"])) == (2, 2)
    (told,) = [one for one in caplog.records if one.name == "league.core.dispatch.nightly"]
    assert told.levelno == logging.ERROR
    assert told.getMessage().startswith(
        "The data of club differ from the log in 2 points; the first: The rating of anna is peak 99"
    )


def test_a_job_keeps_a_hundred_differences_and_counts_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from league.core.verify.run import Verdict

    found = [f"Difference {number}." for number in range(130)]
    monkeypatch.setattr(nightly, "verify_league", lambda league_id, progress: Verdict(differences=found))
    make_league()
    result = verified()
    assert (result["found"], result["differences"]) == (130, found[:100])


def test_a_league_is_not_asked_for_twice_at_a_time() -> None:
    first, second = make_league(), make_league(slug="other")
    job = work.request_job(first, "verify", by="olga")
    for state, asked in (("waiting", {second}), ("running", set()), ("done", {first})):
        Job.objects.filter(pk=job.pk).update(state=state)
        assert {Job.objects.get(pk=UUID(name)).league for name in nightly.request_verifications()} == asked
    assert nightly.request_verifications() == []
    Job.objects.update(state="failed")
    assert len(nightly.request_verifications()) == 2


def test_who_asks_in_the_same_moment_is_enough(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def taken(*arguments: Any, **more: Any) -> Job:
        raise IntegrityError("one_replay_at_a_time")

    caplog.set_level(logging.INFO)
    make_league()
    monkeypatch.setattr(nightly, "request_job", taken)
    assert nightly.request_verifications() == []
    assert "A verification of club was asked for by somebody else" in caplog.text


def test_ratings_that_a_replay_will_write_are_not_rebuilt() -> None:
    waiting, other = club(), make_league(slug="other")
    with override_settings(RUNGS_INLINE_GAMES=0):
        void_game(waiting.pk, 1, reason="friendly", username="olga")
    Rating.objects.update(peak=7.0)
    with patch("league.core.jobs.queue.enqueue") as enqueued:
        tasks.every_night()
    assert [call.args for call in enqueued.call_args_list if call.args[0] == "league.standings"] == [
        ("league.standings", other.pk)
    ]
    # A message that was on its way before the mark was set does nothing either.
    assert tasks.refresh_current_ratings(waiting.pk) == 0
    assert set(Rating.objects.values_list("peak", flat=True)) == {7.0}


def test_old_jobs_are_forgotten_at_night() -> None:
    league, kept = make_league(), set[Any]()
    for kind, state, days, forgotten in (
        ("import", "done", 29, False),
        ("import", "done", 31, True),
        ("compare", "failed", 31, True),
        ("compare", "done", 399, False),  # a report, which people look at again
        ("compare", "done", 401, True),
        ("dry_run", "done", 2, True),  # it is large
    ):
        old = work.request_job(league, kind, by="olga")
        Job.objects.filter(pk=old.pk).update(state=state, ended_at=timezone.now() - timedelta(days=days))
        kept |= set() if forgotten else {old.pk}
    tasks.every_night()
    assert set(Job.objects.exclude(kind="verify").values_list("pk", flat=True)) == kept


def test_the_sweep_is_heard() -> None:
    tasks.sweep()
    Sign.objects.update(at=datetime(2024, 3, 5, tzinfo=UTC))
    tasks.sweep()
    (sign,) = Sign.objects.all()
    assert str(sign) == "sweep"
    assert timezone.now() - sign.at < timedelta(minutes=1)
