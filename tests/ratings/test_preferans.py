"""Preferans against an independent reading of SYSTEMS.md in exact fractions, and its rulings."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.contract.system import GameSheet
from ratings.run.replay import rate_game
from ratings.systems.preferans import Preferans, compute_sheet_score


def rounded(value: Fraction, decimals: int = 0) -> Fraction:
    """Round half away from zero, exactly."""
    scale = 10**decimals
    whole = math.floor(abs(value) * scale + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, scale)


def reference(ratings: list[int], scores: list[int], bula: int, decimals: int | None, tie: int) -> list[int]:
    """Return the changes as the source has them; ``tie`` is the sign of N on equal scores."""
    pair = {}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        d, t = Fraction(scores[i] - scores[j], bula), Fraction((ratings[j] - ratings[i]) * 28, 1000)
        if decimals is not None:
            d, t = rounded(d, decimals), rounded(t, decimals)
        sign = (scores[i] > scores[j]) - (scores[i] < scores[j]) or tie
        pair[i, j] = d + t + Fraction(sign * bula, 100)
    raw = [pair[0, 1] + pair[0, 2], -pair[0, 1] + pair[1, 2], -pair[0, 2] - pair[1, 2]]
    return [int(rounded(value / 2)) for value in raw]


def changes(system: Preferans, ratings: list[int], scores: list[int], bula: float) -> list[float]:
    """Return the changes of the kernel."""
    sheet = GameSheet(scores, (None,) * 3, {"bula": bula})
    return rate_game(system, [[float(rating)] for rating in ratings], [9, 9, 9], sheet).change


RATINGS = st.lists(st.integers(-3000, 5000), min_size=3, max_size=3)
SCORES = st.lists(st.integers(-2000, 2000), min_size=3, max_size=3)


BULAS = st.sampled_from([1, 2, 4, 5, 7, 8, 10, 16, 20, 25, 30, 32, 40, 50, 60, 80, 100, 1000])


@given(ratings=RATINGS, scores=SCORES, bula=BULAS, tie=st.booleans(), lowest=st.booleans(), decimals=st.booleans())
def test_every_reading_equals_exact_fractions(
    ratings: list[int], scores: list[int], bula: int, tie: bool, lowest: bool, decimals: bool
) -> None:
    system = Preferans(
        tie_bonus="earlier_seat" if tie else "none",
        winner="lowest" if lowest else "highest",
        intermediate_decimals="3" if decimals else "none",
    )
    signed = [-score for score in scores] if lowest else scores
    exact = reference(ratings, signed, bula, 3 if decimals else None, int(tie))
    assert changes(system, ratings, scores, bula) == exact


def test_an_exact_half_goes_away_from_zero_whatever_the_last_bits_of_float64_are() -> None:
    # By hand: C12 = -5.06 + 10.78 - 1, C13 = -6.46 + 8.82 - 1, C23 = -1.4 - 1.96 - 1; raw 3.04, -4.54, 1.5.
    assert changes(Preferans(), [908, 1293, 1223], [-418, 88, 228], 100) == [3, -5, 2]
    # C12 = 3.6 - 6.412 + 0.8, C13 = 2.9 - 2.688 + 0.8, C23 = -0.7 + 3.724 - 0.8; raw -0.5, 2.118, -1.618.
    assert changes(Preferans(), [1236, 1007, 1140], [278, -10, 46], 80) == [-1, 2, -2]


def test_an_exact_half_of_the_fourth_decimal_goes_away_from_zero() -> None:
    # 1/80 = 0.0125 becomes 0.013; 161/80 = 2.0125 becomes 2.013, and so on.
    scores = [score for score in range(-4001, 4001, 80) if score % 2]
    for score in scores:
        sheet = GameSheet([score, 0, 0], (None,) * 3, {"bula": 80})
        (d, *_), (reverse, *_) = (
            rate_game(Preferans(), [[1000.0]] * 3, [9] * 3, sheet).pairs[i][j] for i, j in ((0, 1), (1, 0))
        )
        assert d == -reverse == float(rounded(Fraction(score, 80), 3))


@pytest.mark.parametrize(
    ("ratings", "scores", "expected"),
    [
        ([1152, 1074, 986], [-238, 112, 126], [-10, 3, 7]),
        ([986, 1074, 1152], [126, 112, -238], [7, 3, -10]),
        # A tie for the best score: no bonus between the two.
        ([986, 1074, 1152], [120, 120, -240], [7, 3, -10]),
    ],
)
def test_the_games_that_the_released_code_is_tested_with(
    ratings: list[int], scores: list[int], expected: list[float]
) -> None:
    assert changes(Preferans(), ratings, scores, 60) == expected


def test_the_parts_are_the_halves_of_the_sums_of_d_t_and_n() -> None:
    sheet = GameSheet((-500, 40, 460), (None,) * 3, {"bula": 30})
    rated = rate_game(Preferans(), [[1200.0], [1150.0], [1100.0]], [9] * 3, sheet)
    expected = [(-25, -2.1, -0.3, 0.4), (2, 0, 0, 0), (23, 2.1, 0.3, -0.4)]
    for parts, by_hand in zip(rated.parts, expected, strict=True):
        assert parts == pytest.approx(by_hand, abs=1e-12)
    assert rated.performance == pytest.approx([-27.4, 2, 25.4], abs=1e-12)


def test_the_magic_number_and_the_start_are_parameters() -> None:
    # Twice the magic number, level scores: T -2.8, -5.6, -2.8; raw -4.2, 0, 4.2.
    assert changes(Preferans(magic_number=5.6), [1200, 1150, 1100], [7, 7, 7], 30) == [-4, 0, 4]
    assert (Preferans().start(), Preferans(initial=1500).start()) == ([1000.0], [1500.0])


@pytest.mark.parametrize(
    ("parameters", "scores", "expected"),
    [
        ({}, [-500, 40, 460], [-27, 2, 25]),
        # Negated: s 500/-40/-460; D 18, 32, 14; T -1.4, -2.8, -1.4; N 0.3 each; raw 23.2, -2, -21.2.
        ({"winner": "lowest"}, [-500, 40, 460], [23, -2, -21]),
        # All level: D 0; T -1.4, -2.8, -1.4; raw -2.1, 0, 2.1.
        ({}, [7, 7, 7], [-2, 0, 2]),
        # The earlier seat gets 0.3 a pair: raw -2.1 + 0.3, 0, 2.1 - 0.3.
        ({"tie_bonus": "earlier_seat"}, [7, 7, 7], [-2, 0, 2]),
    ],
)
def test_rulings(parameters: dict[str, str], scores: list[int], expected: list[float]) -> None:
    assert changes(Preferans.from_json(parameters), [1200, 1150, 1100], scores, 30) == expected


def test_the_bonus_of_a_tie_goes_to_the_earlier_seat() -> None:
    # A bula of 1000: N is 10 a pair, nothing else; the seats get +10, 0, -10.
    assert changes(Preferans(tie_bonus="earlier_seat"), [1000] * 3, [5, 5, 5], 1000) == [10, 0, -10]
    assert changes(Preferans(), [1000] * 3, [5, 5, 5], 1000) == [0, 0, 0]


def test_a_sheet_is_added_up() -> None:
    assert compute_sheet_score(-20, 320, 160, 120, 60) == -500
    assert compute_sheet_score(4, 120, 60, 160, 20) == 40
    assert compute_sheet_score(16, 20, 60, 320, 60) == 460
