"""The expectation curve that several rating systems share."""

import math

LN_10 = math.log(10.0)
#: Beyond 10^±300 the odds would leave float64; an expectation is 0 or 1 to the last bit long before.
FARTHEST = 300.0 * LN_10


def expected_of_two(one: float, other: float, scale: float) -> tuple[float, float]:
    """Return the expected scores of two ratings against each other, each from 0 to 1, from one power.

    E = 1 / (1 + 10^((other − one) / scale)): so many points apart is ten to one.
    """
    # 10^x as e^(x · ln 10), the same to the last bit or so at a third of the time.
    odds = math.exp(min(max((other - one) * (LN_10 / scale), -FARTHEST), FARTHEST))
    # A quotient each: 1 − E would cost an underdog's small expectation its digits.
    return 1.0 / (1.0 + odds), odds / (1.0 + odds)


def expected(mine: float, theirs: float, scale: float) -> float:
    """Return the expected score of rating ``mine`` against rating ``theirs``, from 0 to 1."""
    return expected_of_two(mine, theirs, scale)[0]
