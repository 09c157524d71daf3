"""How the scores of a board are spread: bars of round width, positions in per cent, the same figures as a table."""

from dataclasses import dataclass
from math import floor

import numpy as np

from league.db.columns import Column
from league.figures import number
from league.pages.plots import Placed, step_between
from league.selectors.leaderboard.spread import FEWEST, counted_between

#: At most so many bars, give or take the one at the end.
MOST_BARS = 24
#: What the bars may fill, in per cent of the box from its top; figures stand below it.
TOP, FLOOR = 6.0, 88.0


@dataclass(frozen=True)
class Bar:
    """People whose scores stand between two round figures, the lower one included."""

    low: str
    high: str
    count: int
    x: float
    y: float
    width: float
    height: float
    here: bool
    begin: float
    end: float


@dataclass(frozen=True)
class Histogram:
    """The bars from the lowest score, the figures under them, and the scores that part the board into quarters."""

    bars: list[Bar]
    marks: list[Placed]
    quarters: tuple[float, float, float]


def histogram_of(in_order: Column, decimals: int, here: float | None = None) -> Histogram | None:
    """Return how scores, the lowest first, are spread; None for few or level ones. ``here``: a score to be marked."""
    low, high = (float(in_order[0]), float(in_order[-1])) if len(in_order) >= FEWEST else (0.0, 0.0)
    # Scores that differ by their last bits only are level: no round figure parts them.
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):
        return None
    step = max(step_between(low, high, MOST_BARS), 10.0**-decimals)
    first = floor(low / step)
    edges = np.round(np.arange(first - 1, floor(high / step) + 3) * step, 12)
    # A figure that is divided may fall short of the edge that it stands on, or beyond it: the edges themselves decide.
    edges = edges[np.searchsorted(edges, low, side="right") - 1 : np.searchsorted(edges, high, side="right") + 1]
    counts = counted_between(in_order, edges)
    places = max(0, min(decimals, -floor(np.log10(step))))
    figures = [number(edge, places) for edge in edges.tolist()]
    width = 100.0 / len(counts)
    most = max(counts)
    bars = []
    for index, count in enumerate(counts):
        height = round(count / most * (FLOOR - TOP), 2)
        mine = here is not None and bool(edges[index] <= here < edges[index + 1])
        bars.append(
            Bar(
                figures[index],
                figures[index + 1],
                count,
                round(index * width + 0.15, 2),
                round(FLOOR - height, 2),
                round(width - 0.3, 2),
                height,
                mine,
                float(edges[index]),
                float(edges[index + 1]),
            )
        )
    every = -(-len(figures) // 7)
    start = -round(float(edges[0]) / step) % every
    marks = [Placed(round(index * width, 2), 100.0, figures[index]) for index in range(start, len(figures), every)]
    return Histogram(bars, marks, (parted(in_order, 0.25), parted(in_order, 0.5), parted(in_order, 0.75)))


def parted(in_order: Column, share: float) -> float:
    """Return what parts a share of some figures, the lowest first, from the others: as ``np.quantile``, which sorts."""
    place = (len(in_order) - 1) * share
    index = int(place)
    low, high = float(in_order[index]), float(in_order[min(index + 1, len(in_order) - 1)])
    part = place - index
    return high - (high - low) * (1.0 - part) if part >= 0.5 else low + (high - low) * part
