"""Line charts over time, with positions in per cent of the box.

The lines are an SVG that stretches with the box; labels are HTML text at the same positions, so that they are never
scaled. A script adds hover and keyboard navigation; each dot and bar has a title.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil, floor, log10

import numpy as np

from league.core.db.columns import Column
from league.core.text.display_formats import format_number

#: Vertical range of the lines, in per cent from the top; days and years are below it.
TOP, BOTTOM = 4.0, 90.0
#: Minimum distance of names at the ends of lines (16 px in the lowest box, of 13 rem).
APART = 7.7
#: Right end of lines with names, which leaves room for the names.
NAMES_FROM = 56.0
#: Room left of the start for the labels of the grid, as a share of the time span.
MARGIN = 0.07
#: Longer names have a short form for narrow boxes.
MAX_FULL_NAME_LENGTH = 14
#: Maximum number of grid lines.
MAX_STEPS = 6


@dataclass(frozen=True)
class Dot:
    """A labelled point: ``at`` and ``value`` as in the line, ``words`` its title, ``kind`` its CSS class."""

    at: float
    value: float
    words: str
    kind: str = ""
    href: str = ""


@dataclass(frozen=True)
class Series:
    """A line of (at, value) in ascending order; its name, if any, is shown at its end."""

    points: Sequence[tuple[float, float]]
    name: str = ""
    figure: str = ""
    dots: Sequence[Dot] = ()


@dataclass(frozen=True)
class GridStep:
    """A horizontal grid line at a round value; ``zero`` is drawn stronger."""

    y: float
    figure: str
    zero: bool


@dataclass(frozen=True)
class PlacedLabel:
    """A label at a position in per cent."""

    x: float
    y: float
    words: str
    kind: str = ""
    figure: str = ""
    href: str = ""
    brief: str = ""
    """Short form for narrow boxes."""


@dataclass(frozen=True)
class Plot:
    """A chart: ``paths`` are (CSS class, path in a box of 1000 × 1000), everything else is in per cent."""

    steps: list[GridStep]
    paths: list[tuple[str, str]]
    dots: list[PlacedLabel]
    labels: list[PlacedLabel]
    marks: list[PlacedLabel] = field(default_factory=list)
    bands: list[tuple[float, float, str]] = field(default_factory=list)
    clips: list[str] = field(default_factory=list)
    """Paths clipped at the edges of the scale."""
    years: list[PlacedLabel] = field(default_factory=list)
    """Vertical lines where years begin."""
    ticks: list[float] = field(default_factory=list)
    notes: list[PlacedLabel] = field(default_factory=list)
    """Labels of dots; ``kind`` is "end" for a label on the left."""
    right: bool = False
    """Whether the labels of the grid are on the right."""


@dataclass(frozen=True)
class Frame:
    """Converts (at, value) to per cent of the box."""

    start: float
    end: float
    low: float
    high: float
    reach: float = 100.0

    def x(self, time: float) -> float:
        """Return the distance from the left; in a frame without length, that of its end."""
        length = self.end - self.start
        return round((time - self.start) / length * self.reach, 2) if length > 0 else self.reach

    def y(self, value: float) -> float:
        """Return the distance from the top."""
        return round(TOP + (self.high - value) / (self.high - self.low) * (BOTTOM - TOP), 2)


def plot_of(
    series: Sequence[Series],
    start: float,
    end: float,
    *,
    decimals: int = 0,
    zero: float = 0.0,
    marks: Sequence[tuple[float, str]] = (),
    scale_from: Sequence[float] = (),
) -> Plot:
    """Draw lines between two times, the first in the league's colour, the second lighter.

    ``decimals`` is the maximum for labels of the grid. ``scale_from`` are the values that determine the scale, by
    default all; the box clips values outside.
    """
    values = list(scale_from) or [value for line in series for _, value in line.points]
    low, high = compute_bounds(values)
    frame = Frame(start, end, low, high, compute_width(series, start, end))
    drawn = list(enumerate(series))[::-1]  # the first line is drawn last, on top
    return Plot(
        steps=compute_grid_steps(frame, decimals, zero),
        paths=[(_get_line_class(index), draw_path(frame, line.points)) for index, line in drawn],
        dots=[place_dot(frame, dot, _get_line_class(index)) for index, line in drawn for dot in line.dots],
        labels=separate_labels([label_of(frame, line) for line in series if line.name and line.points]),
        marks=[PlacedLabel(frame.x(time), 100.0, label) for time, label in marks],
    )


def _get_line_class(index: int) -> str:
    """Return the CSS class of a line by its index."""
    return ("first", "second")[index] if index < 2 else ""


def compute_bounds(values: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and highest value of a scale, which differ."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def compute_width(series: Sequence[Series], start: float, end: float) -> float:
    """Return the width of the time span in per cent, less if names at the ends need room."""
    end_positions = [line.points[-1][0] for line in series if line.name and line.points]
    if not end_positions or end <= start:
        return NAMES_FROM if end_positions else 100.0
    share = (max(end_positions) - start) / (end - start) * 100.0
    return 100.0 if share <= NAMES_FROM else round(100.0 * NAMES_FROM / share, 4)


def step_between(low: float, high: float, max_steps: int = MAX_STEPS) -> float:
    """Return a round step (1, 2 or 5 times a power of ten) that fits at most ``max_steps`` times between two values."""
    rough = (high - low) / max_steps
    power = 10.0 ** floor(log10(rough))
    return next((factor * power for factor in (1.0, 2.0, 5.0) if factor * power >= rough), 10.0 * power)


def compute_grid_steps(frame: Frame, decimals: int, zero: float) -> list[GridStep]:
    """Return the grid lines in ascending order."""
    # Avoid several lines with the same printed value.
    step = max(step_between(frame.low, frame.high), 10.0**-decimals)
    places = max(0, min(decimals, -floor(log10(step))))
    first, last = ceil(frame.low / step - 1e-9), floor(frame.high / step + 1e-9)
    return [
        GridStep(frame.y(index * step), format_number(index * step, places), abs(index * step - zero) < step / 2)
        for index in range(first, last + 1)
    ]


def draw_path(frame: Frame, points: Sequence[tuple[float, float]]) -> str:
    """Return the SVG path of a line in a box of 1000 × 1000."""
    return "M" + " ".join(f"{frame.x(time) * 10:.1f} {frame.y(value) * 10:.1f}" for time, value in points)


def place_dot(frame: Frame, dot: Dot, kind: str) -> PlacedLabel:
    """Return a dot with its position; its default class is that of its line."""
    return PlacedLabel(frame.x(dot.at), frame.y(dot.value), dot.words, dot.kind or kind, href=dot.href)


def label_of(frame: Frame, line: Series) -> PlacedLabel:
    """Return the label at the end of a line."""
    time, value = line.points[-1]
    brief = shorten(line.name, MAX_FULL_NAME_LENGTH) if len(line.name) > MAX_FULL_NAME_LENGTH else ""
    return PlacedLabel(frame.x(time), frame.y(value), line.name, figure=line.figure, brief=brief)


def shorten(name: str, longest: int) -> str:
    """Shorten a name to at most ``longest`` letters."""
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def separate_labels(labels: Sequence[PlacedLabel], least: float = APART) -> list[PlacedLabel]:
    """Return labels moved down, and up again from the bottom of the box, until none overlap."""
    ordered = sorted(labels, key=lambda label: label.y)
    ys: list[float] = []
    for label in ordered:
        ys.append(max(label.y, ys[-1] + least) if ys else label.y)
    limit = BOTTOM
    for index in range(len(ys) - 1, -1, -1):
        ys[index] = round(min(ys[index], limit), 2)
        limit = ys[index] - least
    return [replace(label, y=y) for label, y in zip(ordered, ys, strict=True)]


def draw_sparkline(values: Sequence[float]) -> str:
    """Return the path of a sparkline in a box of 100 × 28, "" for fewer than five values."""
    if len(values) < 5:
        return ""
    low, high = compute_bounds(values)
    return "M" + _build_sparkline_format(len(values)) % tuple(
        [2.0 + (high - value) / (high - low) * 24.0 for value in values]
    )


@lru_cache(maxsize=64)
def _build_sparkline_format(count: int) -> str:
    """Return the format string of a sparkline's path, with its x positions."""
    return " ".join(f"{index * (100.0 / (count - 1)):.1f} %.1f" for index in range(count))


#: Maximum number of points of a line, more than a screen has columns.
MAX_POINTS = 1500


def thin_points(points: Sequence[tuple[float, float]], max_points: int = MAX_POINTS) -> list[tuple[float, float]]:
    """Return about ``max_points`` points that draw the same line: first, lowest, highest and last of each bucket."""
    return [
        points[index]
        for index in _select_thinned_indices(np.array([value for _, value in points]), max_points).tolist()
    ]


def _select_thinned_indices(values: Column, max_points: int = MAX_POINTS) -> Column:
    """Return the indices of the values that ``thin_points`` keeps."""
    if len(values) <= max_points:
        return np.arange(len(values))
    size = -(-len(values) * 4 // max_points)
    starts = np.arange(0, len(values), size)
    # The last bucket is padded with the last value; argmin and argmax use the first occurrence.
    buckets = np.append(values, np.repeat(values[-1:], len(starts) * size - len(values))).reshape(-1, size)
    ends = np.append(starts[1:], len(values)) - 1
    return np.unique((starts, starts + buckets.argmin(1), starts + buckets.argmax(1), ends))
