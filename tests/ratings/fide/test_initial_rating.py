"""FIDE's first ratings: worked out by hand, and their bounds."""

from fractions import Fraction
from random import Random

import pytest

from ratings.fide.initial_rating import compute_initial_rating
from ratings.fide.rating_change import FideGame
from tests.helpers.tiers import examples


def play(*games: tuple[int, float]) -> list[FideGame]:
    """Return games: the opponent's rating and the points."""
    return [FideGame(rating, int(2 * points)) for rating, points in games]


@pytest.mark.parametrize(
    ("games", "rating", "reason"),
    [
        # A rating that FIDE published: 5 games, 3 points, opponents who sum to 9507. (9507 + 3600) / 7 = 1872.43,
        # 4 of 7 are 57 %, +50: 1922.43.
        (play((1907, 1), (1900, 1), (1900, 1), (1900, 0), (1900, 0)), 1922, ""),
        # (5 x 1400 + 3600) / 7 = 1514.29; 1.5 of 7 are 21 %, -230: 1284.29, below the floor.
        (play((1400, 0.5), *[(1400, 0)] * 4), 1284, "floor"),
        # (5 x 2400 + 3600) / 7 = 2228.57 and 86 %: more than 2200.
        (play(*[(2400, 1)] * 5), 2200, ""),
        # (4 x 1800 + 3600) / 6 = 1800; 3 of 6.
        (play((1800, 1), (1800, 1), (1800, 0), (1800, 0)), 1800, "games"),
        (play(*[(1500, 0)] * 5), 1276, "no_points"),
        ([], 1800, "no_points"),
    ],
)
def test_first_ratings_by_hand(games: list[FideGame], rating: int, reason: str) -> None:
    found = compute_initial_rating(games)
    assert (found.reason, found.games) == (reason, len(games))
    assert found.games_to_go == max(0, 5 - len(games))
    if reason != "no_points":
        assert found.rating == rating


def test_the_average_is_not_rounded_before_the_sum() -> None:
    # (1900 + 1901 + 1901 + 1901 + 1901 + 3600) / 7 = 1872; one point more on one opponent: 1872 1/7.
    found = compute_initial_rating(play((1901, 1), (1901, 1), (1901, 1), (1901, 0), (1901, 0)))
    assert found.average == Fraction(13105, 7)
    assert (found.difference, found.rating) == (50, 1922)


def test_first_ratings_stay_in_their_bounds_and_rise_with_points() -> None:
    random = Random(53)
    for _ in range(examples(200)):
        opponents = [random.randint(1400, 2850) for _ in range(random.randint(1, 11))]
        halves = [random.randint(0, 2) for _ in opponents]
        games = [FideGame(*one) for one in zip(opponents, halves, strict=True)]
        found = compute_initial_rating(games)
        assert found.rating <= 2200
        better = [game._replace(half_points=2) for game in games]
        assert compute_initial_rating(better).rating >= found.rating
        assert compute_initial_rating(games[::-1]) == found
