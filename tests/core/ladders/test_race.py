"""The race of a period: after each evening exactly what the ranking says as it stood then, for every method."""

from datetime import date, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from league.core.games.services.record import void_game
from league.core.ladders.selectors import race as racing
from league.core.ladders.selectors import races as first_page
from league.core.ladders.selectors.ladders import compute_rows_at, find_periods, load_live_rows
from league.core.ladders.selectors.race import Race, build_race
from league.core.ladders.selectors.races import load_current_race, load_race
from league.core.rules.selectors.rules import load_rules
from league.models import League, Period
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, period, utc

pytestmark = pytest.mark.django_db

EIGHT = ("anna", "ben", "cleo", "dan", "eva", "finn", "gina", "hans")
FIRST = utc("2024-03-01T19:30")
METHODS = {
    "erf_mean": "barbu",
    "points": "barbu",
    "best_scores": "barbu",
    "rating_score": "barbu",
    "fide_performance": "elo",
    "challenge": "elo",
    "conservative_rating": "glicko",
}


def month(method: str, evenings: int = 6) -> League:
    """Return a league with games of two on several evenings of a month, a ladder of each method, and games before."""
    system = METHODS[method]
    league = make_league(system, EIGHT, starts={"anna": 150.0, "ben": 50.0})
    parameters: dict[str, Any] = {"minimum": 1} if method == "best_scores" else {}
    make_ladder(league, method=method, **parameters)
    size = 4 if system == "barbu" else 2
    for evening in range(-2, evenings):
        for turn in range(3):
            seats = [EIGHT[(evening * 3 + turn + seat * (1 + turn)) % 8] for seat in range(size)]
            seats = list(dict.fromkeys([*seats, *EIGHT]))[:size]
            scores = [(60, -20, 10, -50)[(seat + evening) % 4] for seat in range(size)]
            if size == 2:
                scores = [1, 0] if (evening + turn) % 3 else [0, 1]
            record(league, sheet(seats, scores, played_at=FIRST + timedelta(days=4 * evening, hours=3 * turn)))
    return league


def read(league: League, one: Period) -> Race:
    """Return the race of a live period."""
    found = build_race(league, one, load_live_rows(one))
    assert found is not None
    return found


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("method", METHODS)
def test_after_each_evening_a_race_says_what_the_ranking_said_then_and_one_of_a_past_moment_ends_there(
    method: str,
) -> None:
    league = month(method)
    one = period(league, "2024-03")
    race = read(league, one)
    # The last game of an evening is played in the small hours of the next day.
    assert [evening.day for evening in race.evenings] == [date(2024, 3, 1) + timedelta(days=4 * n) for n in range(6)]
    assert [runner.handle for runner in race.runners] == [row["player"] for row in load_live_rows(one) if row["rank"]][
        :7
    ]
    ends = [evening.first for evening in race.evenings[1:]] + [one.ends_at]
    for index, moment in enumerate(ends):
        then = {row["player"]: row["score"] for row in compute_rows_at(league, one, moment)}
        for runner in race.runners:
            assert dict(runner.scores).get(index) == then.get(runner.handle), (index, runner.name)
    moment = FIRST + timedelta(days=9)
    ended = build_race(league, one, compute_rows_at(league, one, moment), until=moment)
    assert ended is not None
    assert [evening.day.day for evening in ended.evenings] == [1, 5, 9]


def test_a_player_is_in_the_race_from_the_evening_that_qualifies() -> None:
    league = make_league("elo", EIGHT)
    make_ladder(league, "points", "points", minimum=2)
    # Anna plays on the first three evenings, Cleo on the first and the third, Ben twice on the second.
    for day, pairs in ((1, [("anna", "cleo")]), (5, [("anna", "ben"), ("ben", "dan")]), (9, [("cleo", "anna")])):
        for minute, pair in enumerate(pairs):
            played_at = utc(f"2024-03-{day:02}T19:{minute:02}")
            record(league, sheet(pair, (1, 0), played_at=played_at))
    race = read(league, period(league, "2024-03", "points"))
    assert {runner.handle: (len(runner.scores), runner.qualified_from) for runner in race.runners} == {
        "anna": (3, 1),
        "ben": (2, 1),
        "cleo": (3, 2),
    }


def test_a_race_begins_where_everybody_stands_before_a_game() -> None:
    league = month("erf_mean")
    make_ladder(league, "plain", "erf_mean", factor="none")
    make_ladder(league, "points", "points")
    make_ladder(league, "best", "best_scores", minimum=1)
    assert read(league, period(league, "2024-03")).start == 1000.0
    assert read(league, period(league, "2024-03", "points")).start == 0.0
    assert read(league, period(league, "2024-03", "best")).start is None
    assert read(league, period(league, "2024-03", "plain")).start is None


def test_one_evening_is_no_race() -> None:
    league = month("points", evenings=1)
    one = period(league, "2024-03")
    assert build_race(league, one, load_live_rows(one)) is None
    assert build_race(league, one, []) is None


def test_a_picture_never_contradicts_its_table_and_while_a_correction_is_worked_in_nothing_is_kept() -> None:
    league = month("points")
    one = period(league, "2024-03")
    rows = load_live_rows(one)
    league.stale_from = utc("2024-03-01")
    with patch.object(first_page, "cached", side_effect=AssertionError):
        assert load_race(league, one, rows, load_rules(league)).race is not None
    close(league, "2024-02")
    close(league, "2024-03")
    void_game(league.pk, 12, reason="friendly", username="olga")
    assert build_race(league, one, rows) is None
    assert build_race(league, one, load_live_rows(one)) is not None


def test_every_period_of_every_cadence_has_its_race_or_none_above_a_bound() -> None:
    league = month("points")
    one = period(league, "2024-03")
    with patch.object(racing, "MAX_LINES", 5):
        assert build_race(league, one, load_live_rows(one)) is None
    with patch.object(racing, "EVENINGS", 3):
        thinned = read(league, one)
    assert (thinned.is_thinned, read(league, one).is_thinned) == (True, False)
    days = [evening.day.day for evening in thinned.evenings]
    assert (len(days), days[0], days[-1]) == (3, 1, 21)
    for cadence in ("week", "quarter", "year", "all_time"):
        make_ladder(league, cadence, cadence=cadence)
    found = {
        ladder.slug: sum(build_race(league, one, load_live_rows(one)) is not None for one in find_periods(ladder))
        for ladder in league.ladders.all()
    }
    # Of the evening of Sunday 17 March the last game belongs to the week after.
    assert found == {"month": 2, "week": 4, "quarter": 1, "year": 1, "all_time": 1}


def test_who_is_not_ranked_does_not_race() -> None:
    league = make_league()
    make_ladder(league, minimum=2)
    for day in ("2024-03-01", "2024-03-02"):
        record(league, duel("anna", "ben", day))
    record(league, duel("cleo", "dan", "2024-03-03"))
    assert [runner.handle for runner in read(league, period(league, "2024-03")).runners] == ["anna", "ben"]


def test_those_who_share_the_last_rank_race_too_if_they_are_few() -> None:
    league = make_league(players=EIGHT)
    make_ladder(league, ties="share")
    for day in ("2024-03-01", "2024-03-02"):
        for pair in (EIGHT[:2], EIGHT[2:4], EIGHT[4:6], EIGHT[6:]):
            record(league, duel(*pair, day))
    one = period(league, "2024-03")
    rows = load_live_rows(one)
    winners = ["anna", "cleo", "eva", "gina"]
    assert [row["player"] for row in rows if row["rank"] == 1] == winners
    # Three more than one are too many, two more than two are not.
    for asked, shown in ((1, winners[:1]), (2, winners), (3, winners), (4, winners)):
        race = build_race(league, one, rows, max_runners=asked)
        assert race is not None
        assert [runner.handle for runner in race.runners] == shown


def in_play_then(league: League, when: datetime) -> tuple[str, str] | None:
    """Return ladder and period that a league shows first."""
    with clock(when):
        found = load_current_race(league, load_rules(league), when)
    return (found.period.ladder.slug, found.period.key) if found else None


def test_a_league_shows_the_period_in_play_with_the_shortest_cadence() -> None:
    league = make_league()
    for cadence in ("all_time", "year", "quarter"):
        make_ladder(league, cadence, cadence=cadence)
    record(league, duel("anna", "ben", "2024-03-01"))
    assert in_play_then(league, utc("2024-03-20")) == ("quarter", "2024-Q1")
    make_ladder(league)
    assert in_play_then(league, utc("2024-03-20")) == ("month", "2024-03")
    assert in_play_then(league, utc("2024-04-20")) == ("year", "2024")
    assert in_play_then(league, utc("2025-04-20")) is None
    with patch.object(first_page, "PEOPLE", 1):
        assert in_play_then(league, utc("2024-03-20")) is None


def test_a_race_is_kept_until_the_books_or_the_ranking_change(django_assert_num_queries: Any) -> None:
    league = month("points")
    one, rules = period(league, "2024-03"), load_rules(league)
    first = load_race(league, one, load_live_rows(one), rules, moves=True)
    rows = load_live_rows(one)
    with django_assert_num_queries(1):  # the state of the books
        assert load_race(league, one, rows, rules, moves=True) == first
    assert first.ranks == {
        row["player"]: row["rank"] for row in compute_rows_at(league, one, FIRST + timedelta(days=20))
    }
    record(league, sheet(EIGHT[:4], (60, -20, 10, -50), played_at=utc("2024-03-25")))
    after = load_race(league, one, load_live_rows(one), rules, moves=True)
    assert after.race is not None
    assert len(after.race.evenings) == 7
    void_game(league.pk, 4, reason="friendly", username="olga")
    assert load_race(league, one, load_live_rows(one), rules, moves=True) == first_page.compute_race(
        league, one, load_live_rows(one), rules, None, 7, moves=True
    )
    assert load_race(league, one, load_live_rows(one)[:3], rules).race is not None
