"""Standings are right in the same transaction as the game, and stay what a replay from nothing gives."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.core.dispatch import sweep
from league.core.errors import Conflict
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import correct_game, void_game
from league.core.ladders.selectors.ladders import load_live_rows
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.players import set_initial_rating
from league.models import Game, League, Period, Standing
from tests.helpers.builders import derived, make_league, record, sheet
from tests.helpers.drawn_sheets import SIX, SLUGS, replay_from_nothing
from tests.helpers.ladder_builders import duel, make_ladder, ranking, standings, utc
from tests.helpers.tiers import examples, long_way, mark_slow

pytestmark = pytest.mark.django_db
#: Days on both sides of the edges of weeks, months, a quarter and a year; the league's zone is Paris.
DAYS = (
    "2023-12-31T22:59:59", "2023-12-31T23:00", "2024-01-07T12:00", "2024-01-08T12:00", "2024-01-31T23:00",
    "2024-03-31T21:59:59", "2024-03-31T22:00",
)  # fmt: skip

#: Each world: system, parameters, players at a table, and slug -> method, cadence, parameters.
WORLDS: dict[str, tuple[str, Mapping[str, Any], int, Mapping[str, tuple[str, str, Mapping[str, Any]]]]] = {
    "barbu, everybody pays": (
        "barbu",
        {"zero_sum": "league"},
        4,
        {
            "strength": ("rating_score", "week", {"rounding": "none"}),
            "evidence": ("rating_score", "quarter", {"rounding": "none", "evidence": "period", "minimum": 2}),
            "month": ("erf_mean", "month", {}),
            "zester": ("best_scores", "year", {"best": 2, "minimum": 2}),
        },
    ),
    "elo": (
        "elo",
        {"provisional_games": 3},
        2,
        {
            "fide": ("fide_performance", "month", {"unrated": "skip_game"}),
            "appo": ("fide_performance", "quarter", {"rank_by": "appo", "unrated": 1400}),
            "table": ("points", "week", {"win": 3, "draw": 1}),
            "ever": ("points", "all_time", {"count": "scores"}),
            "rating": ("rating_score", "month", {}),
            "order": ("challenge", "month", {}),
            "club": ("challenge", "all_time", {"places": 2, "cooldown": 8, "absence": 20}),
        },
    ),
    "glicko2": (
        "glicko2",
        {},
        2,
        {
            "sure": ("conservative_rating", "month", {}),
            "surer": ("conservative_rating", "quarter", {"deviations": 3, "minimum": 2}),
        },
    ),
    "serpentine": (
        "serpentine",
        {},
        3,
        {
            "table": ("points", "month", {}),
            "best": ("best_scores", "week", {}),
            "order": ("challenge", "quarter", {}),
        },
    ),
}

#: World -> day -> the parameters from then on.
RULES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "barbu, everybody pays": {
        "2024-01-08": {"zero_sum": "table"}, "2024-02-01": {"zero_sum": "league", "half_life": 20},
    },
    "elo": {"2024-04-01": {"k": 10}},
}  # fmt: skip

#: What to do, when, who, what scores, and which game.
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["record", "record", "record", "void", "correct"]),
        st.integers(0, len(DAYS) - 1),
        st.permutations(SIX),
        st.lists(st.integers(0, 3), min_size=4, max_size=4),
        st.integers(1, 12),
    ),
    min_size=1,
    max_size=12,
)


def make_world(world: str) -> League:
    """Make a league with its ladders."""
    system, parameters, _, ladders = WORLDS[world]
    league = make_league(
        system, SIX, slug=next(SLUGS), parameters=parameters, starts={"anna": 1234.0}, time_zone="Europe/Paris"
    )
    for slug, (method, cadence, more) in ladders.items():
        make_ladder(league, slug, method, cadence, **more)
    for day, changed in RULES.get(world, {}).items():
        adopt_rule(league.pk, system, changed, date.fromisoformat(day), username="olga")
    return league


def take(league: League, size: int, step: Any) -> None:
    """Do one step; nothing where it hits a game that is void or not there."""
    what, day, seats, scores, number = step
    new: NewGame = sheet(seats[:size], scores[:size], played_at=utc(DAYS[day]))
    if what == "record":
        record(league, new)
    elif Game.objects.filter(league=league, number=number).exists():
        try:
            if what == "void":
                void_game(league.pk, number, reason="a friendly", username="test")
            else:
                correct_game(league.pk, number, new, reason="misread", username="test")
        except Conflict:
            assert Game.objects.get(league=league, number=number).voided_at is not None


def from_nothing(league: League) -> list[Any]:
    """Throw away everything derived of the ladders, replay, and return the standings."""
    Standing.objects.filter(period__ladder__league=league).delete()
    Period.objects.filter(ladder__league=league).delete()
    replay_from_nothing(league)
    return standings(league)


@long_way
@pytest.mark.parametrize("world", mark_slow(WORLDS, "Other systems.", but=["elo", "barbu", "durak", "preferans"]))
@settings(max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS)
def test_steps_one_upon_another_end_as_a_replay_from_nothing(world: str, steps: list[Any]) -> None:
    league = make_world(world)
    for step in steps:
        take(league, WORLDS[world][2], step)
    now, books = standings(league), derived(league)
    replay_from_nothing(league, compiled=True)
    assert (standings(league), derived(league)) == (now, books)
    assert from_nothing(league) == now


@long_way
@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS)
def test_a_replay_left_to_celery_brings_the_standings_with_it(steps: list[Any]) -> None:
    league = make_world("barbu, everybody pays")
    with override_settings(RUNGS_INLINE_GAMES=0):
        for step in steps:
            take(league, 4, step)
    sweep.run_due_replay(league.pk)
    now = standings(league)
    assert from_nothing(league) == now


@long_way
def test_a_ladder_made_later_ranks_as_one_that_was_there_from_the_beginning() -> None:
    league = make_world("elo")
    make_ladder(league, "early", "points")
    for minute in range(8):
        seats = (SIX[minute % 3], SIX[3 + minute % 2])
        record(league, sheet(seats, (minute % 2, 1 - minute % 2), played_at=utc(DAYS[minute % 7])))
    make_ladder(league, "late", "points")
    early, late = ([row[1:] for row in standings(league) if row[0] == slug] for slug in ("early", "late"))
    assert (early == late, len(early) > 5) == (True, True)


def test_a_game_writes_the_standings_of_its_players_only() -> None:
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("cleo", "dan", "2024-03-11"))
    # Of whoever is written, the planted figure goes.
    Standing.objects.update(value_6=-1.0)
    record(league, duel("anna", "dan", "2024-03-12"))
    untouched = Standing.objects.filter(value_6=-1.0).values_list("player__handle", flat=True)
    assert (set(untouched), Standing.objects.count()) == ({"ben", "cleo"}, 4)


def test_where_the_pool_moves_everybody_a_game_moves_the_standings_of_those_who_did_not_play() -> None:
    league = make_league("barbu", [*SIX, "gina", "hans"], parameters={"zero_sum": "league"})
    make_ladder(league, "strength", "rating_score", rounding="none", evidence_penalty=0)
    record(league, sheet(SIX[:4], (100, 20, -40, -80), played_at=utc("2024-03-10")))
    record(league, sheet(("eva", "finn", "gina", "hans"), (40, 40, 40, 40), played_at=utc("2024-03-11")))
    # Four newcomers gain 40 each; all eight pay 20.
    expected = {"anna": 80.0, "ben": 0.0, "cleo": -60.0, "dan": -100.0, "eva": 20.0, "hans": 20.0}
    told = {player: score for _, player, score in ranking(league, "2024-03", "strength")}
    assert {player: told[player] for player in expected} == pytest.approx(expected, abs=1e-12)


def test_a_rating_of_the_month_is_the_one_at_its_end_not_todays() -> None:
    league = make_league(parameters={"k": 32})
    make_ladder(league, "rating", "rating_score", evidence_penalty=0)
    record(league, duel("anna", "ben", "2024-03-31T23:59:59"))
    record(league, duel("ben", "anna", "2024-04-01"))
    assert ranking(league, "2024-03", "rating") == [(1, "anna", 1516.0), (2, "ben", 1484.0)]
    assert ranking(league, "2024-04", "rating")[0][1] == "ben"


def test_fide_reads_the_ratings_from_before_the_period() -> None:
    league = make_league(parameters={"k": 32}, starts={"anna": 1600, "ben": 1800})
    make_ladder(league, "fide", "fide_performance")
    record(league, duel("anna", "ben", "2024-03-10"))
    # 1/1 against 1800 is 1800 + 800; 0/1 against 1600 is 1600 - 800.
    assert ranking(league, "2024-03", "fide") == [(1, "anna", 2600.0), (2, "ben", 800.0)]
    record(league, duel("anna", "ben", "2024-04-10"))
    # April begins with Ben's rating after March: 1800 - 32 / (1 + 10^(-200/400)) = 1775.69, whole 1776.
    assert ranking(league, "2024-04", "fide") == [(1, "anna", 2576.0), (2, "ben", 824.0)]
    record(league, duel("cleo", "dan", "2024-04-11"))
    assert ranking(league, "2024-04", "fide")[2:] == [(None, "cleo", None), (None, "dan", None)]
    set_initial_rating(league.pk, Game.objects.get(number=3).results.get(seat=2).player, 1500)
    assert ranking(league, "2024-04", "fide")[1:] == [
        (2, "cleo", 2300.0), (3, "ben", 824.0), (None, "dan", None),
    ]  # fmt: skip


def test_ladders_rank_the_lowest_scores_first_where_the_lowest_wins() -> None:
    league = make_league("preferans", ("anna", "ben", "cleo"), parameters={"winner": "lowest"})
    ladders: dict[str, tuple[str, dict[str, Any]]] = {
        "outcomes": ("points", {}),
        "sums": ("points", {"count": "scores"}),
        "best": ("best_scores", {"best": 1, "minimum": 1}),
    }
    for slug, (method, parameters) in ladders.items():
        create_ladder(league.pk, slug, slug, RankingRule(method, "all_time", parameters), username="test")
    record(league, sheet(("anna", "ben", "cleo"), (-30, 10, 20), details={"bula": 30}))
    record(league, sheet(("anna", "ben", "cleo"), (-10, -10, 20), details={"bula": 30}, minutes=5))

    def figures(slug: str, column: str = "") -> list[tuple[int | None, str, float | None]]:
        rows = load_live_rows(Period.objects.get(ladder__slug=slug))
        return [(row["rank"], row["player"], row["columns"][column] if column else row["score"]) for row in rows]

    # Scores are negated first, as the ratings do it (rulings R1 and R113): 30 and 10 for anna, -10 and 10 for ben.
    assert figures("outcomes") == [(1, "anna", 1.5), (2, "ben", 0.5), (3, "cleo", 0.0)]
    sums = [(1, "anna", 40.0), (2, "ben", 0.0), (3, "cleo", -40.0)]
    assert (figures("sums"), figures("outcomes", "sum")) == (sums, sums)
    assert figures("best") == [(1, "anna", 30.0), (2, "ben", 10.0), (3, "cleo", -20.0)]
    # A replay of everything gives the same as adding one game to another did.
    before = standings(league)
    replay_from_nothing(league)
    assert standings(league) == before


def test_a_ladder_over_two_rules_counts_each_score_as_the_rule_of_its_game_does() -> None:
    league = make_league("preferans", ("anna", "ben", "cleo"), parameters={"winner": "lowest"})
    create_ladder(league.pk, "sums", "Sums", RankingRule("points", "all_time", {"count": "scores"}), username="test")
    record(league, sheet(("anna", "ben", "cleo"), (-30, 10, 20), details={"bula": 30}))
    adopt_rule(league.pk, "preferans", {"winner": "highest"}, date(2024, 4, 1), username="test")
    record(league, sheet(("anna", "ben", "cleo"), (5, 0, -5), details={"bula": 30}, minutes=60 * 24 * 40))
    rows = load_live_rows(Period.objects.get())
    assert [(row["player"], row["score"]) for row in rows] == [("anna", 35.0), ("ben", -10.0), ("cleo", -25.0)]
