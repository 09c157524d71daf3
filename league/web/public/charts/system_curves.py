"""The charts that explain a rating system: its curves with named axes, and a small picture of the first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.text.display_formats import format_number, format_ordinal, format_percentage, format_signed
from league.web.public.charts.plots import Dot, PlacedLabel, Plot, Series, compute_bounds, plot_of, step_between
from ratings.contract.system import CurveKind, RatingSystem
from ratings.describe.response_curves import ResponseCurve, compute_curve, list_curve_kinds

#: Maximum number of steps between the labels of the axis across.
MAX_MARK_STEPS = 6
#: The box of a small picture, and the space above and below its lines.
SMALL_WIDTH, SMALL_HEIGHT, SMALL_MARGIN = 240.0, 96.0, 4.0
#: Of a line with rounded values, a small picture shows every point of this number.
SMALL_STEP = 10
#: Kinds whose values are shares from 0 to 1, shown as percentages.
SHARES = ("weight", "expectation")
#: Where a curve is read in words, as a share of its length: after a quarter, a third above an equal rating, at an equal
#: rating, in first place, at a good score.
READ_AT = {"weight": 0.25, "expectation": 2 / 3, "win": 0.5, "place": 0.0, "score": 0.75}


@dataclass(frozen=True)
class SystemChart:
    """A chart with the names of its axes, a sentence that reads one value, and a name for screen readers."""

    kind: CurveKind
    title: str
    across: str
    up: str
    sentence: str
    label: str
    plot: Plot


@dataclass(frozen=True)
class SmallCurve:
    """A picture without words: (CSS class, path) in a box of 240 × 96, the main line last, and the height of zero."""

    paths: list[tuple[str, str]]
    zero: float


def build_system_charts(system: RatingSystem) -> list[SystemChart]:
    """Return the charts of a system, the most important one first."""
    return [_build_chart(system, compute_curve(system, kind)) for kind in list_curve_kinds(system)]


def build_small_curve(system: RatingSystem) -> SmallCurve:
    """Return a system's first curve as a small picture."""
    curve = compute_curve(system, list_curve_kinds(system)[0])
    low, high = _find_bounds(curve)
    start, end = curve.lines[0].points[0][0], curve.lines[0].points[-1][0]
    height = SMALL_HEIGHT - 2.0 * SMALL_MARGIN

    def place(point: tuple[float, float]) -> str:
        return f"{(point[0] - start) / (end - start) * SMALL_WIDTH:.1f} {y(point[1]):.1f}"

    def y(value: float) -> float:
        return SMALL_MARGIN + (high - value) / (high - low) * height

    paths = [
        ("" if index else "first", "M" + " ".join(place(point) for point in _thin(curve, line.points)))
        for index, line in enumerate(curve.lines)
    ]
    return SmallCurve(paths[::-1], round(y(0.5 if curve.kind == "expectation" else max(low, 0.0)), 1))


def _thin(curve: ResponseCurve, points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Return fewer points of a line whose values are rounded, so that a small picture shows no steps."""
    return points[::SMALL_STEP] if curve.kind == "score" else points


def _find_bounds(curve: ResponseCurve) -> tuple[float, float]:
    """Return the lowest and highest value of a curve's scale."""
    if curve.kind in SHARES:
        return 0.0, 1.0
    return compute_bounds([value for line in curve.lines for _at, value in line.points])


def _build_chart(system: RatingSystem, curve: ResponseCurve) -> SystemChart:
    """Return a curve with its axes, grid and labels."""
    kind, main = curve.kind, curve.lines[0].points
    percent = 100.0 if kind in SHARES else 1.0
    at, value = main[round(READ_AT[kind] * (len(main) - 1))]
    reading = describe_reading(system, kind, at, value)
    series = [
        Series(
            [(position, value * percent) for position, value in line.points],
            line.label,
            dots=[Dot(at, value * percent, reading, "won")] if line is curve.lines[0] else (),
        )
        for line in curve.lines
    ]
    start, end = main[0][0], main[-1][0]
    plot = plot_of(
        series,
        start,
        end,
        decimals=0 if kind in SHARES else system.decimals,
        zero=50.0 if kind == "expectation" else 0.0,
        marks=_list_marks(system, kind, start, end),
        scale_from=[bound * percent for bound in _find_bounds(curve)],
    )
    if kind in SHARES:
        steps = [replace(step, figure=_("{number}%").format(number=step.figure)) for step in plot.steps]
        plot = replace(plot, steps=steps)
    note = _format_value(system, kind, value)
    plot = replace(plot, notes=[PlacedLabel(dot.x, dot.y, note, kind="end") for dot in plot.dots])
    title, across, up = _name_axes(system, kind)
    return SystemChart(kind, title, across, up, reading, f"{title}. {reading}", plot)


def _name_axes(system: RatingSystem, kind: CurveKind) -> tuple[str, str, str]:
    """Return the title of a chart and the names of its axes, across and up."""
    if kind == "weight":
        return _("How long a game counts"), _("games played since"), _("weight")
    if kind == "expectation":
        return _("What the ratings predict"), _("your rating minus your opponent's"), _("expected score")
    if kind == "win":
        return _("What a win is worth"), _("your rating minus your opponent's"), _("change")
    if kind == "place":
        return _("What each place is worth"), _("place"), _("change")
    across = _("your share of all points") if _has_shares(system) else _("your score")
    return _("What each score is worth"), across, _("change")


def describe_reading(system: RatingSystem, kind: CurveKind, at: float, value: float) -> str:
    """Return a sentence that reads one value off a curve."""
    figure = _format_value(system, kind, value)
    if kind == "weight":
        return ngettext(
            "After {count} more game, a game weighs {figure} of what it weighed at first.",
            "After {count} more games, a game weighs {figure} of what it weighed at first.",
            round(at),
        ).format(count=format_number(at), figure=figure)
    if kind == "expectation":
        return _("If your rating is {points} higher, you are expected to score {figure}.").format(
            points=_format_position(system, kind, at).lstrip("+"), figure=figure
        )
    if kind == "win":
        return _("A win against an equal opponent: {figure}.").format(figure=figure)
    if kind == "place":
        return _("First of four equal players: {figure}.").format(figure=figure)
    if _has_shares(system):
        return _("{share} of all points against three equal opponents: {figure}.").format(
            share=_format_position(system, kind, at), figure=figure
        )
    return _("A score of {score} against equal opponents: {figure}.").format(
        score=_format_position(system, kind, at), figure=figure
    )


def _has_shares(system: RatingSystem) -> bool:
    """Return whether scores are shares of the points of the table: none is negative."""
    return system.lowest_score >= 0


def _format_value(system: RatingSystem, kind: CurveKind, value: float) -> str:
    """Format a value of a curve."""
    return format_percentage(value) if kind in SHARES else format_signed(value, _count_decimals(system, value))


def _count_decimals(system: RatingSystem, value: float) -> int:
    """Return the number of decimals of a change: none if it is whole."""
    return 0 if value == round(value) else system.decimals


def _format_position(system: RatingSystem, kind: CurveKind, at: float) -> str:
    """Format a position on the axis across."""
    decimals = 0 if at == round(at) else 1
    if kind in ("expectation", "win") and at:
        return format_signed(at, decimals)
    if kind == "place":
        return format_ordinal(round(at))
    return format_percentage(at / 100.0) if kind == "score" and _has_shares(system) else format_number(at, decimals)


def _list_marks(system: RatingSystem, kind: CurveKind, start: float, end: float) -> list[tuple[float, str]]:
    """Return the labels of the axis across, at round positions."""
    step = step_between(start, end, MAX_MARK_STEPS) if kind != "place" else 1.0
    positions = [index * step for index in range(ceil(start / step - 1e-9), floor(end / step + 1e-9) + 1)]
    return [(at, _format_position(system, kind, at)) for at in positions]
