"""The charts of an experiment: calibration, order accuracy for newcomers, and mean ratings over time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from league.apps.laboratory.findings import FindingRow
from league.core.db.columns import MICROS_A_DAY, convert_to_datetime
from league.core.text.display_formats import format_number, format_percentage
from league.models import League
from league.web.public.charts.player_chart import format_chart_day, place_year_labels
from league.web.public.charts.plots import Dot, Frame, PlacedLabel, Plot, Series, plot_of

#: Maximum number of lines in a chart.
MAX_LINES = 6
#: Labels of the horizontal axis in per cent.
FAVOURITES = (50.0, 75.0, 100.0)


@dataclass(frozen=True)
class LevelPlot:
    """The chart of one system's mean rating, and its table: day, mean, players."""

    label: str
    plot: Plot
    lines: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class PairGroup:
    """Pairs by the number of games of their newer player, with each system's accuracy."""

    name: str
    pairs: str
    figures: Sequence[str]


def draw_calibration(rows: Sequence[FindingRow]) -> Plot | None:
    """Draw predicted against actual results of each system, with the diagonal of a perfect prediction."""
    series = []
    for row in [data for data in rows if data.data["calibration"] and not data.baseline][:MAX_LINES]:
        bins = row.data["calibration"]
        dots = [Dot(100 * data["promised"], 100 * data["came"], _describe_bin(row.label, data)) for data in bins]
        series.append(Series([(dot.at, dot.value) for dot in dots], row.label, dots=dots))
    if not series:
        return None
    ticks = [(percent, format_percentage(percent / 100.0)) for percent in FAVOURITES]
    diagonal = Series([(FAVOURITES[0], FAVOURITES[0]), (100.0, 100.0)])
    plot = plot_of([*series, diagonal], FAVOURITES[0], 100.0, zero=-1.0, marks=ticks)
    # Of the lines, only the diagonal is dashed.
    *dashed, (_kind, path) = [*plot.paths[1:], plot.paths[0]]
    return replace(plot, paths=dashed, clips=[path])


def _describe_bin(label: str, bin_: dict[str, float]) -> str:
    return _("{label}: predicted {promised}%, actual {came}% of {pairs} pairs").format(
        label=label,
        promised=format_number(100 * bin_["promised"], 1),
        came=format_number(100 * bin_["came"], 1),
        pairs=format_number(bin_["pairs"]),
    )


def draw_newcomers(rows: Sequence[FindingRow]) -> tuple[Plot, list[PairGroup]] | None:
    """Draw each system's order accuracy by the games of the newer player; returns the chart and its table."""
    plotted_rows = [row for row in rows if row.data["newcomers"] and not row.baseline][:MAX_LINES]
    if not plotted_rows:
        return None
    groups = plotted_rows[0].data["newcomers"]
    series = []
    for row in plotted_rows:
        points = [
            Dot(
                float(index),
                100 * group["accuracy"],
                f"{row.label}, {_format_group(group)}: {format_percentage(group['accuracy'], 1)}",
            )
            for index, group in enumerate(row.data["newcomers"])
            if group["accuracy"] is not None
        ]
        if points:
            series.append(Series([(dot.at, dot.value) for dot in points], row.label, dots=points))
    if not series:
        return None
    # The labels have only the first game of a group, to fit on a phone.
    ticks = [
        (float(index), f"{format_number(group['first'])}{'' if group['last'] else ' +'}")
        for index, group in enumerate(groups)
    ]
    plot = plot_of(series, 0.0, float(len(groups) - 1), zero=50.0, marks=ticks)
    return plot, [
        PairGroup(
            _format_group(group),
            format_number(group["pairs"]),
            [_format_percent(row.data["newcomers"][index]["accuracy"]) for row in plotted_rows],
        )
        for index, group in enumerate(groups)
    ]


def _format_percent(share: float | None) -> str:
    return "–" if share is None else format_number(100 * share, 1)


def _format_group(group: dict[str, int]) -> str:
    first, last = format_number(group["first"]), group["last"]
    if not last:
        return f"{first} +"
    return first if group["first"] == last else f"{first}–{format_number(last)}"


def draw_levels(league: League, rows: Sequence[FindingRow]) -> list[LevelPlot]:
    """Draw each system's mean rating of active players in a chart of its own, as scales differ."""
    plots = []
    for row in rows:
        levels = row.data["inflation"]
        if row.baseline or len(levels) < 2:
            continue
        points = [(86400.0 * level["day"], level["mean"]) for level in levels]
        lines = [
            (
                format_chart_day(convert_to_datetime(round(level["day"] * MICROS_A_DAY)), league),
                format_number(level["mean"], 1),
                format_number(level["players"]),
            )
            for level in levels
        ]
        dots = [
            Dot(timestamp, mean, f"{when}: {mean_text}")
            for (timestamp, mean), (when, mean_text, _players) in zip(points, lines, strict=True)
        ]
        start, end = points[0][0], points[-1][0]
        span = start, end
        plot = plot_of([Series(points, dots=dots)], *span, decimals=1)
        frame = Frame(*span, 0.0, 1.0)
        year_marks = place_year_labels(league, frame)
        labels = [] if year_marks else [PlacedLabel(0.0, 100.0, lines[0][0]), PlacedLabel(100.0, 100.0, lines[-1][0])]
        plots.append(LevelPlot(row.label, replace(plot, years=year_marks, marks=labels), lines))
    return plots
