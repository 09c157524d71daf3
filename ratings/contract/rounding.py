"""The rounding rules that the sources use.

Each rounds one finite float64 and can be compiled by Numba: kernels use the same code compiled and in Python.
"""

import math

import numpy as np
from numpy.typing import NDArray

#: From 2^52 on every float64 is a whole number. Numba's floor overflows its integers only above that.
WHOLE = 4503599627370496.0


def round_half_away(value: float) -> float:
    """Round to a whole number; exactly one half goes away from zero (2.5 -> 3, -2.5 -> -3)."""
    # Not floor(|x| + 0.5): the addition rounds too, and 0.49999999999999994 would give 1.
    size = abs(value)
    if size >= WHOLE:
        return value
    floor = math.floor(size)
    if size - floor >= 0.5:
        floor += 1
    return float(floor) if value >= 0.0 else 0.0 - float(floor)


def round_half_up(value: float) -> float:
    """Round to a whole number; exactly one half goes to plus infinity (2.5 -> 3, -2.5 -> -2)."""
    if abs(value) >= WHOLE:
        return value
    floor = math.floor(value)
    # Away from one half the difference may round, but never across it.
    if value - floor >= 0.5:
        floor += 1
    return float(floor)


def round_half_up_each(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round each value of a column as ``round_half_up`` does."""
    floors = np.floor(values)
    floors += values - floors >= 0.5
    rounded: NDArray[np.float64] = np.where(np.abs(values) >= WHOLE, values, floors + 0.0)
    return rounded


def truncate(value: float) -> float:
    """Round to a whole number towards zero (2.9 -> 2, -2.9 -> -2)."""
    if abs(value) >= WHOLE:
        return value
    return float(math.floor(value)) if value >= 0.0 else 0.0 - float(math.floor(-value))


def round_half_away_to_decimals(value: float, decimals: float) -> float:
    """Round to ``decimals`` decimals, half away from zero, as ``Math.round(x * 10^d) / 10^d`` does.

    The scaling is done in float64, as in the published code.
    """
    scale = math.pow(10.0, decimals)
    return round_half_away(value * scale) / scale
