"""The sample boards of new leagues: games that every system accepts, rated as they would be in a league."""

import pytest

from ratings.contract.system import RatingSystem
from ratings.describe.sample_board import FINISHES, NAMES, SHOWN, build_sheet, compute_sample_board
from ratings.registry import load_systems
from ratings.systems.elo import Elo


def compute_elo_of_pairs(k: float, start: float) -> dict[str, float]:
    """Return the ratings after the sample games of two by Elo's formula: two players sit out in turn."""
    ratings = dict.fromkeys(range(4), start)
    for number, order in enumerate(FINISHES):
        winner, loser = (one for one in order if one not in (number % 4, (number + 1) % 4))
        expected = 1 / (1 + 10 ** ((ratings[loser] - ratings[winner]) / 400))
        ratings[winner] += k * (1 - expected)
        ratings[loser] -= k * (1 - expected)
    return {NAMES[one]: rating for one, rating in ratings.items()}


def test_the_sample_of_games_of_two_is_rated_by_elos_formula() -> None:
    board = compute_sample_board(Elo(k=20), 2)
    expected = sorted(compute_elo_of_pairs(20, 1500).items(), key=lambda row: -row[1])[:SHOWN]
    assert [row.name for row in board.rows] == [name for name, _ in expected]
    assert [row.score for row in board.rows] == pytest.approx([rating for _, rating in expected], abs=1e-9)
    assert [row.rank for row in board.rows] == [1, 2, 3]


@pytest.mark.parametrize("system", [kind() for kind in load_systems().values()], ids=lambda one: one.key)
def test_every_system_accepts_the_games_and_ranks_the_first_three(system: RatingSystem) -> None:
    for seats in (None, 2, 3):
        size = min(seats or 4, system.max_players)
        if size < system.min_players:
            continue
        assert system.check(build_sheet(system, size)) == []
        board = compute_sample_board(system, seats)
        scores = [row.score for row in board.rows]
        assert len(scores) == SHOWN
        assert scores == sorted(scores, reverse=True)
        assert [line[-1] for line in board.lines] == scores
        assert {len(line) for line in board.lines} == {len(FINISHES) + 1}


def test_boards_of_one_system_differ_by_their_turn() -> None:
    boards = {compute_sample_board(Elo(), None, turn).rows for turn in range(2 * len(FINISHES))}
    assert len(boards) == 2 * len(FINISHES)


def test_the_lowest_score_wins_if_a_league_says_so() -> None:
    highest, lowest = (load_systems()["barbu"].from_json({"winner": winner}) for winner in ("highest", "lowest"))
    sheets = [build_sheet(system, 4).scores for system in (highest, lowest)]
    assert sheets[1] == sheets[0][::-1]
    assert compute_sample_board(lowest, None).rows[0].name == NAMES[0]
