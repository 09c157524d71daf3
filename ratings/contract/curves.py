"""The expectation curves that several rating systems share."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

LN_10 = math.log(10.0)
#: Beyond 10^±300 the odds would leave float64; an expectation is 0 or 1 to the last bit long before.
MAX_EXPONENT = 300.0 * LN_10
BLUR = 3.0 / (math.pi * math.pi)


def expected_of_two(one: float, other: float, scale: float) -> tuple[float, float]:
    """Return the expected scores of two ratings against each other, each from 0 to 1, from one power.

    E = 1 / (1 + 10^((other − one) / scale)): a difference of ``scale`` points means odds of ten to one.
    """
    # 10^x as e^(x · ln 10): the same to about the last bit, in a third of the time.
    odds = math.exp(min(max((other - one) * (LN_10 / scale), -MAX_EXPONENT), MAX_EXPONENT))
    # Two quotients: 1 − E would lose digits of an underdog's small expectation.
    return 1.0 / (1.0 + odds), odds / (1.0 + odds)


def certainty(deviation: float) -> float:
    """Return g, the weight of a result against an opponent with this deviation: 1 without doubt, less with more.

    deviation: on Glicko-2's scale (natural logarithm). Source: M. E. Glickman, Glicko (1999) and Glicko-2.
    """
    return 1.0 / math.sqrt(1.0 + BLUR * deviation * deviation)


def expected(rating: float, opponent_rating: float, scale: float) -> float:
    """Return the expected score of rating ``rating`` against rating ``opponent_rating``, from 0 to 1."""
    return expected_of_two(rating, opponent_rating, scale)[0]


def expected_of_each(
    one: NDArray[np.float64], other: NDArray[np.float64], scale: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ``expected`` for columns of ratings, to within a bit or two; ``scale`` is one number or a column."""
    odds: NDArray[np.float64] = (other - one) * (LN_10 / scale)
    np.clip(odds, -MAX_EXPONENT, MAX_EXPONENT, out=odds)
    np.exp(odds, out=odds)
    odds += 1.0
    return np.divide(1.0, odds, out=odds)


def certainty_of_each(variances: Any) -> NDArray[np.float64]:
    """Return ``certainty`` for a column of squared deviations."""
    certainties: NDArray[np.float64] = 1.0 / np.sqrt(1.0 + BLUR * variances)
    return certainties


def evidence_penalty(points: float, games: int) -> float:
    """Return the points subtracted from a rating after a number of games; fewer than one counts as one.

    Source: "How the Durak score works", whose leaderboard subtracts it; ladders may too.
    """
    return points / math.sqrt(max(games, 1))
