"""Preferans against an independent reading of SYSTEMS.md in exact fractions, and its rulings."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.replay import rate_game
from ratings.system import Sheet
from ratings.systems.preferans import Preferans, sheet_score


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
    sheet = Sheet(scores, (None,) * 3, {"bula": bula})
    return rate_game(system, [[float(rating)] for rating in ratings], [9, 9, 9], sheet).change


RATINGS = st.lists(st.integers(-3000, 5000), min_size=3, max_size=3)
SCORES = st.lists(st.integers(-2000, 2000), min_size=3, max_size=3)


@given(ratings=RATINGS, scores=SCORES, bula=st.sampled_from([1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50]))
def test_it_equals_exact_fractions_within_the_last_half(ratings: list[int], scores: list[int], bula: int) -> None:
    exact = reference(ratings, scores, bula, 3, 0)
    # An exact half may fall to either side in float64; never is more than one point between.
    for mine, theirs in zip(changes(Preferans(), ratings, scores, bula), exact, strict=True):
        assert abs(mine - theirs) <= 1
        assert mine == int(mine)


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


def test_both_readings_of_the_rounding_equal_exact_fractions() -> None:
    for score in range(200):
        sheet = [score, 0, 1]
        three = changes(Preferans(), [1000, 1003, 998], sheet, 7)
        exact = changes(Preferans(intermediate_decimals="none"), [1000, 1003, 998], sheet, 7)
        assert three == reference([1000, 1003, 998], sheet, 7, 3, 0)
        assert exact == reference([1000, 1003, 998], sheet, 7, None, 0)


@given(
    ratings=st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
    scores=st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3),
    bula=st.floats(0.01, 10_000),
)
def test_the_parts_of_a_wild_game_sum_exactly_to_a_whole_change(
    ratings: list[float], scores: list[float], bula: float
) -> None:
    rated = rate_game(
        Preferans(), [[rating] for rating in ratings], [0] * 3, Sheet(scores, (None,) * 3, {"bula": bula})
    )
    for parts, change in zip(rated.parts, rated.change, strict=True):
        total = 0.0
        for part in parts:
            total += part
        assert total == change == math.floor(change)


def test_a_sheet_is_added_up() -> None:
    assert sheet_score(-20, 320, 160, 120, 60) == -500
    assert sheet_score(4, 120, 60, 160, 20) == 40
    assert sheet_score(16, 20, 60, 320, 60) == 460
