"""Months that are still being entered do not close: the grace time counts from the last entry, too."""

import io
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.apps.imports.services.run import ImportOptions, import_games, import_parsed_games, preview_report
from league.apps.imports.services.uploads import Upload, enqueue_import
from league.core.dispatch import sweep
from league.core.dry_runs.services.run import preview_correction, preview_void
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.jobs import queue
from league.core.ladders.selectors.ladders import find_ladder, load_unclosed_periods
from league.core.ladders.selectors.touches import find_last_touch
from league.core.ladders.services import decisions
from league.core.ladders.services.decisions import advance, close_period, is_due, reopen_period
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import change_player, set_initial_rating
from league.core.verify.run import verify_league
from league.models import Edition, League, Period, Player
from tests.helpers.api_client import Api
from tests.helpers.builders import record, sheet
from tests.helpers.desk_client import DESK, bound_fields, page_html
from tests.helpers.ladder_builders import (
    build_bare_club,
    clock,
    close,
    close_due,
    duel,
    make_ladder,
    record_as_played,
    state,
    utc,
)
from tests.helpers.order_builders import move_game
from tests.helpers.tiers import long_way, mark_slow

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
CSV = "game_id,played_at,player,score\n" + "".join(
    f"{month},2023-{month:02}-07T20:00:00Z,{player},{score}\n"
    for month in range(1, 13)
    for player, score in (("anna", 1), ("ben", 0))
)


def test_the_grace_time_after_the_last_entry_ends_to_the_microsecond() -> None:
    league = build_bare_club(close_after_hours=36)
    entered = utc("2024-02-10T21:17:30.123456")
    with clock(entered):
        record(league, duel("anna", "ben", "2024-01-20"))
    due = entered + timedelta(hours=36)
    assert close_due(league, utc("2024-02-02T12:00")) == []  # 36 hours after the end, and before the clock of the entry
    assert close_due(league, due - TICK) == []
    assert close_due(league, due) == ["2024-01"]
    assert Edition.objects.get().due_at == due


def merge() -> None:
    """Let Cleo be Ben."""
    merge_players(Player.objects.get(handle="cleo"), Player.objects.get(handle="ben"), username="olga")


TOUCHES: dict[str, Callable[[League], object]] = {
    "a game": lambda league: record(league, duel("cleo", "dan", "2024-01-25")),
    "a game that is not rated": lambda league: record(
        league, sheet(("dan",), (1,), played_at=utc("2024-01-25"), kind="full_bye")
    ),
    "a void": lambda league: void_game(league.pk, 2, reason="friendly", username="olga"),
    "a correction": lambda league: correct_game(
        league.pk, 1, duel("ben", "anna", "2024-01-10"), reason="misread", username="olga"
    ),
    "a game that is moved away": lambda league: correct_game(
        league.pk, 2, duel("anna", "cleo", "2024-02-04"), reason="date", username="olga"
    ),
    "a game that is moved there": lambda league: correct_game(
        league.pk, 3, duel("dan", "anna", "2024-01-30"), reason="date", username="olga"
    ),
    "a file": lambda league: import_parsed_games(
        league.pk, ReadFile([ReadGame(duel("cleo", "ben", "2024-01-26"), ())], ()), ImportOptions(by="olga")
    ),
    "a rule from before": lambda league: adopt_rule(league.pk, "elo", {"k": 40}, date(2023, 1, 1), username="olga"),
    "a rule within": lambda league: adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 1, 31), username="olga"),
    "where a player starts": lambda league: set_initial_rating(league.pk, Player.objects.get(handle="ben"), 1600.0),
    "a restored game": lambda league: restore_game(league.pk, 3, reason="it was played", username="olga"),
    "games that exchange their places": lambda league: move_game(league.pk, 3, later=False, by="olga"),
    "a merge": lambda league: merge(),
    "the end of a merge": lambda league: unmerge_player(Player.objects.get(handle="cleo"), username="olga"),
}  # fmt: skip
LEAVES: dict[str, Callable[[League], object]] = {
    "a game of another month": lambda league: record(league, duel("anna", "ben", "2024-02-01")),
    "a rule from later": lambda league: adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 2, 1), username="olga"),
    "where somebody starts who has not played": lambda league: set_initial_rating(
        league.pk, Player.objects.get(handle="dan"), 1600.0
    ),
    "a name": lambda league: change_player(Player.objects.get(handle="anna"), name="Anna B"),
    "a setting": lambda league: change_league(league.pk, {"min_games": 2}),
}


def january(what: str) -> League:
    """Return a league with two games in January and, where it is about merges or moves, what that needs."""
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"), duel("anna", "cleo", "2024-01-11"))
    with clock(utc("2024-01-12")):
        if what == "the end of a merge":
            merge()
    if what == "a game that is moved there":
        record_as_played(league, duel("dan", "anna", "2024-02-03"))
    if what in ("a restored game", "games that exchange their places"):
        record_as_played(league, duel("dan", "anna", "2024-01-11"))
    if what == "a restored game":
        with clock(utc("2024-01-12")):
            void_game(league.pk, 3, reason="a friendly", username="olga")
    return league


@pytest.mark.parametrize(
    "what", mark_slow([*TOUCHES, *LEAVES], "Another change.", but=[*[*TOUCHES][::4], *[*LEAVES][::3]])
)
def test_what_touches_a_month_keeps_it_open_for_the_grace_time(what: str) -> None:
    league = january(what)
    when = utc("2024-02-05T12:00") - timedelta(hours=12) * (what in LEAVES)
    with clock(when):
        ({**TOUCHES, **LEAVES})[what](league)
    assert verify_league(league.pk).differences == []
    if what in LEAVES:
        assert close_due(league, when) == ["2024-01"]
        assert Edition.objects.get().due_at == utc("2024-02-02")
        return
    assert close_due(league, when + DAY - TICK) == []
    assert not is_due(League.objects.get(), when + DAY - TICK) or Period.objects.filter(key="2024-02").exists()
    assert "2024-01" in close_due(league, when + DAY)
    assert Edition.objects.get(key="2024-01").due_at == when + DAY


def test_a_new_ladder_over_old_games_can_be_looked_at_before_it_publishes() -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"))
    assert close_due(league, utc("2024-02-02")) == ["2024-01"]
    with clock(utc("2024-06-01")):
        make_ladder(league, "wins", win=3)
    assert close_due(league, utc("2024-06-02") - TICK) == []
    assert close_due(league, utc("2024-06-02")) == ["2024-01"]


def test_a_closed_month_asks_as_ever_and_one_that_is_being_entered_does_not() -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"), duel("anna", "ben", "2024-02-10"))
    close(league, "2024-01")
    late = duel("ben", "anna", "2024-01-10")
    assert [one.key for one in preview_correction(league, 1, late, "misread").closed] == ["2024-01"]
    assert [one.key for one in preview_void(league, 1, "misread").closed] == ["2024-01"]
    assert preview_void(league, 2, "misread").closed == []
    record(league, duel("cleo", "ben", "2024-01-20"))
    record(league, duel("cleo", "ben", "2024-02-20"))
    assert close_due(league, timezone.now() + timedelta(hours=23)) == []
    assert (state(league, "2024-01"), state(league, "2024-02")) == ((True, True), (False, False))


def test_periods_of_a_league_that_closes_by_hand_are_closed_by_a_person_only() -> None:
    league = build_bare_club(closing="by_hand")
    record_as_played(league, duel("anna", "ben", "2024-01-10"), duel("anna", "ben", "2024-02-10"))
    with clock(utc("2024-02-11")):
        void_game(league.pk, 2, reason="friendly", username="olga")
    assert close_due(league, utc("2025-01-10")) == []
    assert [one.key for one in load_unclosed_periods(league, utc("2025-01-10"))] == ["2024-01"]
    assert list(Period.objects.order_by("starts_at").values_list("key", flat=True)) == ["2024-01", "2025-01"]
    assert not is_due(league, utc("2025-01-10"))
    assert close_period(league.pk, "month", "2024-01", username="olga").number == 1
    assert load_unclosed_periods(league, utc("2025-01-10")) == []
    record_as_played(league, duel("anna", "ben", "2025-01-05"))
    assert close_due(league, utc("2025-03-10")) == []
    change_league(league.pk, {"closing": "automatic"})
    assert close_due(league, utc("2025-03-10")) == ["2025-01"], "what has waited is closed at once"


def test_a_league_that_was_set_to_close_by_hand_meanwhile_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"))
    found = decisions.load_due_periods

    def look(league: League, now: datetime) -> list[Period]:
        periods = found(league, now)
        change_league(league.pk, {"closing": "by_hand"})
        return periods

    monkeypatch.setattr(decisions, "load_due_periods", look)
    assert close_due(league, utc("2024-03-10")) == []


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Return what was rung, in a list that grows."""
    found: list[tuple[Any, ...]] = []
    monkeypatch.setattr(queue, "enqueue", lambda *told: found.append(told))
    return found


def import_year(league: League) -> None:
    """Import a game of each month of 2023."""
    import_games(league.pk, io.BytesIO(CSV.encode()), ImportOptions(by="olga"))


def test_an_import_of_last_year_closes_its_months_when_the_grace_time_has_passed(enqueued: list[Any]) -> None:
    league = build_bare_club()
    advance(league.pk)
    import_year(league)
    assert (enqueued, close_due(league)) == ([], [])
    assert close_due(league, timezone.now() + timedelta(hours=23)) == []
    assert close_due(league, timezone.now() + DAY) == [f"2023-{month:02}" for month in range(1, 13)]
    # A time zone that is gone does not fail an import that was done.
    League.objects.update(time_zone="Mars/Olympus", close_after_hours=0)
    decisions.enqueue_if_due(league.pk)
    assert enqueued == []


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("way", ["service", "API", "job"])
def test_without_a_grace_time_an_import_closes_at_its_end_only(enqueued: list[Any], way: str) -> None:
    league = build_bare_club(close_after_hours=0)
    advance(league.pk)
    preview_report(league, io.BytesIO(CSV.encode()), ImportOptions("test"))
    assert enqueued == []
    if way == "service":
        import_year(league)
    elif way == "API":
        assert Api("record").post_file("leagues/club/games/import/", CSV, "text/csv").data["games"] == 12
    else:
        with Upload(io.BytesIO(CSV.encode()), "csv") as upload:
            job = enqueue_import(league, upload, username="olga", create_players=False)
        assert sweep.run_requested_job(job.pk)
    assert ("league.calendar", league.pk) in enqueued
    assert (len(enqueued) == 1) == (way != "job") and Edition.objects.count() == 0
    assert len(close_due(league)) == 12


@long_way
def test_the_faces_say_what_an_ended_month_waits_for(client: Client) -> None:
    league = build_bare_club()
    with clock(utc("2024-02-05T12:00")):
        record(league, duel("anna", "ben", "2024-01-10"))
    client.force_login(User.objects.create_superuser("olga"))
    periods, page = f"{DESK}ladders/month/periods/", "/leagues/club/ladders/month/2024-01/"
    with clock(utc("2024-02-05T13:00")):
        desk = page_html(client.get(f"{periods}2024-01/"))
    assert "It closes automatically <time" in desk and "2024-02-06 12:00" in desk
    assert "closes automatically after 24 hours without new entries." in page_html(client.get(page))
    change_league(league.pk, {"closing": "by_hand"})
    assert "Left alone" not in page_html(client.get(f"{periods}2024-01/"))
    assert "It has ended; the organiser has not closed it yet." in page_html(client.get(page))
    advance(league.pk)
    running = find_ladder(league, "month").periods.latest("starts_at")
    assert "You can close it here after it ends." in page_html(client.get(f"{periods}{running.key}/"))
    close(league, "2024-01")
    reopen_period(league.pk, "month", "2024-01", reason="A protest.", username="olga")
    assert "Reopened; you can still read edition 1." in page_html(client.get(page))


def test_the_choice_is_made_at_the_desk_and_left_alone_where_it_is_not_sent(client: Client) -> None:
    league = build_bare_club(closing="by_hand")
    client.force_login(User.objects.create_superuser("olga"))
    address = f"{DESK}settings/"
    assert client.get(address).context["form"]["closing"].value() == "by_hand"
    for sent, stands in (({}, "by_hand"), ({"closing": "automatic"}, "automatic"), ({"closing": "by_hand"}, "by_hand")):
        data = {name: value for name, value in bound_fields(client.get(address)).items() if name != "closing"}
        assert client.post(address, {**data, **sent}).status_code == 302
        league.refresh_from_db()
        assert league.closing == stands


@pytest.mark.parametrize("whose", [None, 0, 7, 29])
@pytest.mark.slow("Counts queries of many starts.")
def test_the_last_touch_is_found_among_many_starts_in_a_few_queries(whose: int | None) -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2023-01-10"), duel("cleo", "dan", "2023-02-10"))
    january = Period.objects.get(ladder__league=league, key="2023-01")
    for day in range(30):
        with clock(utc("2023-03-01") + day * DAY):
            who = "anna" if day == whose else "cleo"
            set_initial_rating(league.pk, Player.objects.get(handle=who), 1500 + day)
    with CaptureQueriesContext(connection) as queries:
        found = find_last_touch(league, january)
    assert found == (utc("2023-01-10") if whose is None else utc("2023-03-01") + whose * DAY)
    assert len(queries) <= 10  # The names that the log has sealed are looked up once.
