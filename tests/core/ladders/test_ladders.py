"""Ladders and their dated rules: periods of every cadence, and every refusal a sentence with nothing written."""

from datetime import date
from functools import partial
from typing import Any

import pytest

from league.core.errors import Conflict, Invalid, NotFound, Refused, UnknownZone
from league.core.games.services.record import void_game
from league.core.ladders.selectors.ladders import find_ladder, find_period, find_rule_to_show
from league.core.ladders.services.ladders import RankingRule, change_ladder, change_ranking, create_ladder
from league.core.leagues.services.leagues import change_league, create_league
from league.models import LadderRule, League
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import (
    close,
    duel,
    keys,
    make_ladder,
    period,
    ranking,
    refusal,
    refused_problems,
    state,
    utc,
)

pytestmark = pytest.mark.django_db


def new(league: League, **more: Any) -> Any:
    """Return what makes a ladder with something else than usual."""
    slug, title = more.pop("slug", "month"), more.pop("title", "Month")
    choice = RankingRule(**{"method": "points", "cadence": "month", **more})
    return lambda: create_ladder(league.pk, slug, title, choice, username="olga")


def rule(league: League, day: date, cadence: str = "month", **more: Any) -> Any:
    """Return what ranks the ladder “month” otherwise from a day on."""
    choice = RankingRule(more.pop("method", "points"), cadence, more.pop("parameters", {}), day, **more)
    return lambda: change_ranking(league.pk, "month", choice, username="olga")


def test_one_game_stands_in_the_periods_of_every_cadence() -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-12-31T12:00"))
    for cadence in ("week", "month", "quarter", "year", "all_time"):
        make_ladder(league, cadence, cadence=cadence)
    make_ladder(league, "dated", cadence="dated", from_date=date(2024, 12, 20), to_date=date(2025, 1, 6))
    expected = {
        "week": "2025-W01", "month": "2024-12", "quarter": "2024-Q4", "year": "2024", "all_time": "all",
        "dated": "2024-12-20--2025-01-06",
    }  # fmt: skip
    for slug, key in expected.items():
        assert keys(league, slug) == [key]
        assert ranking(league, key, slug) == [(1, "anna", 1.0), (2, "ben", 0.0)]


@pytest.mark.parametrize(
    ("zone", "key", "starts_at", "ends_at"),
    [
        ("Europe/Paris", "2024-03", "2024-02-29T23:00", "2024-03-31T22:00"),
        ("America/Asuncion", "2023-10", "2023-10-01T04:00", "2023-11-01T03:00"),
    ],
)
def test_months_follow_the_clock_of_the_league(zone: str, key: str, starts_at: str, ends_at: str) -> None:
    league = make_league(time_zone=zone)
    make_ladder(league)
    inside = utc(starts_at).isoformat()[:16], "2024-03-10" if key == "2024-03" else utc(starts_at).isoformat()[:16]
    for when in inside:
        record(league, duel("anna", "ben", when))
    record(league, duel("ben", "anna", ends_at))
    found = period(league, key)
    assert (found.starts_at, found.ends_at) == (utc(starts_at), utc(ends_at))
    assert ranking(league, key) == [(1, "anna", 2.0), (2, "ben", 0.0)]


def test_another_time_zone_of_the_league_moves_the_periods() -> None:
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-31T23:00"))
    change_league(league.pk, {"time_zone": "Asia/Tokyo"})
    assert keys(league) == ["2024-04"]
    assert period(league, "2024-04").starts_at == utc("2024-03-31T15:00")
    close(league, "2024-04")
    league.refresh_from_db()
    problems = refused_problems(lambda: change_league(league.pk, {"time_zone": "UTC"}), Refused)
    assert problems[0][:2] == ("/time_zone", "closed_period")


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"method": "luck", "cadence": "moon", "to_date": date(2024, 1, 1)},
         [("/method", "unknown_method"), ("/cadence", "unknown_cadence"), ("/to", "not_dated")]),
        ({"parameters": {"wins": 3}}, [("/parameters/wins", "invalid")]),
        ({"parameters": {"win": "three"}}, [("/parameters/win", "invalid")]),
        ({"cadence": "dated", "from_date": date(2024, 3, 1)}, [("/from", "missing")]),
        ({"cadence": "dated", "to_date": date(2024, 3, 1)}, [("/from", "missing")]),
        ({"cadence": "dated", "from_date": date(2024, 3, 2), "to_date": date(2024, 3, 1)}, [("/to", "out_of_bounds")]),
        ({"from_date": date(1799, 12, 1)}, [("/from", "out_of_bounds")]),
        ({"from_date": date(9999, 12, 1)}, [("/from", "out_of_bounds")]),
        ({"cadence": "dated", "from_date": date(2024, 3, 2), "to_date": date(2201, 1, 1)}, [("/to", "out_of_bounds")]),
        ({"slug": "Month!"}, [("/slug", "invalid")]),
        ({"slug": ""}, [("/slug", "invalid")]),
        ({"slug": "x" * 51}, [("/slug", "invalid")]),
        ({"title": ""}, [("/title", "invalid")]),
        ({"title": "x" * 121}, [("/title", "invalid")]),
        ({"title": "a\0b"}, [("/title", "nul")]),
    ],
)  # fmt: skip
def test_a_ladder_that_cannot_be_is_invalid(more: dict[str, Any], found: list[tuple[str, str]]) -> None:
    told = [problem[:2] for problem in refused_problems(new(make_league(), **more), Invalid)]
    assert set(found) <= set(told)
    assert len(found) == 1 or told == found, "all that is wrong is told at once"


def test_a_slug_is_taken_once_in_a_league_and_names_nothing_else() -> None:
    league = make_league()
    ladder = make_ladder(league)
    make_ladder(make_league(slug="other"))
    ((pointer, code, sentence),) = refused_problems(new(league), Conflict)
    assert (pointer, code) == ("/slug", "taken")
    assert "already has a ladder “month”" in sentence
    with pytest.raises(NotFound, match="Club has no ladder “week”"):
        find_ladder(league, "week")
    with pytest.raises(NotFound, match="No games were played in March 2024 of the ladder Month"):
        find_period(ladder, "2024-03")
    with pytest.raises(NotFound, match="“March” is not a period; write it like 2024-03"):
        find_period(ladder, "March")
    make_ladder(league, "three", win=3)
    record(league, duel("anna", "ben", "2024-03-05"))
    assert [ranking(league, "2024-03", slug)[0][2] for slug in ("month", "three")] == [1.0, 3.0]
    assert LadderRule.objects.filter(ladder__league=league).count() == 2


def test_a_method_refuses_games_that_it_cannot_rank() -> None:
    league = make_league("barbu")
    ((pointer, code, sentence),) = refused_problems(new(league, method="fide_performance"), Refused)
    assert (pointer, code) == ("/method", "other_system")
    assert "two players; Barbu is for 4" in sentence
    make_ladder(create_league("bare", "Bare"), method="fide_performance")


@pytest.mark.parametrize(
    ("cadence", "day", "text"),
    [
        ("month", (3, 15), "2024-03-15 is within March 2024, .* Choose 2024-03-01 or 2024-04-01"),
        ("week", (3, 1), "2024-03-01 is within Week 9, 2024"),
        ("year", (7, 1), "2024-07-01 is within 2024, .*Choose 2024-01-01 or 2025-01-01"),
        ("all_time", (7, 1), "End this ladder and create a new one"),
    ],
)
def test_a_ladder_does_not_begin_in_mid_period(cadence: str, day: tuple[int, int], text: str) -> None:
    refusal(new(make_league(), cadence=cadence, from_date=date(2024, *day)), Refused, text)


def test_the_cadence_does_not_change_in_mid_period_of_the_old_or_the_new_one() -> None:
    league = make_league()
    make_ladder(league, cadence="quarter")
    ((_, code, sentence),) = refused_problems(rule(league, date(2024, 2, 1), "month"), Refused)
    assert (code, sentence) == (
        "mid_period",
        "2024-02-01 is within Quarter 1, 2024, a period of the current cadence, so periods would overlap. "
        "Choose 2024-01-01 or 2024-04-01.",
    )
    refusal(rule(league, date(2024, 4, 1), "year"), Refused, "2024-04-01 is within 2024, a period of the new cadence")
    rule(league, date(2024, 4, 1), "month")()
    text = "2024-04-01 is within 2024, a period of the new cadence"
    refusal(rule(league, date(2024, 1, 1), "year"), Refused, text)
    # A day has one rule.
    assert refused_problems(rule(league, date(2024, 4, 1)), Conflict)[0][:2] == ("/from", "taken")
    luck = refused_problems(rule(league, date(2024, 7, 1), method="luck"), Invalid)
    assert luck[0][:2] == ("/method", "unknown_method")


def test_dated_periods_do_not_overlap_others() -> None:
    league = make_league()
    make_ladder(league, cadence="dated", from_date=date(2024, 3, 10), to_date=date(2024, 4, 20))
    assert refused_problems(rule(league, date(2024, 4, 1)), Refused)[0][1] == "mid_period"
    rule(league, date(2024, 6, 1))()
    late = rule(league, date(2024, 5, 1), "dated", to_date=date(2024, 6, 1))
    assert "2024-06-01 is within 2024-05-01 to 2024-06-01" in refused_problems(late, Refused)[0][2]
    for day in ("2024-04-20", "2024-04-21", "2024-05-31", "2024-06-01"):
        record(league, duel("anna", "ben", day))
    assert keys(league) == ["2024-03-10--2024-04-20", "2024-06"]


def test_a_rule_ranks_the_periods_that_begin_since_and_no_others() -> None:
    league = make_league()
    make_ladder(league, from_date=date(2024, 2, 1))
    for day in ("2024-01-31", "2024-02-29", "2024-03-01", "2024-06-30"):
        record(league, duel("anna", "ben", day))
    rule(league, date(2024, 3, 1), "month", parameters={"win": 3})()
    rule(league, date(2024, 4, 1), "quarter", parameters={"win": 5})()
    assert keys(league) == ["2024-02", "2024-03", "2024-Q2"]
    assert [ranking(league, key)[0][2] for key in keys(league)] == [1.0, 3.0, 5.0]
    shown = [find_rule_to_show(find_ladder(league, "month"), utc(day), league) for day in ("2023-01-01", "2024-03-31")]
    assert [one.from_date for one in shown] == [date(2024, 2, 1), date(2024, 3, 1)]


def test_no_rule_before_the_end_of_a_published_period() -> None:
    league = make_league()
    make_ladder(league)
    for day in ("2024-03-05", "2024-04-05"):
        record(league, duel("anna", "ben", day))
    close(league, "2024-03")
    ((pointer, code, sentence),) = refused_problems(rule(league, date(2024, 3, 1), parameters={"win": 3}), Refused)
    assert (pointer, code) == ("/from", "closed_period")
    assert sentence == "2024-03 of the ladder Month is published; choose 2024-04-01 or a later day."
    published = period(league, "2024-03").pk
    rule(league, date(2024, 4, 1), parameters={"win": 3})()
    assert (period(league, "2024-03").pk, state(league, "2024-03")) == (published, (True, False))
    assert [ranking(league, key)[0][2] for key in ("2024-03", "2024-04")] == [1.0, 3.0]


def test_a_ladder_is_renamed_and_ended() -> None:
    league = make_league()
    make_ladder(league)
    for day in ("2024-03-05", "2024-04-05"):
        record(league, duel("anna", "ben", day))
    changed = change_ladder(league.pk, "month", {"title": "The month", "ended_on": date(2024, 4, 1)})
    assert changed.title == "The month"
    for settings in ({"title": ""}, {"title": "a\0b"}, {"ended_on": date(1799, 1, 1)}, {"ended_on": date(2201, 1, 1)}):
        change = partial(change_ladder, league.pk, "month", settings)
        assert [problem[0] for problem in refused_problems(change, Invalid)] == [f"/{name}" for name in settings]
    assert keys(league, before="2100-01-01") == ["2024-03"]
    record(league, duel("anna", "ben", "2024-05-05"))
    assert keys(league, before="2100-01-01") == ["2024-03"]
    close(league, "2024-03")
    ended = refused_problems(lambda: change_ladder(league.pk, "month", {"ended_on": date(2024, 3, 1)}), Refused)
    assert ended[0][:2] == ("/ended_on", "closed_period")
    change_ladder(league.pk, "month", {"ended_on": None})
    assert keys(league) == ["2024-03", "2024-04", "2024-05"]


def test_a_time_zone_that_is_gone_is_a_sentence_and_writes_nothing() -> None:
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    League.objects.filter(pk=league.pk).update(time_zone="Mars/Olympus")
    for act in (
        new(league, slug="week", cadence="week"),
        rule(league, date(2024, 5, 1)),
        lambda: change_ladder(league.pk, "month", {"ended_on": date(2024, 5, 1)}),
        lambda: record(league, duel("anna", "ben", "2024-04-05")),
    ):
        refusal(act, UnknownZone, "The time zone “Mars/Olympus” is unknown")
    # What needs no clock goes on: a game in a period that is open, and what a page shows.
    record(league, duel("anna", "ben", "2024-03-06"))
    void_game(league.pk, 1, reason="friendly", username="olga")
    league.refresh_from_db()
    assert ranking(league, "2024-03")[0] == (1, "anna", 1.0)
    assert find_rule_to_show(find_ladder(league, "month"), utc("2024-03-07"), league).method == "points"
