"""Line charts over time, with positions in per cent of the box.

The lines are an SVG that stretches with the box; labels are text at the same positions, so that they are never
scaled. Labels of the grid are left of the box, names of lines right of it. ``web/public/plot.html`` draws a plot with
its cross-hair for pointer, touch and keys; each dot and bar has a title.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil, floor, log10
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from django.utils.translation import gettext as _

from league.core.db.columns import Column
from league.core.text.display_formats import format_number
from league.core.text.names import isolate_direction

#: Vertical range of the lines, in per cent from the top; days and years are below it.
TOP, BOTTOM = 4.0, 90.0
#: Minimum distance of names at the ends of lines (16 px in the lowest box, of 13 rem), and in a tall one (of 15 rem).
APART, APART_TALL = 7.7, 6.7
#: The highest place of a name: the upper edge of the box, where no line is.
HIGHEST_NAME = 0.0
#: Distance of lines that run beside each other, as a share of the scale.
BESIDE = 0.018
#: The CSS classes of lines in their order, each with a colour or dash of its own; more lines have none.
LINE_CLASSES = ("first", "second", "third", "fourth", "fifth")
#: Maximum length of a name at the end of a line; cross-hair and tables have the full names.
MAX_NAME_LENGTH = 22
#: Maximum length of names in narrow boxes; longer ones have a short form.
MAX_BRIEF_LENGTH = 12
#: Maximum width of a compressed phase, as a share of the width.
EARLY_WIDTH = 0.12
#: Maximum number of positions of a cross-hair that are computed from the lines.
MAX_STOPS = 240
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
    end: float | None = None
    """The height of the line's end, from which a piece of the line leads to its name."""


class Stop(NamedTuple):
    """A position of the cross-hair: the heights of the lines there, a text, each line's figure, and a page's number."""

    x: float
    ys: Sequence[float | None]
    words: str
    figures: Sequence[str] = ()
    number: int = 0


@dataclass(frozen=True)
class Plot:
    """A chart: ``paths`` are (CSS class, path in a box of 1000 × 1000), everything else is in per cent."""

    steps: list[GridStep]
    paths: list[tuple[str, str]]
    dots: list[PlacedLabel]
    labels: list[PlacedLabel]
    marks: list[PlacedLabel] = field(default_factory=list)
    bands: list[tuple[float, float]] = field(default_factory=list)
    clips: list[str] = field(default_factory=list)
    """Paths clipped at the edges of the scale."""
    years: list[PlacedLabel] = field(default_factory=list)
    """Vertical lines where years begin."""
    ticks: list[float] = field(default_factory=list)
    notes: list[PlacedLabel] = field(default_factory=list)
    """Labels of dots; ``kind`` is "end" for a label on the left, "middle" for one above or below."""
    stops: Sequence[Stop] = ()
    names: Sequence[str] = ()
    """The names of the lines whose figures the cross-hair shows."""
    summary: str = ""
    """The first, highest and last value of each line, for screen readers."""

    @property
    def crosshair(self) -> dict[str, Any]:
        """Return the data of the cross-hair for the script."""
        return {"names": self.names, "stops": self.stops}

    @property
    def gutter(self) -> str:
        """Return the longest label of the grid, whose width is left free."""
        return max((step.figure for step in self.steps), key=len, default="")

    @property
    def widest(self) -> PlacedLabel | None:
        """Return the longest name of a line, whose width is left free; None without names."""
        return max(self.labels, key=lambda label: len(label.words) + len(label.figure), default=None)

    @property
    def widest_brief(self) -> str:
        """Return the longest name of a line in a narrow box."""
        return max((label.brief or label.words for label in self.labels), key=len, default="")


@dataclass(frozen=True)
class Frame:
    """Converts (at, value) to per cent of the box."""

    start: float
    end: float
    low: float
    high: float
    early: float | None = None
    """The end of a phase that is compressed to EARLY_WIDTH if it is longer."""

    def x(self, time: float) -> float:
        """Return the distance from the left; in a frame without length, that of its end."""
        if self.end <= self.start:
            return 100.0
        share = (time - self.start) / (self.end - self.start)
        knee = 0.0 if self.early is None else (self.early - self.start) / (self.end - self.start)
        if EARLY_WIDTH < knee < 1.0:
            late = EARLY_WIDTH + (share - knee) / (1.0 - knee) * (1.0 - EARLY_WIDTH)
            share = share / knee * EARLY_WIDTH if share < knee else late
        return round(share * 100.0, 2)

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
    describe: Callable[[float], str] | None = None,
    apart: bool = False,
    names_apart: float = APART,
) -> Plot:
    """Draw lines between two times, the first in the league's colour, the second lighter.

    ``decimals`` is the maximum for labels of the grid. ``scale_from`` are the values that determine the scale, by
    default all; the box clips values outside. The cross-hair stops at the dots; with ``describe`` (the text of a
    time) at all times of the lines, and shows the figures of all. ``apart``: lines at the same value run beside each
    other, so that none hides another; the figures stay. ``names_apart``: minimum distance of names in per cent.
    """
    values = list(scale_from) or [value for line in series for _, value in line.points]
    frame = Frame(start, end, *compute_bounds(values))
    shown = _draw_apart(series, frame) if apart else series
    drawn = list(enumerate(shown))[::-1]  # the first line is drawn last, on top
    return Plot(
        steps=compute_grid_steps(frame, decimals, zero),
        paths=[(get_line_class(index), draw_path(frame, line.points)) for index, line in drawn],
        dots=[place_dot(frame, dot, get_line_class(index)) for index, line in drawn for dot in line.dots],
        labels=place_names(frame, shown, names_apart),
        marks=[PlacedLabel(frame.x(time), 100.0, label) for time, label in marks],
        stops=list_stops(frame, series, describe, decimals) if describe else list_dot_stops(frame, series),
        names=[isolate_direction(line.name) for line in series] if describe else [],
        summary="; ".join(summarise_line(line, decimals) for line in series if line.points),
    )


def _draw_apart(series: Sequence[Series], frame: Frame) -> list[Series]:
    """Return lines of which those with the same value at a time after the start are beside each other, first on top."""
    gap = (frame.high - frame.low) * BESIDE
    groups: defaultdict[tuple[float, float], list[int]] = defaultdict(list)
    for index, line in enumerate(series):
        for time, value in line.points:
            if time > frame.start:
                groups[time, value].append(index)

    def move(index: int, time: float, value: float) -> float:
        together = groups.get((time, value), [index])
        return value + gap * ((len(together) - 1) / 2 - together.index(index))

    return [
        replace(
            line,
            points=[(time, move(index, time, value)) for time, value in line.points],
            dots=[replace(dot, value=move(index, dot.at, dot.value)) for dot in line.dots],
        )
        for index, line in enumerate(series)
    ]


def get_line_class(index: int) -> str:
    """Return the CSS class of a line by its index."""
    return LINE_CLASSES[index] if index < len(LINE_CLASSES) else ""


def summarise_line(line: Series, decimals: int) -> str:
    """Describe a line for those who do not see it."""
    values = [value for _, value in line.points]
    first, highest, last = (format_number(value, decimals) for value in (values[0], max(values), values[-1]))
    text = _("first {first}, highest {highest}, last {last}").format(first=first, highest=highest, last=last)
    return f"{isolate_direction(line.name)}: {text}" if line.name else text


def list_dot_stops(frame: Frame, series: Sequence[Series]) -> list[Stop]:
    """Return the stops of a cross-hair at the dots; dots at the same place share one."""
    dots: dict[float, list[Dot]] = {}
    for line in series:
        for dot in line.dots:
            dots.setdefault(frame.x(dot.at), []).append(dot)
    return [
        Stop(x, [frame.y(dot.value) for dot in found], "\n".join(dot.words for dot in found))
        for x, found in sorted(dots.items())
    ]


def list_stops(frame: Frame, series: Sequence[Series], describe: Callable[[float], str], decimals: int) -> list[Stop]:
    """Return the stops of a cross-hair at the times of the lines, with each line's latest value."""
    times = sorted({time for line in series for time, _ in line.points})
    times = times[: -1 : -(-len(times) // MAX_STOPS) or 1] + times[-1:]
    columns = []
    for line in series:
        line_times = np.array([time for time, _ in line.points])
        places = np.searchsorted(line_times, times, side="right").tolist()
        columns.append([line.points[place - 1][1] if place else None for place in places])
    return [
        Stop(
            frame.x(time),
            [None if value is None else frame.y(value) for value in values],
            describe(time),
            ["" if value is None else format_number(value, decimals) for value in values],
        )
        for time, values in zip(times, zip(*columns, strict=True), strict=True)
    ]


def compute_bounds(values: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and highest value of a scale, which differ."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


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


def place_names(frame: Frame, series: Sequence[Series], apart: float = APART) -> list[PlacedLabel]:
    """Return the labels at the ends of lines; of lines that end level the first one's is uppermost."""
    labels = []
    for index, line in enumerate(series):
        if line.name and line.points:
            time, value = line.points[-1]
            name = shorten(line.name, MAX_NAME_LENGTH)
            brief = abbreviate(name)
            brief = "" if brief == name else brief
            at, kind = (frame.x(time), frame.y(value)), get_line_class(index)
            labels.append(PlacedLabel(*at, name, kind, figure=line.figure, brief=brief))
    if any(label.brief for label in labels):
        # In a narrow box all names have the same form.
        labels = [label if label.brief else _shorten_label(label) for label in labels]
    return separate_labels(labels, apart)


def _shorten_label(label: PlacedLabel) -> PlacedLabel:
    """Return the label of a name with its short form, if it has more than one word."""
    brief = abbreviate(label.words, 0)
    return replace(label, brief="" if brief == label.words else brief)


def abbreviate(name: str, longest: int = MAX_BRIEF_LENGTH) -> str:
    """Return a name longer than ``longest`` as in narrow boxes: Willem D."""
    first, *others = name.split()
    if len(name) <= longest or not others:
        return shorten(name, MAX_BRIEF_LENGTH)
    return f"{shorten(first, MAX_BRIEF_LENGTH)} {others[-1][0]}."


def shorten(name: str, longest: int) -> str:
    """Shorten a name to at most ``longest`` letters."""
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def separate_labels(labels: Sequence[PlacedLabel], apart: float = APART) -> list[PlacedLabel]:
    """Return labels in the order of their places that do not overlap, moved as little as possible.

    The places are an isotonic regression: of all that keep order and distance, those with the least sum of squared
    moves. Pieces that lead from places to labels thus never cross. Of more labels than there is room for, all are
    closer.
    """
    ordered = sorted(labels, key=lambda label: label.y)
    apart = min(apart, (BOTTOM - HIGHEST_NAME) / max(1, len(ordered) - 1))
    groups: list[list[float]] = []
    for index, label in enumerate(ordered):
        group = [label.y - index * apart]
        while groups and fmean(groups[-1]) > fmean(group):
            group = [*groups.pop(), *group]
        groups.append(group)
    lowest = BOTTOM - (len(ordered) - 1) * apart
    tops = [min(max(HIGHEST_NAME, fmean(group)), lowest) for group in groups for _one in group]
    return [
        replace(label, y=round(top + index * apart, 2), end=label.y)
        for index, (label, top) in enumerate(zip(ordered, tops, strict=True))
    ]


@dataclass(frozen=True)
class Sparkline:
    """A line of values in a box that is one unit wide for each step and 280 high; its shape is stretched."""

    path: str
    end: str
    """The last point."""
    width: int
    """Units from the first to the last value."""


def draw_sparkline(values: Sequence[float]) -> Sparkline | None:
    """Return the sparkline of values, None for fewer than five."""
    if len(values) < 5:
        return None
    low, high = compute_bounds(values)
    heights = [round(20 + (high - value) / (high - low) * 240) for value in values]
    # Steps are shorter than points, and compress to half: a board has a hundred lines.
    steps = " ".join(f"1 {below - above}" for above, below in pairwise(heights))
    width = len(values) - 1
    return Sparkline(f"M0 {heights[0]}l{steps}", f"{width} {heights[-1]}", width)


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
