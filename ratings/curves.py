"""The expectation curve that several rating systems share."""

import math


def expected(mine: float, theirs: float, scale: float) -> float:
    """Return the expected score of rating ``mine`` against rating ``theirs``, from 0 to 1.

    E = 1 / (1 + 10^((theirs − mine) / scale)): so many points apart is ten to one.
    """
    # Beyond ±300 the power would leave float64; the expectation is 0 or 1 to the last bit long before.
    exponent = min(max((theirs - mine) / scale, -300.0), 300.0)
    return 1.0 / (1.0 + math.pow(10.0, exponent))
