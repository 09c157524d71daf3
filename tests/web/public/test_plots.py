"""Lines over time: where they stand, at which round figures, and that no name stands on another."""

import pytest

from league.web.public.charts.plots import (
    APART,
    BOTTOM,
    NAMES_FROM,
    TOP,
    Dot,
    PlacedLabel,
    Series,
    draw_sparkline,
    plot_of,
    separate_labels,
    step_between,
)


def test_a_line_fills_the_box() -> None:
    plot = plot_of([Series([(0, 10), (5, 20), (10, 15)])], 0, 10)
    assert plot.paths == [("first", "M0.0 900.0 500.0 40.0 1000.0 470.0")]
    assert plot.labels == []


@pytest.mark.parametrize(
    ("low", "high", "step"), [(0, 1, 0.2), (993.9, 1015.6, 5), (-90, 30, 20), (0, 6, 1), (0, 0.03, 0.005), (0, 7, 2)]
)
def test_the_grid_stands_at_round_figures(low: float, high: float, step: float) -> None:
    assert step_between(low, high) == pytest.approx(step, rel=1e-12)


def test_figures_of_the_grid_have_the_decimals_they_need() -> None:
    assert [step.figure for step in plot_of([Series([(0, 0), (1, 1)])], 0, 1, decimals=2).steps] == [
        "0.0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1.0",
    ]
    steps = plot_of([Series([(0, -10), (1, 30)])], 0, 1, decimals=2).steps
    assert [(step.figure, step.zero) for step in steps] == [
        ("−10", False),
        ("0", True),
        ("10", False),
        ("20", False),
        ("30", False),
    ]
    assert (steps[0].y, steps[-1].y) == (BOTTOM, TOP)


def test_names_have_room_at_the_end_of_lines() -> None:
    whole = plot_of([Series([(0, 1), (10, 2)], "Anna", "2.00")], 0, 10)
    assert whole.labels == [PlacedLabel(NAMES_FROM, TOP, "Anna", figure="2.00")]
    early = plot_of([Series([(0, 1), (5, 2)], "Anna")], 0, 10)
    assert early.labels[0].x == 50.0  # half of the month is played: the names have the other half


def test_a_long_name_has_a_short_form_for_narrow_boxes() -> None:
    plot = plot_of([Series([(0, 1), (10, 2)], "Ljubomir Stanojević", "2.00"), Series([(0, 3), (9, 3)], "Anna")], 0, 10)
    assert {label.words: label.brief for label in plot.labels} == {"Ljubomir Stanojević": "Ljubomir Stan…", "Anna": ""}


def test_names_keep_apart_also_at_the_bottom() -> None:
    ys = [label.y for label in separate_labels([PlacedLabel(0, y, "x") for y in (BOTTOM, 88.0, 89.0, 20.0)])]
    assert ys == [20.0, round(BOTTOM - 2 * APART, 2), round(BOTTOM - APART, 2), BOTTOM]


def test_the_scale_may_leave_out_the_first_games() -> None:
    plot = plot_of([Series([(0, -500), (5, 10), (10, 20)])], 0, 10, scale_from=[10, 20])
    assert plot.paths == [("first", "M0.0 44760.0 500.0 900.0 1000.0 40.0")]


def test_the_first_line_lies_on_top() -> None:
    lines = [Series([(0, 1), (1, float(n))]) for n in range(3)]
    assert [kind for kind, _ in plot_of(lines, 0, 1).paths] == ["", "second", "first"]


def test_dots_stand_on_their_line_and_say_what_they_are() -> None:
    line = Series([(0, 0), (10, 10)], dots=[Dot(10, 10, "Peak 10", "won", "/g/1/")])
    (dot,) = plot_of([line], 0, 10).dots
    assert dot == PlacedLabel(100.0, TOP, "Peak 10", "won", href="/g/1/")


@pytest.mark.parametrize(("start", "end"), [(0, 0), (5, 5)])
def test_games_of_one_moment_do_not_divide_by_nothing(start: float, end: float) -> None:
    plot = plot_of([Series([(start, 7)], "Anna")], start, end, marks=[(start, "5 March")])
    assert (plot.labels[0].x, plot.marks[0].x) == (NAMES_FROM, NAMES_FROM)
    assert plot.paths == [("first", "M560.0 470.0")]


def test_a_spark_has_its_own_scale() -> None:
    assert draw_sparkline([1, 2, 3, 4]) == ""
    assert draw_sparkline([0, 1, 2, 1, 0]) == "M0.0 26.0 25.0 14.0 50.0 2.0 75.0 14.0 100.0 26.0"
    assert draw_sparkline([3] * 5).startswith("M0.0 14.0 ")


def test_no_figure_of_the_grid_is_printed_twice() -> None:
    steps = plot_of([Series([(0, 1500), (1, 1500)])], 0, 1).steps
    assert [step.figure for step in steps] == ["1499", "1500", "1501"]
    fine = plot_of([Series([(0, 0.4), (1, 0.41)])], 0, 1, decimals=2).steps
    assert [step.figure for step in fine] == ["0.40", "0.41"]
