"""A league of six games that one can work out by hand: sides, pairs, evenings, baselines, standing."""

import math
from random import Random

import numpy as np
import pytest

from ratings.laboratory.findings import Entrant, EntrantFigures
from ratings.laboratory.forecasting import build_even_forecast, build_points_forecast, compute_forecast
from ratings.laboratory.judging import DECIDED, LOSS, PAIRS, RIGHT, judge, select_judged_pairs
from ratings.laboratory.resampling import compute_interval
from ratings.laboratory.running import run_games
from ratings.laboratory.standing import (
    compute_inflation,
    compute_newcomer_accuracy,
    compute_ratings_at,
    compute_stability,
    find_games_to_be_known,
)
from ratings.laboratory.tables import build_side_tables
from ratings.systems.barbu import Barbu
from ratings.systems.elo import Elo
from tests.ratings.laboratory.games import columns, drawn_league, placed, scored

SIX = [
    scored(1, ada=3, bob=1),
    scored(1, bob=2, cem=2),
    placed(2, "ada", "cem", "bob"),
    scored(4, cem=5, ada=1),
    placed(4, "bob", "cem"),
    scored(9, ada=1, bob=0),
]


def nobody(share: float) -> None:
    """Hear how far it is."""


def test_pairs_are_those_of_the_sheets() -> None:
    tables = build_side_tables(columns(SIX))
    (block,) = tables.pairs(0, 6)
    names = ["ada", "bob", "cem"]
    rows = [names[player] for player in tables.played.players.tolist()]
    told = [
        (rows[left], rows[right], came, evening)
        for left, right, came, evening in zip(
            block.left.tolist(), block.right.tolist(), block.came.tolist(), block.evening.tolist(), strict=True
        )
    ]
    assert sorted(told) == sorted(
        [
            ("ada", "bob", 1.0, 0),
            ("bob", "cem", 0.5, 0),
            ("ada", "cem", 1.0, 1),
            ("ada", "bob", 1.0, 1),
            ("cem", "bob", 1.0, 1),
            ("cem", "ada", 1.0, 2),
            ("bob", "cem", 1.0, 2),
            ("ada", "bob", 1.0, 3),
        ]
    )
    assert tables.nth.tolist() == [1, 1, 2, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5]


def test_games_are_worked_through_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = build_side_tables(columns(SIX))
    whole = list(tables.pairs(1, 6))
    monkeypatch.setattr("ratings.laboratory.tables.BLOCK", 2)
    parts = list(tables.pairs(1, 6))
    assert [len(part.came) for part in parts] == [1, 3, 2, 1]
    assert sorted(np.concatenate([part.left for part in parts]).tolist()) == sorted(whole[0].left.tolist())


def test_the_lower_score_wins_where_it_does() -> None:
    tables = build_side_tables(columns([scored(1, ada=3, bob=1)], lowest_wins=True))
    assert next(iter(tables.pairs(0, 1))).came.tolist() == [0.0]


def test_pairs_of_which_nobody_knows_who_was_ahead_are_left_out() -> None:
    played = columns([placed(1, "ada", "bob", "cem")], places=np.array([1.0, np.nan, 2.0]))
    (block,) = build_side_tables(played).pairs(0, 1)
    assert (block.left.tolist(), block.right.tolist(), block.came.tolist()) == ([0], [2], [1.0])


def test_partners_are_one_side() -> None:
    played = columns(
        [placed(1, "ada", "bob", "cem", "dee"), scored(2, ada=1, bob=0)],
        places=np.array([1.0, 2.0, 1.0, 2.0, np.nan, np.nan]),
        sides=np.array([7.0, 3.0, 7.0, 3.0, np.nan, np.nan]),
    )
    tables = build_side_tables(played)
    assert tables.partners
    assert tables.captains.tolist() == [0, 1, 4, 5]
    assert tables.of.tolist() == [0, 1, 0, 1, 2, 3]
    (block,) = tables.pairs(0, 2)
    assert sorted(zip(block.left.tolist(), block.right.tolist(), block.came.tolist(), strict=True)) == [
        (0, 1, 1.0),
        (2, 3, 1.0),
    ]
    assert tables.newest.tolist() == [1, 1, 2, 2]


def test_points_per_game_by_hand() -> None:
    # Shares: ada 1, 1, 0, 1; bob 0, ½, 0, 1, 0; cem ½, ½, 1, 0. Before a game: the mean of those before.
    tables = build_side_tables(columns(SIX))
    rating = build_points_forecast(tables).rating.tolist()
    assert rating[:2] == [0.5, 0.5]
    assert rating[2:4] == [0.0, 0.5]
    assert rating[4:7] == [1.0, 0.5, 0.25]
    assert rating[7:9] == [0.5, 1.0]
    assert rating[9:11] == [pytest.approx(0.5 / 3), pytest.approx(2 / 3)]
    assert rating[11:] == [pytest.approx(2 / 3), pytest.approx(1.5 / 4)]


def test_the_baselines_are_judged_by_hand() -> None:
    tables = build_side_tables(columns(SIX))
    judged = select_judged_pairs(tables, 1)
    assert judged.evenings[:, PAIRS].tolist() == [1, 3, 2, 1]
    assert judged.evenings[:, DECIDED].tolist() == [0, 3, 2, 1]
    level = judge(build_even_forecast(tables), tables, judged, 1)
    assert level.evenings[:, RIGHT].tolist() == [0, 1.5, 1, 0.5]
    assert level.evenings[:, LOSS].tolist() == pytest.approx([n * math.log(2) for n in (1, 3, 2, 1)])
    # ada over cem and bob is right, cem over bob too; cem over ada was not seen coming, nor bob over cem; ada over bob.
    points = judge(build_points_forecast(tables), tables, judged, 1)
    assert points.evenings[:, RIGHT].tolist() == [0, 3, 0, 1]
    assert not points.promises


def test_a_pair_that_was_promised_nothing_came_halfway_whoever_sat_first() -> None:
    games = [scored(day, **{f"a{day}": 1, f"b{day}": 0}) for day in range(12)]
    tables = build_side_tables(columns(games))
    judged = select_judged_pairs(tables, 0)
    forecast, _ = compute_forecast(Elo(), tables, nobody, compiled=False)
    entrant = Entrant("elo", "Elo", {}, "Elo", judge(forecast, tables, judged, 0))
    (one,) = EntrantFigures([entrant], judged, 50, 1).calibration(entrant)
    assert (one.promised, one.came, one.low, one.high, one.pairs) == (0.5, 0.5, 0.5, 0.5, 12)


def test_an_interval_leaves_out_a_fortieth_on_either_side() -> None:
    assert compute_interval(np.arange(1001.0)) == pytest.approx((25.0, 975.0))
    assert compute_interval(np.array([1.0, np.nan])) is None


def test_ratings_at_a_moment_have_what_the_league_was_moved_by() -> None:
    names = ["ada", "bob", "cem", "dee", "eve", "fay"]
    games = [
        scored(day, **dict(zip(Random(day).sample(names, 4), (30.0, -10.0, -20.0, 5.0), strict=True)))
        for day in range(40)
    ]
    tables = build_side_tables(columns(games))
    found = run_games(Barbu(zero_sum="league"), tables, nobody)
    # Whoever has played shares what the table gained: the league sums to nothing after every game.
    for number in (10, 25, 40):
        assert np.nansum(compute_ratings_at(found, tables, number)) == pytest.approx(0.0, abs=1e-9)


def test_ratings_at_a_moment_are_those_of_the_last_games() -> None:
    tables = build_side_tables(columns(SIX))
    found = run_games(Elo(), tables, nobody)
    assert np.isnan(compute_ratings_at(found, tables, 0)).all()
    one = compute_ratings_at(found, tables, 1).tolist()
    assert one[:2] == [1510.0, 1490.0]
    assert math.isnan(one[2])
    assert compute_ratings_at(found, tables, 6).sum() == pytest.approx(4500.0)


def test_the_level_of_the_active_is_told_by_parts_of_the_games() -> None:
    tables = build_side_tables(columns(SIX))
    levels = compute_inflation(run_games(Elo(), tables, nobody), tables)
    assert [level.players for level in levels] == [2, 2, 3, 2, 2, 2]
    assert levels[0].mean == pytest.approx(1500.0)
    assert [level.day for level in levels] == [1, 1, 2, 4, 4, 9]


def test_stability_needs_players_who_have_played() -> None:
    tables = build_side_tables(columns(SIX))
    assert compute_stability(run_games(Elo(), tables, nobody), tables) is None


def test_an_order_that_stays_has_not_moved() -> None:
    tables = build_side_tables(columns(drawn_league(4000, seed=1, players=8, strength=200)))
    found = compute_stability(run_games(Elo(k=4), tables, nobody), tables)
    assert found is not None
    assert found.players == 8
    assert found.moved < 0.6
    assert found.kept > 0.9
    # Ratings that never move have no order.
    assert compute_stability(run_games(Elo(k=0), tables, nobody), tables) is None


def test_stability_by_hand() -> None:
    names = [f"p{number}" for number in range(5)]
    # A ladder of five, each beaten by those below five times; then the last one beats the first one five times.
    ladder = [scored(1, **{names[j]: 1.0, names[i]: 0.0}) for _ in range(5) for i in range(5) for j in range(i)]
    upset = [scored(2, p4=1.0, p0=0.0)] * 16
    tables = build_side_tables(columns(ladder + upset))
    found = run_games(Elo(k=40), tables, nobody)
    middle = len(ladder + upset) - len(ladder + upset) // 4
    before, after = compute_ratings_at(found, tables, middle), compute_ratings_at(found, tables, len(ladder + upset))
    moved = [abs(np.argsort(np.argsort(-before))[i] - np.argsort(np.argsort(-after))[i]) for i in range(5)]
    told = compute_stability(found, tables)
    assert told is not None
    assert sum(moved) > 0
    assert told.moved == pytest.approx(sum(moved) / 5)


def test_newcomers_are_told_by_their_games() -> None:
    decided = np.array([200, 200, 200, 400, 99, 200, 200, 1000.0])
    right = np.array([100, 110, 141, 290, 80, 145, 142, 730.0])
    found = compute_newcomer_accuracy(right, decided)
    assert [(one.first, one.last) for one in found[:5]] == [(1, 1), (2, 2), (3, 3), (4, 5), (6, 10)]
    assert (found[-1].first, found[-1].last) == (51, 0)
    assert found[4].accuracy is None
    # 51 and later: 73 %. From game 11 on within two points of it; of games 6 to 10 too little is known.
    assert found[6].accuracy == 0.71
    assert find_games_to_be_known(found) == 11
    known = compute_newcomer_accuracy(
        np.array([100, 110, 141, 290, 143, 145, 142, 730.0]), np.where(decided == 99, 200, decided)
    )
    assert find_games_to_be_known(known) == 4
    slow = compute_newcomer_accuracy(np.array([100, 110, 141, 290, 80, 145, 100, 730.0]), decided)
    assert find_games_to_be_known(slow) == 51
    assert find_games_to_be_known(compute_newcomer_accuracy(np.full(8, 150.0), np.full(8, 200.0))) == 1
    assert find_games_to_be_known(compute_newcomer_accuracy(np.full(8, 50.0), np.full(8, 60.0))) is None


def test_a_measure_without_a_pair_in_a_draw_has_no_interval() -> None:
    # Of ten evenings one alone has a decided pair: many draws have none.
    games = [scored(day, ada=1, bob=1) for day in range(11)] + [scored(11, ada=1, cem=0)]
    tables = build_side_tables(columns(games))
    judged = select_judged_pairs(tables, 0)
    forecast, _ = compute_forecast(Elo(), tables, nobody, compiled=False)
    entrant = Entrant("elo", "Elo", {}, "Elo", judge(forecast, tables, judged, 0))
    found = EntrantFigures([entrant], judged, 200, 1)
    estimate = found.estimate(entrant, "order_accuracy")
    # Nobody was ahead before the games: half a point.
    assert (estimate.value, estimate.low) == (0.5, None)
    assert estimate.why_not is not None
    assert found.estimate(entrant, "log_loss").low is not None
