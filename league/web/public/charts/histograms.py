"""How the scores of a board are spread (bars of round width, positions in per cent), and who is ahead of how many."""

from dataclasses import dataclass
from math import floor

import numpy as np

from league.core.db.columns import Column
from league.core.text.numbers import number
from league.web.public.charts.plots import PlacedLabel, step_between

#: With fewer people a spread says nothing.
MIN_PEOPLE = 10
#: Maximum number of bars, give or take the last one.
MAX_BARS = 24
#: What the bars may fill, in per cent of the box from its top; figures stand below it.
TOP, FLOOR = 6.0, 88.0


@dataclass(frozen=True)
class HistogramBar:
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

    bars: list[HistogramBar]
    marks: list[PlacedLabel]
    quarters: tuple[float, float, float]


def histogram_of(in_order: Column, decimals: int, here: float | None = None) -> Histogram | None:
    """Return how scores, the lowest first, are spread; None for few or level ones. ``here``: a score to be marked."""
    low, high = (float(in_order[0]), float(in_order[-1])) if len(in_order) >= MIN_PEOPLE else (0.0, 0.0)
    # Scores that differ by their last bits only are level: no round figure parts them.
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):
        return None
    step = max(step_between(low, high, MAX_BARS), 10.0**-decimals)
    first = floor(low / step)
    edges = np.round(np.arange(first - 1, floor(high / step) + 3) * step, 12)
    # A figure that is divided may fall short of the edge that it is on, or beyond it: the edges themselves decide.
    edges = edges[np.searchsorted(edges, low, side="right") - 1 : np.searchsorted(edges, high, side="right") + 1]
    counts = np.diff(np.searchsorted(in_order, edges, side="left")).tolist()
    places = max(0, min(decimals, -floor(np.log10(step))))
    figures = [number(edge, places) for edge in edges.tolist()]
    width = 100.0 / len(counts)
    most = max(counts)
    bars = []
    for index, count in enumerate(counts):
        height = round(count / most * (FLOOR - TOP), 2)
        mine = here is not None and bool(edges[index] <= here < edges[index + 1])
        bars.append(
            HistogramBar(
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
    marks = [PlacedLabel(round(index * width, 2), 100.0, figures[index]) for index in range(start, len(figures), every)]
    first_quarter, half, last_quarter = np.quantile(in_order, (0.25, 0.5, 0.75)).tolist()
    return Histogram(bars, marks, (first_quarter, half, last_quarter))


@dataclass(frozen=True)
class PlayersAhead:
    """Of how many of the others on a board a player stands ahead; who is level is not counted."""

    ahead_of: int
    others: int

    @property
    def per_cent(self) -> int:
        """Return the share in whole per cents, never more than it is."""
        return 100 * self.ahead_of // self.others


def share_of(in_order: Column, score: float) -> PlayersAhead | None:
    """Return of how many of the others a listed score stands ahead; ``in_order``: all scores, the lowest first."""
    if len(in_order) < MIN_PEOPLE:
        return None
    return PlayersAhead(int(np.searchsorted(in_order, score, side="left")), len(in_order) - 1)
