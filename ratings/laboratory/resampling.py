"""The bootstrap: evenings are drawn with replacement, the same ones for all entrants.

Source: B. Efron, Bootstrap methods: another look at the jackknife (1979); drawn by clusters, since the games of an
evening are correlated (A. C. Cameron, J. B. Gelbach and D. L. Miller, 2008). The interval is the percentile interval:
BCa would need a jackknife over all evenings and, with a few hundred draws, depend on the few outermost of them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The share of draws within an interval.
LEVEL = 0.95
#: With fewer evenings, intervals are too narrow to be reliable.
MIN_EVENINGS = 10
#: Most numbers of evenings to draw at once.
ROOM = 4_000_000


def draw_totals(sums: NDArray[np.float64], draws: int, seed: int) -> NDArray[np.float64]:
    """Return the totals (draws × C) of resampled evenings; sums: evenings × C."""
    # Imported here: only laboratories need it, and it is large.
    from scipy.stats import bootstrap

    count = len(sums)

    def totals(drawn: NDArray[np.int64], axis: int = -1) -> NDArray[np.float64]:
        # Multiply the sums by how often each evening was drawn, which avoids copies.
        rows = drawn.reshape(-1, count)
        times = np.stack([np.bincount(row, minlength=count) for row in rows]).astype(np.float64)
        drawn_totals: NDArray[np.float64] = (times @ sums).T.reshape(-1, *drawn.shape[:-1])
        return drawn_totals

    drawn: Any = bootstrap(
        (np.arange(count),),
        totals,
        n_resamples=draws,
        batch=max(ROOM // count, 1),
        vectorized=True,
        paired=True,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    distribution: NDArray[np.float64] = drawn.bootstrap_distribution.T
    return distribution


def compute_interval(drawn: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the percentile interval of drawn values; None if any is not finite."""
    if not np.isfinite(drawn).all():
        return None
    low, high = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0]).tolist()
    return low, high


def divide_or_nan(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quotients, NaN if the divisor is not positive."""
    quotients: NDArray[np.float64] = np.full(np.shape(above), np.nan)
    return np.divide(above, below, out=quotients, where=below > 0.0)
