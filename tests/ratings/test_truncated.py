"""What is left of a normal distribution, against sums over its density, from the middle to a billion deviations out."""

import math
from collections.abc import Callable
from random import Random
from statistics import NormalDist

import numpy as np
import pytest

from ratings.contract.truncated import (
    FAR,
    chances,
    mills_terms,
    normal_cdf,
    quantile_of_middle,
    truncated_above,
    truncated_between,
)

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(400)


def by_sums(x: float, wide: float) -> tuple[float, float]:
    """Return mean (from the bound) and variance of N(x, 1) between a bound at 0 and one so wide above it."""
    z = -x
    low = max(0.0, x - 14.0)
    high = min(wide, x + 14.0 if z <= 0.0 else min(14.0, 45.0 / z))
    y = np.longdouble(low) + (POINTS.astype(np.longdouble) + 1) / 2 * (high - low)
    weights = WEIGHTS * np.exp(-(z * y + y * y / 2) + (z * low + low * low / 2))
    mean = (weights * y).sum() / weights.sum()
    return float(mean), float((weights * (y - mean) ** 2).sum() / weights.sum())


DISTANCES: dict[str, Callable[[Random], float]] = {
    "near": lambda random: random.uniform(-5, 8),
    "far": lambda random: random.uniform(-60, -4),
    "beyond everything": lambda random: -(10 ** random.uniform(1, 9)),
}


@pytest.mark.parametrize("draw", DISTANCES.values(), ids=DISTANCES)
def test_what_is_above_a_bound(draw: Callable[[Random], float]) -> None:
    random = Random(1)
    for _ in range(500):
        x = draw(random)
        mean, variance = by_sums(x, math.inf)
        v, left = truncated_above(x)
        assert x + v == pytest.approx(mean, rel=1e-11, abs=1e-13 * abs(x)), x
        assert left == pytest.approx(variance, rel=1e-11), x


GAPS: dict[str, Callable[[Random], tuple[float, float]]] = {
    "narrow": lambda random: (random.uniform(0, 2), random.uniform(0.01, 1)),
    "very narrow": lambda random: (random.uniform(0, 60), 10 ** random.uniform(-9, -2)),
    "wide": lambda random: (random.uniform(0, 6), random.uniform(1, 9)),
    "at the edge": lambda random: (random.uniform(4, 60), random.uniform(0.3, 3)),
    "beyond everything": lambda random: (10 ** random.uniform(1, 9), 10 ** random.uniform(-9, 0.5)),
}


@pytest.mark.parametrize("draw", GAPS.values(), ids=GAPS)
def test_what_is_between_two_bounds(draw: Callable[[Random], tuple[float, float]]) -> None:
    random = Random(2)
    for _ in range(500):
        t, margin = draw(random)
        # Seen from the nearer edge.
        mean, variance = by_sums(margin - t, 2.0 * margin)
        v, left = truncated_between(t, margin)
        assert v == pytest.approx(margin - mean - t, rel=1e-12, abs=1e-11 * margin), (t, margin)
        assert left == pytest.approx(variance, rel=1e-11), (t, margin)
        assert truncated_between(-t, margin) == (-v, left) if t else (0.0, left)


def test_nothing_is_lost_where_one_form_takes_over_from_the_next() -> None:
    for x in (-FAR, math.nextafter(-FAR, 0.0)):
        assert truncated_above(x) == pytest.approx(truncated_above(-FAR - 1e-13), rel=1e-10)
    assert mills_terms(math.nextafter(FAR, 0.0)) == pytest.approx(mills_terms(FAR), rel=1e-11)
    for t, margin in ((2.0, 1.0), (4.0, 0.5), (3.0, 2.0), (1.0, 1.0)):
        inside, outside = (
            truncated_between(t * (1 - 1e-13), margin),
            truncated_between(t * (1 + 1e-13), margin * (1 + 1e-13)),
        )
        assert inside == pytest.approx(outside, rel=1e-11)


def test_the_middle_of_a_normal_distribution() -> None:
    normal = NormalDist()
    for share in (0.0001, 0.05, 0.1, 0.5, 0.8, 0.85):
        reach = quantile_of_middle(share)
        assert math.erf(reach / math.sqrt(2.0)) == pytest.approx(share, rel=1e-13)
        assert reach == pytest.approx(normal.inv_cdf((1 + share) / 2), rel=1e-11)
    assert normal_cdf(-3.0) == pytest.approx(0.0013498980316300945, rel=1e-14)


def test_chances_of_two_count_a_tie_as_one_half() -> None:
    normal = NormalDist()
    for apart in (-40.0, -1.5, 0.0, 0.3, 2.0):
        mine, theirs = chances(apart, 0.2)
        wins, losses = normal.cdf(apart - 0.2), normal.cdf(-apart - 0.2)
        assert (mine, theirs) == pytest.approx((0.5 + (wins - losses) / 2, 0.5 - (wins - losses) / 2), abs=1e-15)
    # An underdog's chance keeps its digits.
    assert chances(-10.0, 0.0)[0] == pytest.approx(7.619853024160526e-24, rel=1e-12)
