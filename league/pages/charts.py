"""A rating history as an SVG path, drawn by the server; hover and keys are a small module's business."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

WIDTH, HEIGHT, MARGIN = 1000.0, 260.0, 8.0
#: More points than a screen has columns draw the same line.
MOST_POINTS = 1500
RANGES = {"all": "All", "year": "Last year", "100": "Last 100 games"}


@dataclass(frozen=True)
class Point:
    """A rating after a game."""

    at: datetime
    rating: float
    number: int


@dataclass(frozen=True)
class Chart:
    """A line in a box of WIDTH × HEIGHT; ``ticks`` are (y, rating), ``points`` go to the module."""

    path: str
    area: str
    ticks: list[tuple[float, float]]
    points: list[dict[str, Any]]
    first: datetime
    last: datetime
    low: float
    high: float


def thin(points: Sequence[Point], most: int = MOST_POINTS) -> list[Point]:
    """Return at most about ``most`` points that draw the same line: first, lowest, highest and last of each bucket."""
    if len(points) <= most:
        return list(points)
    size = -(-len(points) * 4 // most)
    kept: list[Point] = []
    for start in range(0, len(points), size):
        bucket = points[start : start + size]
        marks = {0, len(bucket) - 1}
        marks.add(min(range(len(bucket)), key=lambda index: bucket[index].rating))
        marks.add(max(range(len(bucket)), key=lambda index: bucket[index].rating))
        kept += [bucket[index] for index in sorted(marks)]
    return kept


def draw(points: Sequence[Point]) -> Chart | None:
    """Return the chart of at least two points, None for fewer."""
    if len(points) < 2:
        return None
    points = thin(points)
    low, high = min(point.rating for point in points), max(point.rating for point in points)
    if low == high:
        low, high = low - 1.0, high + 1.0
    first, last = points[0].at, points[-1].at
    # Games of one moment (a league without clock times) still need room: then the order is the axis.
    seconds = (last - first).total_seconds()
    placed = []
    for index, point in enumerate(points):
        along = (point.at - first).total_seconds() / seconds if seconds else index / (len(points) - 1)
        x = round(along * WIDTH, 1)
        y = round(MARGIN + (high - point.rating) / (high - low) * (HEIGHT - 2 * MARGIN), 1)
        placed.append((x, y, point))
    line = " ".join(f"{x:g},{y:g}" for x, y, _ in placed)
    return Chart(
        path=f"M{line}",
        area=f"M0,{HEIGHT:g} L{line} L{WIDTH:g},{HEIGHT:g} Z",
        ticks=ticks_of(low, high),
        points=[{"x": x, "y": y, "t": p.at.isoformat(), "r": p.rating, "n": p.number} for x, y, p in placed],
        first=first,
        last=last,
        low=low,
        high=high,
    )


def ticks_of(low: float, high: float) -> list[tuple[float, float]]:
    """Return (y, rating) of three to six lines at round ratings."""
    step = 1.0
    while (high - low) / step > 6:
        step *= 2.5 if str(step).lstrip("0.").startswith("2") else 2.0
    first = -(-low // step) * step
    found = []
    rating = first
    while rating <= high:
        y = MARGIN + (high - rating) / (high - low) * (HEIGHT - 2 * MARGIN)
        found.append((round(y, 1), rating))
        rating += step
    return found
