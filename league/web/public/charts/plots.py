"""Lines over time as the server draws them: positions in per cent of the box, so that no figure is ever scaled.

A line stretches with its box (an inner picture without a fixed shape); everything that is read is beside it as text
at the same per cents. Hover and keys are a small module's business; each dot and bar has its words in a title.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil, floor, log10

import numpy as np

from league.core.db.columns import Column
from league.core.text.numbers import number

#: What the lines may fill, in per cent of the box from its top; days and years stand below it.
TOP, BOTTOM = 4.0, 90.0
#: Names at the ends of lines keep so far apart (16 px in a box of 13 rem, the lowest that there is).
APART = 7.7
#: Lines that have names at their ends stop here at the latest, so that the names fit.
NAMES_FROM = 56.0
#: Room for the figures beside the grid, left of the first moment, in parts of the whole time.
MARGIN = 0.07
#: Names longer than so many letters have a shorter form, for where the box is narrow.
MAX_FULL_NAME_LENGTH = 14
#: Lines at round figures: at most so many.
MAX_STEPS = 6


@dataclass(frozen=True)
class Dot:
    """A point that says something: ``at`` and ``value`` as in the line, ``words`` its title, ``kind`` its class."""

    at: float
    value: float
    words: str
    kind: str = ""
    href: str = ""


@dataclass(frozen=True)
class Series:
    """A line: (at, value) in the order of ``at``; with a name it is labelled at its end."""

    points: Sequence[tuple[float, float]]
    name: str = ""
    figure: str = ""
    dots: Sequence[Dot] = ()


@dataclass(frozen=True)
class GridStep:
    """A line across the box at a round figure; ``zero`` is drawn a tone stronger."""

    y: float
    figure: str
    zero: bool


@dataclass(frozen=True)
class PlacedLabel:
    """Something with words at a place of the box, in per cent."""

    x: float
    y: float
    words: str
    kind: str = ""
    figure: str = ""
    href: str = ""
    brief: str = ""
    """Words for where the box is narrow."""


@dataclass(frozen=True)
class Plot:
    """A drawing: ``paths`` are (class, path in a box of 1000 × 1000), everything else is in per cent."""

    steps: list[GridStep]
    paths: list[tuple[str, str]]
    dots: list[PlacedLabel]
    labels: list[PlacedLabel]
    marks: list[PlacedLabel] = field(default_factory=list)
    bands: list[tuple[float, float, str]] = field(default_factory=list)
    clips: list[str] = field(default_factory=list)
    """Paths that are cut at the edges of the scale."""
    years: list[PlacedLabel] = field(default_factory=list)
    """Lines down the box where a year begins."""
    ticks: list[float] = field(default_factory=list)
    notes: list[PlacedLabel] = field(default_factory=list)
    """Words beside a dot: ``kind`` is "end" where they stand on its left."""
    right: bool = False
    """Whether the figures of the grid stand at the right end, where the lines leave them room."""


@dataclass(frozen=True)
class Frame:
    """Turns (at, value) into per cents of the box."""

    start: float
    end: float
    low: float
    high: float
    reach: float = 100.0

    def x(self, at: float) -> float:
        """Return how far from the left something stands; in a frame without length everything is at its end."""
        length = self.end - self.start
        return round((at - self.start) / length * self.reach, 2) if length > 0 else self.reach

    def y(self, value: float) -> float:
        """Return how far from the top a value stands."""
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
    """Draw lines between two moments, the first of them in the league's hue, the second a tone lighter.

    decimals: of the figures beside the grid, at most. ``scale_from``: the values that the scale holds, where some (a
    newcomer's first games) shall not flatten all others; what lies outside is cut by the box.
    """
    values = list(scale_from) or [value for line in series for _, value in line.points]
    low, high = bounds(values)
    frame = Frame(start, end, low, high, reach_of(series, start, end))
    drawn = list(enumerate(series))[::-1]  # what is drawn last lies on top: the first line
    return Plot(
        steps=steps_of(frame, decimals, zero),
        paths=[(tone(index), path_of(frame, line.points)) for index, line in drawn],
        dots=[placed(frame, dot, tone(index)) for index, line in drawn for dot in line.dots],
        labels=apart([label_of(frame, line) for line in series if line.name and line.points]),
        marks=[PlacedLabel(frame.x(at), 100.0, words) for at, words in marks],
    )


def tone(index: int) -> str:
    """Return the class of a line by its place among them."""
    return ("first", "second")[index] if index < 2 else ""


def bounds(values: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and the highest value of a scale, which is never without height."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def reach_of(series: Sequence[Series], start: float, end: float) -> float:
    """Return how much of the box the time fills, in per cent: less where names at the ends need the room."""
    ends = [line.points[-1][0] for line in series if line.name and line.points]
    if not ends or end <= start:
        return NAMES_FROM if ends else 100.0
    share = (max(ends) - start) / (end - start) * 100.0
    return 100.0 if share <= NAMES_FROM else round(100.0 * NAMES_FROM / share, 4)


def step_between(low: float, high: float, most: int = MAX_STEPS) -> float:
    """Return a round step (1, 2 or 5 times a power of ten) of which at most ``most`` fit between two values."""
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    return next((factor * power for factor in (1.0, 2.0, 5.0) if factor * power >= rough), 10.0 * power)


def steps_of(frame: Frame, decimals: int, zero: float) -> list[GridStep]:
    """Return the lines across the box at round figures, from the lowest."""
    # Figures that would be printed alike are one figure.
    step = max(step_between(frame.low, frame.high), 10.0**-decimals)
    places = max(0, min(decimals, -floor(log10(step))))
    first, last = ceil(frame.low / step - 1e-9), floor(frame.high / step + 1e-9)
    return [
        GridStep(frame.y(index * step), number(index * step, places), abs(index * step - zero) < step / 2)
        for index in range(first, last + 1)
    ]


def path_of(frame: Frame, points: Sequence[tuple[float, float]]) -> str:
    """Return a line as a path in a box of 1000 × 1000."""
    return "M" + " ".join(f"{frame.x(at) * 10:.1f} {frame.y(value) * 10:.1f}" for at, value in points)


def placed(frame: Frame, dot: Dot, kind: str) -> PlacedLabel:
    """Return a dot with its place; without a class of its own it has that of its line."""
    return PlacedLabel(frame.x(dot.at), frame.y(dot.value), dot.words, dot.kind or kind, href=dot.href)


def label_of(frame: Frame, line: Series) -> PlacedLabel:
    """Return the name of a line at its end."""
    at, value = line.points[-1]
    brief = short(line.name, MAX_FULL_NAME_LENGTH) if len(line.name) > MAX_FULL_NAME_LENGTH else ""
    return PlacedLabel(frame.x(at), frame.y(value), line.name, figure=line.figure, brief=brief)


def short(name: str, longest: int) -> str:
    """Return a name in at most so many letters."""
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def apart(labels: Sequence[PlacedLabel], least: float = APART) -> list[PlacedLabel]:
    """Return labels moved down, then up again where the box ends, until none is on another."""
    ordered = sorted(labels, key=lambda label: label.y)
    ys: list[float] = []
    for label in ordered:
        ys.append(max(label.y, ys[-1] + least) if ys else label.y)
    limit = BOTTOM
    for index in range(len(ys) - 1, -1, -1):
        ys[index] = round(min(ys[index], limit), 2)
        limit = ys[index] - least
    return [replace(label, y=y) for label, y in zip(ordered, ys, strict=True)]


def spark_of(values: Sequence[float]) -> str:
    """Return a small line of its own scale as a path in a box of 100 × 28, "" for fewer than five values."""
    if len(values) < 5:
        return ""
    low, high = bounds(values)
    return "M" + across(len(values)) % tuple([2.0 + (high - value) / (high - low) * 24.0 for value in values])


@lru_cache(maxsize=64)
def across(count: int) -> str:
    """Return the format of a small line: where its points are from left to right."""
    return " ".join(f"{index * (100.0 / (count - 1)):.1f} %.1f" for index in range(count))


#: More points than a screen has columns draw the same line.
MAX_POINTS = 1500


def thin(points: Sequence[tuple[float, float]], most: int = MAX_POINTS) -> list[tuple[float, float]]:
    """Return at most about ``most`` points that draw the same line: first, lowest, highest and last of each bucket."""
    return [points[index] for index in kept_of(np.array([value for _, value in points]), most).tolist()]


def kept_of(values: Column, most: int = MAX_POINTS) -> Column:
    """Return the places of the values that ``thin`` keeps, in their order."""
    if len(values) <= most:
        return np.arange(len(values))
    size = -(-len(values) * 4 // most)
    starts = np.arange(0, len(values), size)
    # The last bucket is filled up with the last value, of which the first one counts.
    buckets = np.append(values, np.repeat(values[-1:], len(starts) * size - len(values))).reshape(-1, size)
    ends = np.append(starts[1:], len(values)) - 1
    return np.unique((starts, starts + buckets.argmin(1), starts + buckets.argmax(1), ends))
