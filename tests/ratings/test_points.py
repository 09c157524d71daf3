"""A plain points table, worked out by hand."""

from random import Random

import pytest

from ratings.columns.tallies import Records
from ratings.contract.method import RatedLine, build_records, build_tallies
from ratings.ladder_methods.points import PointsMethod
from tests.helpers.periods import draw_games, duel, period


def table(scores: tuple[float | None, ...], places: tuple[int | None, ...] = ()) -> list[RatedLine]:
    """Return a game of players 0, 1, 2 …"""
    given = places or (None,) * len(scores)
    return [RatedLine(seat, score, place) for seat, (score, place) in enumerate(zip(scores, given, strict=True))]


@pytest.mark.parametrize(
    ("game", "outcomes"),
    [
        (table((3.0, 1.0)), ["win", "loss"]),
        (table((2.0, 2.0)), ["draw", "draw"]),
        (table((-5.0, -9.0, -5.0)), ["draw", "loss", "draw"]),
        (table((4.0, 9.0, 4.0, 1.0)), ["loss", "win", "loss", "loss"]),
        (table((None, None, None), (2, 1, 3)), ["loss", "win", "loss"]),
        (table((None, None, None), (1, 1, 3)), ["draw", "draw", "loss"]),
        # Places decide where both are there, scores where one place is missing.
        (table((9.0, 1.0), (2, 1)), ["loss", "win"]),
        (table((9.0, 1.0), (2, None)), ["win", "loss"]),
        # Nobody knows how these went.
        (table((None, None)), ["loss", "loss"]),
        (table((7.0, None), (None, 1)), ["loss", "loss"]),
        # Alone at the table is alone at the top.
        (table((7.0,)), ["win"]),
    ],
)
def test_how_a_game_went(game: list[RatedLine], outcomes: list[str]) -> None:
    tallies = build_tallies(PointsMethod(), build_records([game]))
    assert [("win", "draw", "loss")[tallies[line.player].values.index(1.0)] for line in game] == outcomes


def season() -> Records:
    """Return the season of players 1 and 2; 1 has two wins, a draw and three losses; 2.5 points on the sheets."""
    scores = (1.0, 0.0, 0.5, 1.0, 0.0, 0.0)
    return period([duel(1, 2, score) for score in scores])


def test_a_win_is_a_point_and_a_draw_half_a_point() -> None:
    tally = build_tallies(PointsMethod(), season())[1]
    # 2.5 points in six games.
    assert (tally.score, tally.games, tally.why_not) == (2.5, 6, "")
    assert tally.values[:4] == (2.0, 1.0, 3.0, 2.5)
    assert tally.values[4:] == pytest.approx((0.4166666667,))


@pytest.mark.parametrize(
    ("parameters", "score"),
    [
        ({"win": 3, "draw": 1}, 7.0),
        ({"win": 2, "draw": 1, "loss": 0.5}, 6.5),
        ({"win": 0, "draw": 0, "loss": -1}, -3.0),
        ({"count": "scores", "win": 100}, 2.5),
    ],
)
def test_points_are_what_the_league_says(parameters: dict[str, float | str], score: float) -> None:
    assert build_tallies(PointsMethod.from_json(parameters), season())[1].score == score


def test_the_sum_of_scores_adds_up_what_stands_on_the_sheets() -> None:
    games = [
        [RatedLine(1, -250.0), RatedLine(2, 100.0), RatedLine(3, 150.0)],
        [RatedLine(1, 40.5), RatedLine(2, None), RatedLine(3, 0.0)],
    ]
    records = period(games)
    tallies = build_tallies(PointsMethod(count="scores"), records)
    assert {player: tally.score for player, tally in tallies.items()} == {1: -209.5, 2: 100.0, 3: 150.0}
    assert tallies[1].values == (0.0, 0.0, 2.0, -209.5, -104.75)


def test_equal_points_are_decided_by_wins_then_scores_or_not_at_all() -> None:
    assert PointsMethod().chain() == ("wins", "sum")
    assert PointsMethod(ties="share").chain() == ()


def test_points_are_so_much_for_each_win_draw_and_loss_of_every_random_season() -> None:
    random = Random(1)
    for _ in range(200):
        win, draw, loss = (float(random.randint(-3, 3)) for _ in range(3))
        records = period(draw_games(random))
        tallies = build_tallies(PointsMethod(win=win, draw=draw, loss=loss), records)
        for tally, games in zip(tallies.values(), records.counts().tolist(), strict=True):
            wins, draws, losses = (value or 0.0 for value in tally.values[:3])
            assert tally.score == win * wins + draw * draws + loss * losses
            assert wins + draws + losses == tally.games == games
