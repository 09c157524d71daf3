"""Editions are worked out before the lock: what comes between the draft and the lock."""

from collections.abc import Callable
from typing import Any

import pytest

from league.core.errors import NotFound
from league.core.games.services.record import void_game
from league.core.ladders.services import decisions, editions
from league.core.ladders.services.decisions import advance, close_period, decide_all
from league.core.leagues.services.leagues import change_league
from league.core.locking import run_with_league_lock
from league.core.players.services.players import change_player
from league.core.verify.run import verify_league
from league.models import Edition, League, LogEntry, Period, Player
from tests.helpers.builders import record
from tests.helpers.ladder_builders import build_bare_club, clock, close, close_due, duel, record_as_played, state, utc

pytestmark = pytest.mark.django_db


class Spy:
    """Does something, so many times, when drafts of editions have been made and the lock is not yet taken."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], times: int = 1) -> None:
        self.left, self.made = times, 0
        drafts_of = editions.build_drafts

        def draft(league: League, periods: Any) -> Any:
            found = drafts_of(league, periods)
            self.made += 1
            if self.left:
                self.left -= 1
                act()
            return found

        monkeypatch.setattr(editions, "build_drafts", draft)


def test_a_game_of_another_month_does_not_disturb_an_edition_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"))
    spy = Spy(monkeypatch, lambda: record_as_played(league, duel("dan", "ben", "2024-02-10")))
    assert close_due(league, utc("2024-02-10")) == ["2024-01"]
    assert spy.made == 1
    told = LogEntry.objects.get(kind="edition.published")
    assert (Edition.objects.get().log_position, verify_league(league.pk).differences) == (told.position, [])


def test_a_late_game_that_comes_while_an_edition_is_on_its_way_keeps_the_month_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"))

    def late() -> None:
        with clock(utc("2024-02-10")):
            record(league, duel("ben", "anna", "2024-01-20"))

    spy = Spy(monkeypatch, late)
    assert close_due(league, utc("2024-02-10")) == []
    assert (spy.made, state(league, "2024-01")) == (2, (False, False))


def test_a_name_that_changes_while_an_edition_is_on_its_way_stands_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"))
    spy = Spy(monkeypatch, lambda: change_player(Player.objects.get(handle="anna"), name="Anna B"))
    edition = close(league, "2024-01")
    assert (spy.made, edition.winners[0]["name"]) == (2, "Anna B")


def test_where_something_changes_all_the_time_the_edition_is_made_under_the_lock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"))
    spy = Spy(monkeypatch, lambda: change_league(league.pk, {"min_games": 2 + spy.left}), times=3)
    edition = close(league, "2024-01")
    assert (spy.made, edition.number, verify_league(league.pk).differences) == (4, 1, [])


def test_a_month_that_somebody_else_closes_or_takes_away_meanwhile_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"), duel("anna", "ben", "2024-02-10"))
    publish = decisions.close_period
    Spy(monkeypatch, lambda: publish(league.pk, "month", "2024-01", username="olga"))
    assert close_due(league, utc("2024-02-10")) == []
    assert Edition.objects.get().published_by == "olga"
    Spy(monkeypatch, lambda: Period.objects.filter(key="2024-02").delete())
    assert close_due(league, utc("2024-04-10")) == []
    assert decisions.close_alone(league.pk, 0, utc("2024-04-10")) == []


def test_each_month_closes_in_a_transaction_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    league = build_bare_club()
    record_as_played(league, *(duel("anna", "ben", f"2024-0{month}-10") for month in (1, 2, 3)))
    seen: list[int] = []

    def locked(*told: Any) -> Any:
        seen.append(Edition.objects.count())
        return run_with_league_lock(*told)

    monkeypatch.setattr(editions, "run_with_league_lock", locked)
    assert close_due(league, utc("2024-04-10")) == ["2024-01", "2024-02", "2024-03"]
    assert seen == [0, 1, 2]


def test_the_calendar_of_a_league_that_is_gone_says_so() -> None:
    with pytest.raises(NotFound):
        advance(0)
    with pytest.raises(NotFound):
        close_period(0, "month", "2024-01", username="olga")


def test_a_month_that_comes_to_await_a_decision_while_all_are_decided_is_decided_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = build_bare_club()
    record_as_played(league, duel("anna", "ben", "2024-01-10"), duel("ben", "anna", "2024-01-11"))
    close(league, "2024-01")
    spy = Spy(monkeypatch, lambda: void_game(league.pk, 2, reason="a friendly", username="olga"))
    assert [period.key for period in decide_all(league.pk, "carry", reason="", username="olga")] == ["2024-01"]
    assert (spy.made, state(league, "2024-01")) == (2, (True, False))
