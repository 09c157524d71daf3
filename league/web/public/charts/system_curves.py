"""The charts that explain a rating system: its curves with named axes, and a small picture of the first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.text.display_formats import format_number, format_ordinal, format_percentage, format_signed
from league.web.public.charts.plots import Dot, Frame, PlacedLabel, Plot, Series, compute_bounds, plot_of, step_between
from ratings.contract.method import Method
from ratings.contract.system import CurveKind, RatingSystem
from ratings.describe.response_curves import ResponseCurve, compute_curve, list_curve_kinds
from ratings.describe.sample_season import SCORES, compute_season

#: Maximum number of steps between the labels of the axis across.
MAX_MARK_STEPS = 4
#: The box of a small picture, and the space above and below its lines.
SMALL_WIDTH, SMALL_HEIGHT, SMALL_MARGIN = 240.0, 96.0, 4.0
#: Of a line with rounded values, a small picture shows every point of this number.
SMALL_STEP = 5
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
    """A picture: (CSS class, path) in a box of 240 × 96, the main line last, the height of zero, and what it shows."""

    paths: list[tuple[str, str]]
    zero: float
    words: str


def build_system_charts(system: RatingSystem, *, compared: bool = True) -> list[SystemChart]:
    """Return the charts of a system, the most important one first; ``compared``: with lines of other parameters."""
    kinds = list_curve_kinds(system)
    return [_build_chart(system, compute_curve(system, kind, compared=compared)) for kind in kinds]


def build_method_chart(method: Method) -> SystemChart:
    """Return the chart of a ladder method: the score of a sample player after each game."""
    curve = compute_season(method)
    points = curve.lines[0].points
    at, value = points[-1]
    figure = format_number(value, method.decimals)
    won, drawn = sum(score > 0 for score in SCORES), sum(score == 0 for score in SCORES)
    sentence = _("The same twenty games for every method: {won} won, {drawn} drawn, {lost} lost.").format(
        won=won, drawn=drawn, lost=len(SCORES) - won - drawn
    )
    plot = plot_of(
        [Series(points, dots=[Dot(at, value, figure, "won")])],
        0.0,
        at,
        decimals=method.decimals,
        marks=[(float(games), format_number(games)) for games in range(0, len(SCORES) + 1, 5)],
        describe=format_number,
    )
    plot = replace(plot, notes=[PlacedLabel(plot.dots[0].x, plot.dots[0].y, figure, "end")])
    title = _("An example: the score after each game")
    return SystemChart("season", title, _("games"), method.score_label, sentence, f"{title}. {sentence}", plot)


def build_small_curve(rules: RatingSystem | Method) -> SmallCurve:
    """Return the first curve of a system, or that of a ladder method, as a small picture."""
    curve = compute_season(rules) if isinstance(rules, Method) else compute_curve(rules, list_curve_kinds(rules)[0])
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
    zero = round(y(0.5 if curve.kind == "expectation" else max(low, 0.0)), 1)
    return SmallCurve(paths[::-1], zero, "" if isinstance(rules, Method) else _describe_lines(rules, curve))


def _describe_lines(system: RatingSystem, curve: ResponseCurve) -> str:
    """Return the title of a curve with the names of its lines."""
    title, (main, *others) = _name_axes(system, curve.kind)[0], [line.label for line in curve.lines]
    if not main or not all(others):
        return title
    if not others:
        return _("{title}: {name}").format(title=title, name=main)
    return _("{title}: {name}; thin lines: {names}").format(title=title, name=main, names=", ".join(others))


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
    share = 0.3 if kind == "score" and _has_shares(system) else READ_AT[kind]
    at, value = main[round(share * (len(main) - 1))]
    reading = describe_reading(system, kind, at, value)
    series = [Series([(place, height * percent) for place, height in line.points], line.label) for line in curve.lines]
    series[0] = replace(series[0], dots=[Dot(at, value * percent, reading, "won")])
    plot = plot_of(
        series,
        main[0][0],
        main[-1][0],
        decimals=0 if kind in SHARES else system.decimals,
        zero=50.0 if kind == "expectation" else 0.0,
        marks=_list_marks(system, kind, main[0][0], main[-1][0]),
        scale_from=[bound * percent for bound in _find_bounds(curve)],
        describe=lambda position: _format_position(system, kind, position),
    )
    title, across, up = _name_axes(system, kind)
    rises = main[-1][1] > main[0][1]
    note = PlacedLabel(plot.dots[0].x, plot.dots[0].y, _format_value(system, kind, value), "end" if rises else "")
    notes = [note]
    # The labels are short: in narrow boxes they stay as they are.
    labels = [replace(label, brief="") for label in plot.labels]
    if len({line.points[-1][1] for line in curve.lines}) < len(curve.lines):
        labels, notes = [], [note, *_label_bends(curve)]
    plot = replace(_add_percent_signs(plot) if kind in SHARES else plot, labels=labels, notes=notes)
    return SystemChart(kind, title, across, up, reading, f"{title}. {reading}", plot)


def _label_bends(curve: ResponseCurve) -> list[PlacedLabel]:
    """Return the labels of lines that end level, where each reaches its last value."""
    frame = Frame(curve.lines[0].points[0][0], curve.lines[0].points[-1][0], *_find_bounds(curve))
    labels = []
    for line in curve.lines:
        at, value = next(point for point in line.points if point[1] == line.points[-1][1])
        labels.append(PlacedLabel(frame.x(at), frame.y(value), line.label, "middle"))
    return labels


def _add_percent_signs(plot: Plot) -> Plot:
    """Return a chart with its figures as percentages."""
    sign = _("{number}%")
    steps = [replace(step, figure=sign.format(number=step.figure)) for step in plot.steps]
    stops = [stop._replace(figures=[sign.format(number=figure) for figure in stop.figures]) for stop in plot.stops]
    return replace(plot, steps=steps, stops=stops)


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
