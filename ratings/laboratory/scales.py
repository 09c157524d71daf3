"""Where a parameter is looked for: on a scale on which steps of one length change it about as much everywhere."""

import math
from dataclasses import dataclass

from ratings.contract.parameters import Number

#: A bound so many times the other one makes a scale of factors.
WIDE = 50.0
#: A range from 0 has steps of factors from this share of it on, and even ones below.
FINEST = 1e-4


@dataclass(frozen=True)
class Scale:
    """The scale of one parameter: ``unit`` 0 for even steps, below 0 for factors, else factors beyond that unit."""

    kind: Number
    unit: float

    def to(self, value: float) -> float:
        """Return where a value stands."""
        if self.unit < 0.0:
            return math.log(value)
        return math.log1p(value / self.unit) if self.unit else value

    def back(self, place: float) -> float:
        """Return the value at a place, within the parameter's bounds, to four digits; a whole one where it must be."""
        if self.unit < 0.0:
            value = math.exp(place)
        elif self.unit:
            value = math.expm1(place) * self.unit
        else:
            value = place
        value = min(max(float(f"{value:.4g}"), self.kind.low), self.kind.high)
        return float(round(value)) if self.kind.whole else value

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the parameter's bounds stand."""
        return self.to(self.kind.low), self.to(self.kind.high)


def scale_of(kind: Number) -> Scale:
    """Return the scale of a parameter by its bounds."""
    if kind.low > 0.0 and kind.high >= WIDE * kind.low:
        return Scale(kind, -1.0)
    return Scale(kind, kind.high * FINEST if kind.low == 0.0 else 0.0)
