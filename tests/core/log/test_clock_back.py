"""A clock that is behind what was written: nothing more is written, and the operator is told; a little is no harm."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO, StringIO
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.test import Client

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.dispatch import sweep
from league.core.errors import ClockBehind
from league.core.games.services.record import correct_game, record_game, record_in, restore_game, void_game
from league.core.ladders.services.decisions import advance, close_period, reopen_period
from league.core.leagues.services.leagues import adopt_rule
from league.core.locking import MAX_CLOCK_SKEW, run_with_league_lock
from league.core.log.selectors.log import log_lines
from league.core.log.services.heads import publish_heads
from league.core.players.services.merges import merge_players
from league.core.players.services.players import set_initial_rating
from league.core.replay.services.current_ratings import refresh_current_ratings
from league.core.verify.run import verify_league
from league.models import Edition, LogEntry
from league.tasks import every_night
from league.tasks import sweep as sweep_task
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.ladder_builders import duel, facts, make_ladder

pytestmark = pytest.mark.django_db
LONG = timedelta(days=400)


@contextmanager
def machine_says(moment: datetime) -> Iterator[None]:
    """Let the machine's clock, and nothing else, stand at an instant."""
    with patch("django.utils.timezone.now", lambda: moment):
        yield


def now() -> datetime:
    """Return what the clock on the wall says."""
    return datetime.now(UTC)


def club() -> Any:
    """Return a league with a ladder and two games, of which the second is void."""
    league = make_league()
    make_ladder(league)
    for minutes in (0, 5):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    void_game(league.pk, 2, reason="friendly", username="olga")
    return league


def everything() -> Any:
    """Return all that stands in the books."""
    return facts("Game", "Result", "LogEntry", "League", "Rule", "Edition", "Decision", "Merge", "Period", "Rating")


LINE = b'{"played_at": "%s", "results": [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}]}\n'
ACTS: dict[str, Callable[[Any], Any]] = {
    "record": lambda one: record_game(one.pk, sheet(("anna", "ben"), (1, 0)), by="olga"),
    "record without a time": lambda one: record_game(one.pk, sheet(("anna", "ben"), (1, 0), played_at=None), by="olga"),
    "record of today": lambda one: record_game(one.pk, sheet(("anna", "ben"), (1, 0), played_at=now()), by="olga"),
    "correct": lambda one: correct_game(one.pk, 1, sheet(("ben", "anna"), (1, 0)), reason="misread", username="olga"),
    "void": lambda one: void_game(one.pk, 1, reason="friendly", username="olga"),
    "restore": lambda one: restore_game(one.pk, 2, reason="it was played", username="olga"),
    "merge": lambda one: merge_players(player_of("anna"), player_of("dan"), username="olga"),
    "start": lambda one: set_initial_rating(one.pk, player_of("cleo"), 1700.0),
    "rule": lambda one: adopt_rule(one.pk, "elo", {"k": 10}, now().date(), username="olga"),
    "import": lambda one: import_games(
        one.pk, BytesIO(LINE % now().isoformat().encode()), ImportOptions(by="olga", media="ndjson")
    ),
    "close": lambda one: close_period(one.pk, "month", "2024-03", username="olga"),
}


def test_nothing_is_written_by_a_clock_that_is_400_days_behind() -> None:
    league = club()
    before, logged = everything(), LogEntry.objects.latest("position").at
    for act in ACTS.values():
        with machine_says(logged - LONG), pytest.raises(ClockBehind) as refused:
            act(league)
        assert refused.value.detail == (
            f"The server's clock shows {logged - LONG:%Y-%m-%d %H:%M:%S}, but the last change of this league was "
            f"saved at {logged:%Y-%m-%d %H:%M:%S} (both UTC). "
            "Nothing was saved; the site's operator must set the clock."
        )
        assert everything() == before


def test_the_api_answers_503_and_the_desk_a_page_that_says_so() -> None:
    club()
    api, organiser = Api("record"), Client()
    organiser.force_login(User.objects.create_superuser("olga"))
    before = everything()
    with machine_says(now() - LONG):
        answer = api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
        page = organiser.post("/admin/leagues/club/games/1/void/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "clock_back", "60")
    assert answer.json()["title"] == "The server's clock is wrong."
    assert "The server&#x27;s clock shows" in page.content.decode()
    assert page.status_code == 503
    assert everything() == before
    assert Client().get("/docs/problems/clock_back/").status_code == 200


@pytest.mark.parametrize("behind", [timedelta(microseconds=1), MAX_CLOCK_SKEW - timedelta(seconds=1)])
def test_two_machines_that_differ_a_little_write_one_after_the_other(behind: timedelta) -> None:
    league = club()
    last = LogEntry.objects.latest("position").at
    with machine_says(last - MAX_CLOCK_SKEW - timedelta(microseconds=1)), pytest.raises(ClockBehind):
        record(league, sheet(("anna", "ben"), (1, 0)))
    with machine_says(last - behind):
        written = record(league, sheet(("anna", "ben"), (1, 0), played_at=None))
        record(league, sheet(("anna", "ben"), (1, 0), minutes=9))
    moments = list(league.log.order_by("position").values_list("at", flat=True))
    step = timedelta(microseconds=1)
    assert moments[-3:] == [last, last + step, last + 2 * step]
    # By one moment throughout: the game's row, and when it was played, are of the entry's.
    assert (written.recorded_at, written.played_at) == (last + step, last + step)
    assert verify_league(league.pk).differences == []


def test_what_runs_by_itself_does_nothing_wrong_and_goes_on_when_the_clock_is_right() -> None:
    league = club()
    other = make_league(slug="young")
    before, editions = everything(), Edition.objects.count()
    with machine_says(now() - LONG):
        sweep_task()
        every_night()
        assert publish_heads() == []
        with pytest.raises(ClockBehind):  # a period of then is not opened behind the log
            advance(league.pk)
        # Ratings are derived, and say nothing in the log.
        assert sweep.run_due_replay(league.pk) == 0
        assert refresh_current_ratings(league.pk) == 2
    assert (everything(), Edition.objects.count()) == (before, editions)
    assert len(publish_heads()) == 2
    assert "close" in [step.what for step in advance(league.pk, now() + timedelta(days=2))]
    assert verify_league(league.pk).differences == verify_league(other.pk).differences == []


def test_a_replay_that_waits_is_done_whatever_the_clock_says(settings: Any) -> None:
    settings.RUNGS_INLINE_GAMES = 0
    league = club()
    record(league, duel("ben", "anna", "2024-03-01"))
    league.refresh_from_db()
    assert league.stale_from is not None
    with machine_says(now() - LONG):
        assert sweep.run_due_replay(league.pk) == 2
    assert verify_league(league.pk).differences == []


def test_a_clock_that_was_ahead_is_accepted_by_who_runs_the_site() -> None:
    league = club()
    ahead = now() + LONG
    with machine_says(ahead):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=9))
    with pytest.raises(ClockBehind):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=10))
    said = StringIO()
    call_command("accept_clock", "club", "--by", "olga", stdout=said)
    assert f"{ahead:%Y-%m-%d %H:%M:%S} UTC" in said.getvalue()
    entry = LogEntry.objects.filter(league=league).latest("position")
    assert (entry.kind, entry.by) == ("clock.accepted", "olga")
    assert entry.payload == f'{{"behind":"{ahead:%Y-%m-%dT%H:%M:%S.%fZ}"}}'
    assert abs(entry.at - now()) < timedelta(minutes=1)
    record(league, sheet(("anna", "ben"), (1, 0), minutes=10))
    reopening = close_period(league.pk, "month", "2024-03", username="olga")
    reopen_period(league.pk, "month", reopening.key, reason="late", username="olga")
    assert verify_league(league.pk).differences == []
    assert any('"clock.accepted"' in line for line in log_lines(league, 0, 1000, None))
    with pytest.raises(CommandError, match="not behind"):
        call_command("accept_clock", "club")
    with pytest.raises(CommandError, match="no league"):
        call_command("accept_clock", "nowhere")


@pytest.mark.django_db(transaction=True)
def test_whoever_waited_for_the_books_knows_what_was_written_meanwhile() -> None:
    """Of the row PostgreSQL tells what is now, of the log what was when it was asked: it is asked again."""
    league = make_league()
    ahead = now() + timedelta(seconds=30)
    holds, waits = threading.Event(), threading.Event()

    def first() -> None:
        def work(locked: Any, moment: datetime) -> None:
            holds.set()
            waits.wait(10)
            record_in(locked, moment, sheet(("anna", "ben"), (1, 0)), "olga")

        run_with_league_lock(league.pk, work, ahead)
        connections.close_all()

    holder = threading.Thread(target=first)
    holder.start()
    assert holds.wait(10)
    threading.Timer(0.5, waits.set).start()
    record(league, sheet(("anna", "ben"), (1, 0), minutes=5))
    holder.join(10)
    moments = list(league.log.order_by("position").values_list("at", flat=True))
    assert moments[-2:] == [ahead, ahead + timedelta(microseconds=1)]
    assert connection.vendor in ("sqlite", "postgresql")
