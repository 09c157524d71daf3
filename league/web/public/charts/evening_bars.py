"""Bars of the games per evening."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

#: Vertical range of the bars, in per cent from the top: counts are above them, days below.
TOP, FLOOR = 14.0, 84.0
#: Width of a bar, as a share of its column.
BAR_SHARE = 0.62


@dataclass(frozen=True)
class EveningBar:
    """The games of an evening: a bar with its middle, all in per cent of the chart."""

    day: date
    count: int
    x: float
    middle: float
    width: float
    y: float
    height: float
    labelled: bool
    """Whether narrow charts show its day: the first, middle and last bar."""


def build_evening_bars(counts: Sequence[tuple[date, int]]) -> list[EveningBar]:
    """Return the bars of evenings with games, earliest first; fewer than three evenings have none."""
    if len(counts) < 3:
        return []
    most, column = max(count for _, count in counts), 100.0 / len(counts)
    bars = []
    for index, (day, count) in enumerate(counts):
        middle, height = (index + 0.5) * column, count / most * (FLOOR - TOP)
        width = column * BAR_SHARE
        bars.append(
            EveningBar(
                day,
                count,
                round(middle - width / 2, 2),
                round(middle, 2),
                round(width, 2),
                round(FLOOR - height, 2),
                round(height, 2),
                index in (0, len(counts) // 2, len(counts) - 1),
            )
        )
    return bars
