"""An experiment's curves: promise against outcome, newcomers game by game, the level of the ratings over time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from league.apps.laboratory.findings import FindingRow
from league.core.db.columns import MICROS_A_DAY, moment_of
from league.core.text.numbers import number, percentage
from league.models import League
from league.web.public.charts.player_chart import day, years
from league.web.public.charts.plots import MARGIN, Dot, Frame, PlacedLabel, Plot, Series, plot_of

#: Lines of a drawing that can be told apart.
MAX_LINES = 6
#: Figures under a drawing of chances of favourites, in per cent, and room left of them for those of the scale.
FAVOURITES, SCALE_ROOM = (50.0, 75.0, 100.0), 4.0
#: Room for the last dot of a line over time, in parts of the time.
EDGE = 0.015


@dataclass(frozen=True)
class LevelPlot:
    """The level of one system's ratings: drawn, and (day, mean, players) as a table."""

    label: str
    plot: Plot
    lines: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class PairGroup:
    """Pairs by the how manieth game of their newer player, with each system's figure in order."""

    name: str
    pairs: str
    figures: Sequence[str]


def calibration_of(rows: Sequence[FindingRow]) -> Plot | None:
    """Draw of each system that promises chances what came of them, beside the line on which both are the same."""
    series = []
    for row in [one for one in rows if one.data["calibration"] and not one.baseline][:MAX_LINES]:
        bins = row.data["calibration"]
        dots = [Dot(100 * one["promised"], 100 * one["came"], words_of(row.label, one)) for one in bins]
        series.append(Series([(dot.at, dot.value) for dot in dots], row.label, dots=dots))
    if not series:
        return None
    marks = [(at, percentage(at / 100.0)) for at in FAVOURITES]
    ideal = Series([(FAVOURITES[0], FAVOURITES[0]), (100.0, 100.0)])
    drawn = plot_of([*series, ideal], FAVOURITES[0] - SCALE_ROOM, 100.0, zero=-1.0, marks=marks)
    # The last line is what a perfect promise would be: dashed, as no system's is.
    *dashed, (_kind, path) = [*drawn.paths[1:], drawn.paths[0]]
    return replace(drawn, paths=dashed, clips=[path])


def words_of(label: str, one: dict[str, float]) -> str:
    """Return what a dot of the calibration says."""
    return _("{label}: predicted {promised}%, actual {came}% of {pairs} pairs").format(
        label=label,
        promised=number(100 * one["promised"], 1),
        came=number(100 * one["came"], 1),
        pairs=number(one["pairs"]),
    )


def newcomers_of(rows: Sequence[FindingRow]) -> tuple[Plot, list[PairGroup]] | None:
    """Draw how rightly each system orders pairs by the games of the newer player; with the same as a table."""
    told = [one for one in rows if one.data["newcomers"] and not one.baseline][:MAX_LINES]
    if not told:
        return None
    groups = told[0].data["newcomers"]
    series = []
    for row in told:
        points = [
            Dot(
                float(at),
                100 * one["accuracy"],
                f"{row.label}, {group_name(one)}: {percentage(one['accuracy'], 1)}",
            )
            for at, one in enumerate(row.data["newcomers"])
            if one["accuracy"] is not None
        ]
        if points:
            series.append(Series([(dot.at, dot.value) for dot in points], row.label, dots=points))
    if not series:
        return None
    # On a phone there is room for where a group begins.
    marks = [(float(at), f"{number(one['first'])}{'' if one['last'] else ' +'}") for at, one in enumerate(groups)]
    plot = plot_of(series, -0.4, float(len(groups) - 1), zero=50.0, marks=marks)
    return plot, [
        PairGroup(
            group_name(one),
            number(one["pairs"]),
            [percent_of(row.data["newcomers"][at]["accuracy"]) for row in told],
        )
        for at, one in enumerate(groups)
    ]


def percent_of(share: float | None) -> str:
    """Return a share in per cent, – if there is none."""
    return "–" if share is None else number(100 * share, 1)


def group_name(one: dict[str, int]) -> str:
    """Return which games of a player a group has: "1–5", "101 +"."""
    first, last = number(one["first"]), one["last"]
    if not last:
        return f"{first} +"
    return first if one["first"] == last else f"{first}–{number(last)}"


def levels_of(league: League, rows: Sequence[FindingRow]) -> list[LevelPlot]:
    """Draw the mean rating of those who played, of each system by itself: their scales are their own."""
    found = []
    for row in rows:
        levels = row.data["inflation"]
        if row.baseline or len(levels) < 2:
            continue
        points = [(86400.0 * one["day"], one["mean"]) for one in levels]
        lines = [
            (day(moment_of(round(one["day"] * MICROS_A_DAY)), league), number(one["mean"], 1), number(one["players"]))
            for one in levels
        ]
        dots = [
            Dot(at, mean, f"{when}: {shown}") for (at, mean), (when, shown, _players) in zip(points, lines, strict=True)
        ]
        start, end = points[0][0], points[-1][0]
        span = start - MARGIN * (end - start), end + EDGE * (end - start)
        plot = plot_of([Series(points, dots=dots)], *span, decimals=1)
        frame = Frame(*span, 0.0, 1.0)
        begun = years(league, frame)
        marks = [] if begun else [PlacedLabel(0.0, 100.0, lines[0][0]), PlacedLabel(100.0, 100.0, lines[-1][0])]
        found.append(LevelPlot(row.label, replace(plot, years=begun, marks=marks), lines))
    return found
