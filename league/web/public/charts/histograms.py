"""The histogram of a board's scores, and the share of players behind a score."""

from dataclasses import dataclass
from math import floor

import numpy as np

from league.core.db.columns import Column
from league.core.text.display_formats import format_number
from league.web.public.charts.plots import PlacedLabel, step_between

#: Minimum number of players for a histogram.
MIN_PEOPLE = 10
#: Approximate maximum number of bars.
MAX_BARS = 24
#: Vertical range of the bars, in per cent from the top; labels are below it.
TOP, FLOOR = 6.0, 88.0


@dataclass(frozen=True)
class HistogramBar:
    """The players with scores from ``begin`` (inclusive) to ``end``."""

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
    """The bars from the lowest score, their labels, and the quartiles."""

    bars: list[HistogramBar]
    marks: list[PlacedLabel]
    quarters: tuple[float, float, float]


def build_histogram(in_order: Column, decimals: int, marked_score: float | None = None) -> Histogram | None:
    """Return the histogram of ascending scores; None if they are too few or equal. ``marked_score`` is marked."""
    low, high = (float(in_order[0]), float(in_order[-1])) if len(in_order) >= MIN_PEOPLE else (0.0, 0.0)
    # Scores that differ only in their last bits count as equal.
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):
        return None
    step = max(step_between(low, high, MAX_BARS), 10.0**-decimals)
    first = floor(low / step)
    edges = np.round(np.arange(first - 1, floor(high / step) + 3) * step, 12)
    # Division may round a score to the wrong side of an edge, so compare with the edges themselves.
    edges = edges[np.searchsorted(edges, low, side="right") - 1 : np.searchsorted(edges, high, side="right") + 1]
    counts = np.diff(np.searchsorted(in_order, edges, side="left")).tolist()
    places = max(0, min(decimals, -floor(np.log10(step))))
    labels = [format_number(edge, places) for edge in edges.tolist()]
    width = 100.0 / len(counts)
    max_count = max(counts)
    bars = []
    for index, count in enumerate(counts):
        height = round(count / max_count * (FLOOR - TOP), 2)
        is_marked = marked_score is not None and bool(edges[index] <= marked_score < edges[index + 1])
        bars.append(
            HistogramBar(
                labels[index],
                labels[index + 1],
                count,
                round(index * width + 0.15, 2),
                round(FLOOR - height, 2),
                round(width - 0.3, 2),
                height,
                is_marked,
                float(edges[index]),
                float(edges[index + 1]),
            )
        )
    interval = -(-len(labels) // 7)
    start = -round(float(edges[0]) / step) % interval
    edge_labels = [
        PlacedLabel(round(index * width, 2), 100.0, labels[index]) for index in range(start, len(labels), interval)
    ]
    first_quarter, half, last_quarter = np.quantile(in_order, (0.25, 0.5, 0.75)).tolist()
    return Histogram(bars, edge_labels, (first_quarter, half, last_quarter))


@dataclass(frozen=True)
class PlayersAhead:
    """The number of other players on a board whom a player is ahead of, without ties."""

    ahead_of: int
    others: int

    @property
    def per_cent(self) -> int:
        """Return the share in per cent, rounded down."""
        return 100 * self.ahead_of // self.others


def share_of(in_order: Column, score: float) -> PlayersAhead | None:
    """Return how many others a listed score is ahead of; ``in_order`` are all scores in ascending order."""
    if len(in_order) < MIN_PEOPLE:
        return None
    return PlayersAhead(int(np.searchsorted(in_order, score, side="left")), len(in_order) - 1)
