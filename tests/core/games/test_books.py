"""The lock, the retries, and the doorbell."""

import logging
import time
from datetime import datetime
from unittest.mock import patch

import pytest
from celery import current_app
from django.db import OperationalError
from kombu.exceptions import OperationalError as BrokerDown

from league import tasks
from league.core.dispatch import sweep
from league.core.errors import Busy, NotFound
from league.core.games.services.record import void_game
from league.core.locking import run_with_league_lock
from league.models import Job, League
from tests.helpers.builders import derived, make_league, ratings, record, sheet


class Flaky:
    """Work that fails a number of times before it succeeds."""

    def __init__(self, failures: int, message: str = "database is locked") -> None:
        self.failures, self.message, self.calls = failures, message, 0

    def __call__(self, league: League, now: datetime) -> str:
        self.calls += 1
        if self.calls <= self.failures:
            raise OperationalError(self.message)
        return league.slug


@pytest.fixture
def no_pause() -> object:
    """Let retries follow at once."""
    with patch.object(time, "sleep") as pause:
        yield pause


@pytest.mark.django_db(transaction=True)
def test_a_busy_database_is_tried_again_and_said_to_be_busy_in_the_end(no_pause: object) -> None:
    league, work, full = make_league(), Flaky(4), Flaky(1, "disk full")
    assert run_with_league_lock(league.pk, work) == "club"
    assert work.calls == 5
    with pytest.raises(Busy, match="Nothing was saved"):
        run_with_league_lock(league.pk, Flaky(5))
    # Another error is not tried again.
    with pytest.raises(OperationalError, match="disk full"):
        run_with_league_lock(league.pk, full)
    assert full.calls == 1


@pytest.mark.django_db
def test_inside_another_transaction_there_is_one_try() -> None:
    work = Flaky(1)
    with pytest.raises(OperationalError):
        run_with_league_lock(make_league().pk, work)
    assert work.calls == 1


@pytest.mark.django_db
def test_there_are_no_books_of_a_league_that_is_not_there() -> None:
    with pytest.raises(NotFound):
        run_with_league_lock(4711, Flaky(0))


@pytest.mark.django_db(transaction=True)
def test_a_late_game_with_many_games_after_it_is_left_to_celery(settings: pytest.FixtureRequest) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0), minutes=5))
    before = derived(league)
    settings.RUNGS_INLINE_GAMES = 0  # type: ignore[attr-defined]  # pytest-django's own wrapper
    with patch.object(current_app, "send_task") as sent:
        record(league, sheet(("anna", "ben"), (0, 1), minutes=1))
        record(league, sheet(("cleo", "dan"), (0, 1), minutes=9))
    assert [call.args for call in sent.call_args_list] == [("league.replay",)] * 2
    assert [call.kwargs["args"] for call in sent.call_args_list] == [(league.pk,)] * 2
    assert derived(league) == before
    assert tasks.replay(league.pk) == 3
    assert tasks.replay(league.pk) == 0
    assert set(ratings(league)) == {"anna", "ben", "cleo", "dan"}


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_down_costs_nothing_but_a_line_in_the_log(
    settings: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    settings.RUNGS_INLINE_GAMES = 0  # type: ignore[attr-defined]  # pytest-django's own wrapper
    with patch.object(current_app, "send_task", side_effect=BrokerDown("no answer")):
        void_game(league.pk, 1, reason="friendly", username="olga")
    assert [record_.levelno for record_ in caplog.records if record_.name == "league.core.jobs.queue"] == [
        logging.WARNING
    ]
    with patch.object(current_app, "send_task") as sent:
        assert tasks.sweep() == [league.pk]
    assert sent.call_args.args == ("league.replay",)
    tasks.replay(league.pk)
    assert derived(league) == ([], [])
    assert tasks.sweep() == []


@pytest.mark.django_db
def test_standings_are_rebuilt_from_the_history() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    before = derived(league)
    from league.models import Rating

    Rating.objects.update(rating=0.0, score=0.0, games=7)
    assert tasks.refresh_current_ratings(league.pk) == 2
    assert derived(league) == before


@pytest.mark.django_db(transaction=True)
def test_every_night_all_standings_are_rung_and_every_scheduled_task_exists() -> None:
    leagues = [make_league().pk, make_league(slug="other").pk]
    with patch.object(current_app, "send_task") as sent:
        tasks.every_night()
    jobs_asked = [str(job.pk) for job in Job.objects.order_by("league")]
    assert [call.kwargs["args"] for call in sent.call_args_list] == [(one,) for one in (*leagues, *jobs_asked)]
    app = current_app
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)
    assert {"league.replay", "league.standings"} <= set(app.tasks)


@pytest.mark.django_db
def test_everything_can_be_replayed_from_nothing() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    before = derived(league)
    assert sweep.replay_league(league.pk).games == 1
    assert derived(league) == before
