"""The charts of an experiment: calibration, order accuracy for newcomers, and mean ratings over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from django.utils.translation import gettext as _

from league.apps.laboratory.findings import FindingRow
from league.core.db.columns import MICROS_A_DAY, convert_to_datetime
from league.core.text.display_formats import format_day, format_number, format_percentage, get_known_zone
from league.models import League
from league.web.public.charts.player_chart import place_year_labels
from league.web.public.charts.plots import (
    BOTTOM,
    Dot,
    Frame,
    PlacedLabel,
    Plot,
    Series,
    get_line_class,
    place_dot,
    plot_of,
)

#: Maximum number of lines in a chart.
MAX_LINES = 6
#: Labels of the horizontal axis in per cent.
FAVOURITES = (50.0, 75.0, 100.0)
#: Bins with fewer pairs are hollow dots without a line.
MIN_BIN_PAIRS = 30
#: Minimum number of groups for a chart of newcomers, and the lowest top of its scale in per cent.
MIN_GROUPS, MIN_TOP = 3, 60.0


@dataclass(frozen=True)
class LevelPlot:
    """The chart of one system's mean rating, None if it is constant as printed, and its table: day, mean, players."""

    plot: Plot | None
    lines: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class PairGroup:
    """Pairs by the number of games of their newer player, with each system's accuracy."""

    name: str
    pairs: str
    figures: Sequence[str]


def draw_calibration(rows: Sequence[FindingRow]) -> Plot | None:
    """Draw predicted against actual results of each system, with the diagonal of a perfect prediction.

    Bins with few pairs are hollow dots with their number of pairs; lines leave them out.
    """
    series, notes = [], []
    drawn = [data for data in rows if data.data["calibration"] and not data.baseline][:MAX_LINES]
    for index, row in enumerate(drawn):
        bins = row.data["calibration"]
        dots = [_place_bin(row.name, bin_, get_line_class(index)) for bin_ in bins]
        notes += [(dot, bin_["pairs"]) for dot, bin_ in zip(dots, bins, strict=True) if dot.kind]
        solid = [dot for dot in dots if not dot.kind] or dots[:1]
        series.append(Series([(dot.at, dot.value) for dot in solid], row.name, dots=dots))
    if not series:
        return None
    ticks = [(percent, format_percentage(percent / 100.0)) for percent in FAVOURITES]
    diagonal = Series([(FAVOURITES[0], FAVOURITES[0]), (100.0, 100.0)])
    values = [FAVOURITES[0], 100.0, *(value for line in series for _at, value in line.points)]
    scale = min(values), 100.0
    plot = plot_of([*series, diagonal], FAVOURITES[0], 100.0, zero=-1.0, marks=ticks, scale_from=scale)
    frame = Frame(FAVOURITES[0], 100.0, *scale)
    # Of the lines, only the diagonal is dashed.
    *dashed, (_kind, path) = [*plot.paths[1:], plot.paths[0]]
    labels = [replace(place_dot(frame, dot, ""), words=format_number(pairs), kind="") for dot, pairs in notes]
    inside = [dot for dot in plot.dots if dot.y <= BOTTOM]
    return replace(plot, paths=dashed, clips=[path], notes=[note for note in labels if note.y <= BOTTOM], dots=inside)


def _place_bin(name: str, bin_: Mapping[str, float], line_class: str) -> Dot:
    """Return the dot of a bin: hollow with few pairs, with an edge in the colour of its line."""
    kind = f"hollow {line_class}" if bin_["pairs"] < MIN_BIN_PAIRS else ""
    return Dot(100 * bin_["promised"], 100 * bin_["came"], _describe_bin(name, bin_), kind)


def _describe_bin(label: str, bin_: Mapping[str, float]) -> str:
    return _("{label}: predicted {promised}%, actual {came}% of {pairs} pairs").format(
        label=label,
        promised=format_number(100 * bin_["promised"], 1),
        came=format_number(100 * bin_["came"], 1),
        pairs=format_number(bin_["pairs"]),
    )


def draw_newcomers(rows: Sequence[FindingRow]) -> tuple[Plot | None, list[PairGroup]] | None:
    """Draw each system's order accuracy by the games of the newer player; returns the chart and its table.

    The chart starts at 50%, which guessing reaches. It is None for few groups; both are None if no pair was decided.
    """
    plotted_rows = [row for row in rows if row.data["newcomers"] and not row.baseline][:MAX_LINES]
    groups = [
        (index, group)
        for index, group in enumerate(plotted_rows[0].data["newcomers"] if plotted_rows else [])
        if group["accuracy"] is not None
    ]
    if not groups:
        return None
    table = [
        PairGroup(
            _format_group(group),
            format_number(group["pairs"]),
            [_format_percent(row.data["newcomers"][index]["accuracy"]) for row in plotted_rows],
        )
        for index, group in groups
    ]
    series = []
    for row in plotted_rows:
        entries = [(position, row.data["newcomers"][index]) for position, (index, _group) in enumerate(groups)]
        dots = [_place_group(row.name, position, group) for position, group in entries if group["accuracy"] is not None]
        series.append(Series([(dot.at, dot.value) for dot in dots], row.name, dots=dots))
    if len(groups) < MIN_GROUPS:
        return None, table
    # The labels have only the first game of a group, to fit on a phone.
    ticks = [
        (float(position), f"{format_number(group['first'])}{'' if group['last'] else ' +'}")
        for position, (_index, group) in enumerate(groups)
    ]
    values = [50.0, MIN_TOP, *(dot.value for line in series for dot in line.dots)]
    return plot_of(series, 0.0, float(len(groups) - 1), zero=50.0, marks=ticks, scale_from=values), table


def _place_group(name: str, position: int, group: Mapping[str, float]) -> Dot:
    text = f"{name}, {_format_group(group)}: {format_percentage(group['accuracy'], 1)}"
    return Dot(float(position), 100 * group["accuracy"], text)


def _format_percent(share: float | None) -> str:
    return "–" if share is None else format_number(100 * share, 1)


def _format_group(group: Mapping[str, float]) -> str:
    first, last = format_number(group["first"]), group["last"]
    if not last:
        return f"{first} +"
    return first if group["first"] == last else f"{first}–{format_number(last)}"


def draw_level(league: League, row: FindingRow) -> LevelPlot | None:
    """Draw a system's mean rating of active players; returns None for baselines, and for fewer than two values."""
    levels = row.data["inflation"]
    if row.baseline or len(levels) < 2:
        return None
    zone = get_known_zone(league.time_zone)
    lines = [
        (
            format_day(convert_to_datetime(round(level["day"] * MICROS_A_DAY)).astimezone(zone)),
            format_number(level["mean"], 1),
            format_number(level["players"]),
        )
        for level in levels
    ]
    if len({mean for _when, mean, _players in lines}) == 1:
        return LevelPlot(None, lines)
    points = [(86400.0 * level["day"], level["mean"]) for level in levels]
    dots = [
        Dot(timestamp, mean, f"{when}: {mean_text}")
        for (timestamp, mean), (when, mean_text, _players) in zip(points, lines, strict=True)
    ]
    start, end = points[0][0], points[-1][0]
    means = [mean for _timestamp, mean in points]
    # At least two grid lines, also if the values lie between them.
    scale = floor(10 * min(means)) / 10, ceil(10 * max(means)) / 10
    plot = plot_of([Series(points, dots=dots)], start, end, decimals=1, scale_from=scale)
    year_marks = place_year_labels(league, Frame(start, end, 0.0, 1.0))
    labels = [] if year_marks else [PlacedLabel(0.0, 100.0, lines[0][0]), PlacedLabel(100.0, 100.0, lines[-1][0])]
    return LevelPlot(replace(plot, years=year_marks, marks=labels), lines)
