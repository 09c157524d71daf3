"""Truncated normal distributions, in units of their standard deviation.

Each function returns the shift of the mean and the remaining share of the variance, v and 1 − w in Herbrich, Minka
and Graepel. Far out, the published v and w are differences of nearly equal numbers; equivalent forms are used there,
so that nothing is divided by 0 and few digits are lost.
"""

import math

import numpy as np
from numpy.typing import NDArray

#: Beyond FAR, Mills' ratio is computed by a continued fraction with TERMS terms.
FAR, TERMS = 5.0, 40
ROOT_2 = math.sqrt(2.0)
PEAK = 1.0 / math.sqrt(2.0 * math.pi)
#: Positive nodes of the ten-point Gauss–Legendre rule on [−1, 1], and their weights.
POINTS = (0.14887433898163122, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717)
WEIGHTS = (0.29552422471475287, 0.26926671930999635, 0.21908636251598204, 0.1494513491505806, 0.06667134430868814)


def normal_cdf(x: float) -> float:
    """Return Φ(x), the standard normal CDF."""
    return 0.5 * math.erfc(-x / ROOT_2)


def quantile_of_middle(share: float) -> float:
    """Return the z for which a standard normal variable is within ±z with probability ``share`` (0 to 0.85).

    M. J. Wichura's algorithm AS 241 (1988), PPND16, between its quantiles 0.075 and 0.925.
    """
    q = 0.5 * share
    r = 0.180625 - q * q
    over = ((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) * r
               + 45921.953931549871457) * r + 13731.693765509461125) * r + 1971.5909503065514427) * r
            + 133.14166789178437745) * r + 3.3871328727963666080  # fmt: skip
    under = ((((((5226.4952788528545610 * r + 28729.085735721942674) * r + 39307.895800092710610) * r
                + 21213.794301586595867) * r + 5394.1960214247511077) * r + 687.18700749205790830) * r
             + 42.313330701600911252) * r + 1.0  # fmt: skip
    return q * over / under


def chances(difference: float, margin: float) -> tuple[float, float]:
    """Return each side's expected score (a tie is one half), given the distance in deviations and the draw margin."""
    far = abs(difference)
    less = 0.5 * (normal_cdf(0.0 - far - margin) + normal_cdf(margin - far))
    return (1.0 - less, less) if difference >= 0.0 else (less, 1.0 - less)


def chances_of_each(difference: NDArray[np.float64], margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first side's expected score, as ``chances`` does, for columns of pairs."""
    # Imported lazily: only the laboratory needs scipy, and importing it is slow.
    from scipy.special import ndtr

    probabilities: NDArray[np.float64] = 0.5 * (ndtr(difference - margin) + ndtr(difference + margin))
    return probabilities


def mills_terms(z: float) -> tuple[float, float]:
    """Return r and q for z ≥ 1: Mills' ratio (1 − Φ) / φ is 1 / (z + r), and r is 1 / (z + q)."""
    if z < FAR:
        r = 2.0 * PEAK * math.exp(-0.5 * z * z) / math.erfc(z / ROOT_2) - z
        return r, 1.0 / r - z
    # q = 2 / (z + 3 / (z + …))
    q = 0.0
    for k in range(TERMS, 1, -1):
        q = k / (z + q)
    return 1.0 / (z + q), q


def truncated_above(x: float) -> tuple[float, float]:
    """Return mean shift and variance factor of a normal variable truncated below, its mean x above the bound."""
    if x <= 0.0 - FAR:
        r, q = mills_terms(0.0 - x)
        return r - x, r * (q - r)
    v = 2.0 * PEAK * math.exp(-0.5 * x * x) / math.erfc(-x / ROOT_2)
    return v, 1.0 - v * (v + x)


def truncated_between(x: float, margin: float) -> tuple[float, float]:
    """Return mean shift and variance factor of a normal variable with mean x, truncated to ±margin."""
    t = abs(x)
    if t - margin > 1.0 and t * margin > 2.0:
        v, factor = at_the_edge(t, margin)
    elif margin > 1.0:
        v, factor = in_a_wide_gap(t, margin)
    else:
        v, factor = in_a_narrow_gap(t, margin)
    return (v, factor) if x >= 0.0 else (0.0 - v, factor)


def at_the_edge(t: float, margin: float) -> tuple[float, float]:
    """Return the same if nearly all the mass is at one edge: an exponential tail, itself truncated."""
    wide, cut = 2.0 * margin, math.exp(-2.0 * margin * t)
    r, q = mills_terms(t - margin)
    s, p = mills_terms(t + margin)
    tail, behind = 1.0 / (t - margin + r), cut / (t + margin + s)
    mass = tail - behind
    # The mean distance from the edge, and the mean of its square.
    mean = (tail * r - behind * (s + wide)) / mass
    square = (tail * r * q - behind * (s * p + 2.0 * wide * s + wide * wide)) / mass
    return margin - mean - t, square - mean * mean


def in_a_wide_gap(t: float, margin: float) -> tuple[float, float]:
    """Return the same using the published formulas for v and w."""
    near, far = margin - t, margin + t
    mass = normal_cdf(near) - normal_cdf(0.0 - far)
    at_near, at_far = PEAK * math.exp(-0.5 * near * near) / mass, PEAK * math.exp(-0.5 * far * far) / mass
    v = at_far - at_near
    return v, 1.0 - (v * v + near * at_near + far * at_far)


def in_a_narrow_gap(t: float, margin: float) -> tuple[float, float]:
    """Return the same by numerical integration over the gap, where the density is smooth."""
    mass, mean, square = 0.0, 0.0, 0.0
    for k in range(5):
        x = margin * POINTS[k]
        tilt, weight = math.exp(t * x), WEIGHTS[k] * math.exp(-0.5 * x * x)
        back = 1.0 / tilt
        mass += weight * (tilt + back)
        mean += weight * (tilt - back) * x
        square += weight * (tilt + back) * x * x
    mean /= mass
    return mean - t, square / mass - mean * mean
