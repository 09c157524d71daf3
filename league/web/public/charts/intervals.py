"""Values with their intervals as dots on lines, several rows on one scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from league.core.text.display_formats import format_number
from league.web.public.charts.plots import compute_bounds, step_between

#: Approximate number of steps on a scale, which ends at two of them.
STEPS = 4
#: Room left and right of the scale for half a dot, in per cent.
SIDE = 3.0


@dataclass(frozen=True)
class IntervalDot:
    """A value and its interval, in per cent of the width; without an interval both ends are the value."""

    x: float
    low: float
    high: float


@dataclass(frozen=True)
class IntervalScale:
    """A scale between two round values."""

    low: float
    high: float
    ends: tuple[str, str]

    def place(self, value: float, low: float | None, high: float | None) -> IntervalDot | None:
        """Return the dot of a value; None if it lies outside the scale."""
        if not self.low <= value <= self.high:
            return None
        ends = (value, value) if low is None or high is None else (low, high)
        return IntervalDot(self._x(value), *(self._x(min(max(end, self.low), self.high)) for end in ends))

    def _x(self, value: float) -> float:
        return round(SIDE + (value - self.low) / (self.high - self.low) * (100.0 - 2 * SIDE), 2)


def build_interval_scale(values: Sequence[float], decimals: int) -> IntervalScale:
    """Return the scale that contains all values and ends at round ones with at most ``decimals`` decimals."""
    low, high = compute_bounds(values)
    step = max(step_between(low, high, STEPS), 10.0**-decimals)
    first, last = floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step
    return IntervalScale(first, last, (_format_end(first, step, decimals), _format_end(last, step, decimals)))


def _format_end(value: float, step: float, decimals: int) -> str:
    """Return an end of a scale without superfluous decimals."""
    return format_number(value, next(places for places in range(decimals + 1) if step * 10**places >= 1 - 1e-9))
