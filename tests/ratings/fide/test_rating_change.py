"""FIDE's rating changes: examples worked out by hand with their sources, and laws of the sums."""

from datetime import date
from fractions import Fraction
from random import Random

import pytest

from ratings.fide.rating_change import FideGame, choose_k, compute_rating_change, limit_differences, limit_k
from tests.helpers.tiers import examples

BEFORE, SINCE_2024, SINCE_2025 = date(2024, 2, 29), date(2024, 3, 1), date(2025, 10, 1)
TODAY = date(2026, 11, 29)


def change(rating: int, games: list[tuple[int, float]], k: int, day: date = TODAY) -> Fraction:
    """Return the unrounded change by games: the opponent's rating and the points."""
    return compute_rating_change(rating, [FideGame(one, int(2 * points)) for one, points in games], k, day).total


@pytest.mark.parametrize(
    ("rating", "games", "k", "day", "wanted"),
    [
        # ChessBase, 30 September 2025: 11 wins of the second of the world against at most 2250 were worth 0.8 each.
        (2807, [(2250, 1)] * 11, 10, date(2025, 9, 1), "8.8"),
        # Since then a win against 2250 is worth .03 x 10: the difference of 557 gives .97.
        (2807, [(2250, 1)] * 11, 10, SINCE_2025, "3.3"),
        # FIDE's page of a game 2813 against 2400: .93 for the one, and the other meets "2800 *", .08.
        (2813, [(2400, 1)], 10, date(2025, 10, 31), "0.7"),
        (2400, [(2813, 0)], 20, date(2025, 10, 31), "-1.6"),
        # 8.1.2: 0-3 is .50, 4-10 .51; 392-411 .92.
        (2000, [(1997, 0.5)], 20, TODAY, "0"),
        (2000, [(1996, 0.5)], 20, TODAY, "-0.2"),
        (1600, [(2000, 1)], 40, TODAY, "36.8"),
        # .64 + .50 + .36 of 100, 0 and -100 points: 2 points are .50 more.
        (1900, [(1800, 1), (1900, 0.5), (2000, 0.5)], 20, TODAY, "10"),
        (1900, [], 20, TODAY, "0"),
    ],
)
def test_changes_by_hand(rating: int, games: list[tuple[int, float]], k: int, day: date, wanted: str) -> None:
    assert change(rating, games, k, day) == Fraction(wanted)


def test_the_expected_points_are_those_of_the_games() -> None:
    # .64 + .50 + .36 for 100, 0 and -100 points; .64 + .50 alone.
    games = [FideGame(rating, 1) for rating in (1800, 1900, 2000)]
    assert compute_rating_change(1900, games, 20, TODAY).expected == Fraction(3, 2)
    assert compute_rating_change(1900, games[:2], 20, TODAY).expected == Fraction(114, 100)


@pytest.mark.parametrize(
    ("day", "rating", "is_standard", "wanted"),
    [
        # Until February 2024 the weakest opponent alone counts as stronger; a stronger one always counts as weaker.
        (BEFORE, 2000, True, [400, 450, -400, 100]),
        (SINCE_2024, 2000, True, [400, 400, -400, 100]),
        (date(2025, 9, 30), 2650, True, [400, 400, -400, 100]),
        (SINCE_2025, 2649, True, [400, 400, -400, 100]),
        (SINCE_2025, 2650, True, [500, 450, -410, 100]),
        # Rapid and blitz have no exception.
        (SINCE_2025, 2650, False, [400, 400, -400, 100]),
    ],
)
def test_differences_by_the_form_of_the_day(day: date, rating: int, is_standard: bool, wanted: list[int]) -> None:
    opponents = [rating - 500, rating - 450, rating + 410, rating - 100]
    assert limit_differences(rating, opponents, day, is_standard=is_standard) == wanted
    found = compute_rating_change(
        rating, [FideGame(one, 1) for one in opponents], 20, day, is_standard=is_standard
    ).games
    assert [one.is_limited for one in found] == [
        one != other for one, other in zip(wanted, (500, 450, -410, 100), strict=True)
    ]


@pytest.mark.parametrize(
    ("rating", "born", "games", "has_reached_top", "wanted"),
    [
        (2399, None, None, False, (20, "usual")),
        (2400, None, None, False, (10, "top")),
        (2350, None, None, True, (10, "top")),
        # 18 in 2026; who was born in 2007 turned 19.
        (2299, 2008, None, False, (40, "youth")),
        (2299, 2007, None, False, (20, "usual")),
        (2300, 2008, None, False, (20, "usual")),
        (2300, 2008, 29, False, (40, "new")),
        (1500, None, 30, False, (20, "usual")),
        # Who reached 2400 keeps 10, as a newcomer and as a youth.
        (2250, 2010, 12, True, (10, "top")),
    ],
)
def test_k(rating: int, born: int | None, games: int | None, has_reached_top: bool, wanted: tuple[int, str]) -> None:
    assert choose_k(rating, TODAY, born=born, games=games, has_reached_top=has_reached_top) == wanted


def test_k_times_games_is_at_most_700() -> None:
    assert [limit_k(20, games) for games in (0, 35, 36, 39)] == [20, 20, 19, 17]
    assert [limit_k(40, games) for games in (17, 18)] == [40, 38]
    # 18 draws with equals and a win: 19 games, K 36, half a point more.
    assert change(1500, [(1500, 0.5)] * 18 + [(1500, 1)], 40) == 18


@pytest.mark.parametrize(("points", "wanted"), [(0, -3), (0.5, 0), (1, 3)])
def test_one_half_is_rounded_away_from_zero(points: float, wanted: int) -> None:
    # K 5 against an equal: -2.5, 0 and 2.5.
    assert compute_rating_change(2500, [FideGame(2500, int(2 * points))], 5, TODAY).rounded == wanted


def test_what_one_wins_the_other_loses_if_k_is_the_same() -> None:
    random = Random(51)
    for _ in range(examples(200)):
        ratings = [random.randint(1400, 2649) for _ in range(random.randint(2, 9))]
        day = random.choice([SINCE_2024, SINCE_2025, TODAY])
        seats = range(len(ratings))
        games: list[list[FideGame]] = [[] for _ in seats]
        for one in seats:
            for other in range(one):
                half_points = random.randint(0, 2)
                games[one].append(FideGame(ratings[other], half_points))
                games[other].append(FideGame(ratings[one], 2 - half_points))
        totals = [compute_rating_change(ratings[one], games[one], 20, day).total for one in seats]
        assert sum(totals) == 0


def test_the_limit_helps_the_higher_rated_only_and_more_of_them_each_time() -> None:
    random = Random(52)
    for _ in range(examples(200)):
        rating = random.randint(1400, 2649)
        opponents = [random.randint(1400, 2900) for _ in range(random.randint(1, 9))]
        games = [FideGame(one, random.randint(0, 2)) for one in opponents]
        plain = [
            one.gain
            for game in games
            for one in compute_rating_change(
                2800, [game._replace(opponent=2800 - rating + game.opponent)], 1, TODAY
            ).games
        ]
        limited = [one.gain for one in compute_rating_change(rating, games, 1, TODAY).games]
        for game, before, after in zip(games, plain, limited, strict=True):
            assert after >= before if rating >= game.opponent else after <= before
        assert (
            compute_rating_change(rating, games, 20, BEFORE).total
            <= compute_rating_change(rating, games, 20, SINCE_2024).total
        )
