"""The roundings by name, at the places where naive ones fail."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.contract.rounding import (
    round_half_away,
    round_half_away_to_decimals,
    round_half_up,
    round_half_up_each,
    truncate,
)

#: The largest float64 below one half: adding one half to it gives 1 in float64.
BELOW_HALF = 0.49999999999999994
finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "away", "up", "cut"),
    [
        (0.0, 0, 0, 0),
        (0.5, 1, 1, 0),
        (-0.5, -1, 0, 0),
        (1.5, 2, 2, 1),
        (2.5, 3, 3, 2),
        (-2.5, -3, -2, -2),
        (BELOW_HALF, 0, 0, 0),
        (-BELOW_HALF, 0, 0, 0),
        (-0.5000000000000001, -1, -1, 0),
        (2.9, 3, 3, 2),
        (-2.9, -3, -3, -2),
        (4503599627370495.5, 4503599627370496, 4503599627370496, 4503599627370495),
        (-4503599627370495.5, -4503599627370496, -4503599627370495, -4503599627370495),
        (1e300, 1e300, 1e300, 1e300),
        (-1e300, -1e300, -1e300, -1e300),
    ],
)
def test_whole_numbers(value: float, away: float, up: float, cut: float) -> None:
    assert (round_half_away(value), round_half_up(value), truncate(value)) == (away, up, cut)
    assert round_half_up_each(np.array([value, 7.5])).tolist() == [up, 8.0]


@pytest.mark.parametrize("rounding", [round_half_away, round_half_up, truncate])
@pytest.mark.parametrize("value", [-0.0, -0.25, 0.25, -1e-300])
def test_what_rounds_to_nothing_has_no_sign(rounding: object, value: float) -> None:
    assert callable(rounding)
    result = rounding(value)
    assert result == 0.0
    assert math.copysign(1.0, result) == 1.0


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [(1.2345, 3, 1.235), (-1.2345, 3, -1.235), (-1.4, 3, -1.4), (1.005, 2, 1.0), (2.5, 0, 3), (0.1 + 0.2, 9, 0.3)],
)
def test_decimals_are_rounded_as_the_released_code_scales_them(value: float, decimals: float, expected: float) -> None:
    # 1.005 · 100 is 100.49999999999999 in float64: the scaling decides, as in the code that we follow.
    assert round_half_away_to_decimals(value, decimals) == expected


@given(st.lists(finite))
def test_a_column_is_rounded_as_each_of_its_values_to_the_last_bit(values: list[float]) -> None:
    expected = np.array([round_half_up(value) for value in values], dtype=np.float64)
    assert round_half_up_each(np.array(values, dtype=np.float64)).tobytes() == expected.tobytes()


@given(finite)
def test_rounding_moves_a_number_by_at_most_one_half(value: float) -> None:
    for rounding in (round_half_away, round_half_up):
        rounded = rounding(value)
        assert abs(rounded) >= 2.0**52 or rounded == int(rounded)
        assert abs(rounded - value) <= 0.5
    assert abs(truncate(value)) <= abs(value)


@given(st.floats(-1e9, 1e9))
def test_a_rounding_closes_a_sum_exactly(value: float) -> None:
    # What kernels rely on: the whole number next to a float, less the float, added to it again.
    for whole in (math.floor(value), math.ceil(value), round_half_away(value), round_half_up(value), truncate(value)):
        assert value + (whole - value) == whole
