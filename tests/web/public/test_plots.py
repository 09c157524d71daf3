"""Lines over time: where they stand, at which round figures, and that no name stands on another."""

from itertools import pairwise
from random import Random
from statistics import fmean
from typing import Any

import pytest
from django.utils.translation import override

from league.web.public.charts.player_chart import place_last_value
from league.web.public.charts.plots import (
    APART,
    APART_TALL,
    BOTTOM,
    HIGHEST_NAME,
    LINE_CLASSES,
    MAX_STOPS,
    TOP,
    Dot,
    Frame,
    PlacedLabel,
    Series,
    Sparkline,
    draw_sparkline,
    plot_of,
    separate_labels,
    step_between,
)
from league.web.public.charts.score_changes import find_level_score, place_notes
from league.web.public.charts.system_curves import build_small_curve
from league.web.public.query_forms import TypedSeat, read_score
from ratings.registry import get_system


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


def test_names_stand_at_the_end_of_lines() -> None:
    whole = plot_of([Series([(0, 1), (10, 2)], "Anna", "2.00")], 0, 10)
    assert whole.labels == [PlacedLabel(100.0, TOP, "Anna", "first", figure="2.00", end=TOP)]
    early = plot_of([Series([(0, 1), (5, 2)], "Anna")], 0, 10)
    assert early.labels[0].x == 50.0


def test_a_long_name_has_a_short_form_for_narrow_boxes() -> None:
    names = ["Ljubomir Stanojević", "Anna", "Maximilianus", "Supercalifragilistic", "South Korea", "Dario van der Meer"]
    plot = plot_of([Series([(0, 1), (10, value)], name, "2.00") for value, name in enumerate(names)], 0, 10)
    assert {label.words: label.brief for label in plot.labels} == {
        "Ljubomir Stanojević": "Ljubomir S.",
        "Anna": "",
        "Maximilianus": "",
        "Supercalifragilistic": "Supercalifr…",
        "South Korea": "South K.",
        "Dario van der Meer": "Dario M.",
    }


def test_lines_that_end_level_have_a_label_each_of_the_same_form() -> None:
    names = ["Yara Kovac", "Clara Okafor", "Ada"]
    lines = [Series([(0, value), (10, 2)], name, "2.0") for value, name in enumerate(names)]
    labels = plot_of(lines, 0, 10).labels
    assert [(label.words, label.brief, label.figure) for label in labels] == [
        ("Yara Kovac", "", "2.0"),
        ("Clara Okafor", "", "2.0"),
        ("Ada", "", "2.0"),
    ]
    # All three end at the top, 4 % from the edge: none can go beyond the edge, and they keep 7.7 apart.
    assert [(label.y, label.end) for label in labels] == [(0.0, 4.0), (7.7, 4.0), (15.4, 4.0)]


def test_a_piece_of_its_line_leads_to_each_name() -> None:
    lines = [Series([(0, 0), (10, value)], name, str(value)) for name, value in (("Anna", 100), ("Ben", 99))]
    first, second = plot_of(lines, 0, 10).labels
    # 1 of 100 is 0.86 of the height; the labels keep 7.7 apart: (4 + 4.86 - 7.7) / 2 and that much below it.
    assert (first.words, first.y, first.end) == ("Anna", 0.58, 4.0)
    assert (second.words, second.y, second.end) == ("Ben", 8.28, 4.86)
    assert (first.kind, second.kind) == ("first", "second")


def test_five_lines_have_classes_of_their_own_for_line_dots_and_name() -> None:
    lines = [Series([(0, value), (10, value)], f"P{value}", dots=[Dot(10, value, "")]) for value in range(6)]
    plot = plot_of(lines, 0, 10)
    classes = {"first", "second", "third", "fourth", "fifth", ""}
    assert {kind for kind, _path in plot.paths} == classes
    assert {dot.kind for dot in plot.dots} == {label.kind for label in plot.labels} == classes


def test_the_cross_hair_stops_at_the_dots_and_those_at_one_place_share_a_stop() -> None:
    lines = [
        Series([(0, 0), (10, 10)], dots=[Dot(0, 0, "a 0"), Dot(10, 10, "a 10")]),
        Series([(10, 5)], dots=[Dot(10, 5, "b 5")]),
    ]
    assert plot_of(lines, 0, 10).stops == [(0.0, [90.0], "a 0", (), 0), (100.0, [4.0, 47.0], "a 10\nb 5", (), 0)]


def test_the_cross_hair_shows_the_latest_value_of_each_line() -> None:
    lines = [Series([(0, 0), (10, 10)], "Anna"), Series([(5, 5)], "Ben")]
    plot = plot_of(lines, 0, 10, decimals=1, describe=lambda time: f"day {time:.0f}")
    assert plot.names == ["Anna", "Ben"]
    assert plot.stops == [
        (0.0, [90.0, None], "day 0", ["0.0", ""], 0),
        (50.0, [90.0, 47.0], "day 5", ["0.0", "5.0"], 0),
        (100.0, [4.0, 47.0], "day 10", ["10.0", "5.0"], 0),
    ]


def test_a_cross_hair_has_at_most_some_stops_and_the_last_is_one() -> None:
    points = [(float(n), 1.0) for n in range(10_000)]
    stops = plot_of([Series(points, "Anna")], 0, 9999, describe=str).stops
    assert len(stops) <= MAX_STOPS + 1
    assert [stops[0].words, stops[-1].words] == ["0.0", "9999.0"]
    assert len({stop.words for stop in stops}) == len(stops)


def test_a_chart_says_first_highest_and_last_to_those_who_do_not_see_it() -> None:
    lines = [Series([(0, 1), (5, -9.5), (7, 30), (10, 2)], "Anna"), Series([(0, 3), (9, 3)])]
    assert plot_of(lines, 0, 10, decimals=1).summary == (
        "Anna: first 1.0, highest 30.0, last 2.0; first 3.0, highest 3.0, last 3.0"
    )


def test_a_first_phase_is_compressed_if_it_is_longer() -> None:
    frame = Frame(0, 100, 0, 1, early=40)
    assert [frame.x(time) for time in (0, 20, 40, 70, 100)] == [0.0, 6.0, 12.0, 56.0, 100.0]
    assert [Frame(0, 100, 0, 1, early=10).x(time) for time in (0, 10, 70)] == [0.0, 10.0, 70.0]
    assert Frame(0, 100, 0, 1, early=100).x(50) == 50.0


def test_names_keep_apart_around_their_places_also_at_the_bottom() -> None:
    labels = separate_labels([PlacedLabel(0, y, "x") for y in (BOTTOM, 88.0, 89.0, 20.0)])
    assert [label.y for label in labels] == [20.0, round(BOTTOM - 2 * APART, 2), round(BOTTOM - APART, 2), BOTTOM]
    # Three at 50 stand 7.7 above, at and below it; one at 60 joins them, and all make room.
    assert [label.y for label in separate_labels([PlacedLabel(0, 50.0, "x")] * 3)] == [42.3, 50.0, 57.7]
    four = separate_labels([PlacedLabel(0, y, "x") for y in (50.0, 50.0, 50.0, 60.0)])
    assert [label.y for label in four] == [40.95, 48.65, 56.35, 64.05]
    assert [label.end for label in four] == [50.0, 50.0, 50.0, 60.0]


def find_least_squares(places: list[float], apart: float) -> list[float]:
    """Return the heights with the least squared moves by the min-max formula of isotonic regression, within the box."""
    level = [place - index * apart for index, place in enumerate(places)]
    count = len(level)
    free = [max(min(fmean(level[j : k + 1]) for k in range(i, count)) for j in range(i + 1)) for i in range(count)]
    lowest = BOTTOM - (count - 1) * apart
    return [min(max(HIGHEST_NAME, one), lowest) + index * apart for index, one in enumerate(free)]


@pytest.mark.parametrize("seed", range(60))
def test_names_keep_the_order_of_their_lines_and_move_as_little_as_possible(seed: int) -> None:
    random = Random(seed)
    for apart in (APART, APART_TALL, 9.5):
        count = random.randint(1, 12)
        close = random.choice((1.0, 10.0, 86.0))
        low = random.uniform(TOP, BOTTOM - close) if close < 86.0 else TOP
        ends = [round(random.uniform(low, low + close), random.choice((0, 2))) for _ in range(count)]
        placed = separate_labels([PlacedLabel(100.0, end, str(index)) for index, end in enumerate(ends)], apart)
        room = min(apart, (BOTTOM - HIGHEST_NAME) / max(1, count - 1))
        # Pieces from the ends to the names do not cross: those of equal ends fan out in the order of the lines.
        order = sorted(range(count), key=lambda index: (ends[index], index))
        assert [label.words for label in placed] == [str(index) for index in order]
        assert [label.end for label in placed] == sorted(ends)
        assert all(below.y - above.y >= room - 0.011 for above, below in pairwise(placed))
        assert all(HIGHEST_NAME <= label.y <= BOTTOM for label in placed)
        assert [label.y for label in placed] == pytest.approx(find_least_squares(sorted(ends), room), abs=0.006)


def test_the_scale_may_leave_out_the_first_games() -> None:
    plot = plot_of([Series([(0, -500), (5, 10), (10, 20)])], 0, 10, scale_from=[10, 20])
    assert plot.paths == [("first", "M0.0 44760.0 500.0 900.0 1000.0 40.0")]


def test_the_first_line_lies_on_top() -> None:
    lines = [Series([(0, 1), (1, float(n))]) for n in range(3)]
    assert [kind for kind, _ in plot_of(lines, 0, 1).paths] == ["third", "second", "first"]


def test_dots_stand_on_their_line_and_say_what_they_are() -> None:
    line = Series([(0, 0), (10, 10)], dots=[Dot(10, 10, "Peak 10", "won", "/g/1/")])
    (dot,) = plot_of([line], 0, 10).dots
    assert dot == PlacedLabel(100.0, TOP, "Peak 10", "won", href="/g/1/")


@pytest.mark.parametrize(("start", "end"), [(0, 0), (5, 5)])
def test_games_of_one_moment_do_not_divide_by_nothing(start: float, end: float) -> None:
    plot = plot_of([Series([(start, 7)], "Anna")], start, end, marks=[(start, "5 March")])
    assert (plot.labels[0].x, plot.marks[0].x) == (100.0, 100.0)
    assert plot.paths == [("first", "M1000.0 470.0")]


def test_a_spark_has_its_own_scale() -> None:
    assert draw_sparkline([1, 2, 3, 4]) is None
    assert draw_sparkline([0, 1, 2, 1, 0]) == Sparkline("M0 260l1 -120 1 -120 1 120 1 120", "4 260", 4)
    assert draw_sparkline([3] * 5) == Sparkline("M0 140l1 0 1 0 1 0 1 0", "4 140", 4)


def test_no_figure_of_the_grid_is_printed_twice() -> None:
    steps = plot_of([Series([(0, 1500), (1, 1500)])], 0, 1).steps
    assert [step.figure for step in steps] == ["1499", "1500", "1501"]
    fine = plot_of([Series([(0, 0.4), (1, 0.41)])], 0, 1, decimals=2).steps
    assert [step.figure for step in fine] == ["0.40", "0.41"]


@pytest.mark.parametrize(
    ("typed", "level", "sides"),
    [
        # Near each other, the typed one goes to the other side; at the edge only it has a label.
        (80.0, 83.0, ["", "end"]),
        (90.0, 93.0, ["end"]),
        (20.0, 23.0, ["end", ""]),
        (10.0, 13.0, [""]),
        # Far from each other, or on different sides, both stay.
        (80.0, 20.0, ["end", ""]),
        (20.0, 93.0, ["", "end"]),
    ],
)
def test_the_label_of_the_typed_score_and_of_the_one_that_changes_nothing_do_not_overlap(
    typed: float, level: float, sides: list[str]
) -> None:
    frame = Frame(0.0, 100.0, -50.0, 50.0)
    dots = [Dot(typed, (typed - level) / 2.0, "typed", "first"), Dot(level, 0.0, "level", "moved")]
    notes = place_notes(frame, dots, falls=False)
    assert [note.kind for note in notes] == sides
    assert [note.words for note in notes] == ["typed", "level"][: len(sides)]


def test_the_middle_of_the_scores_that_change_nothing_is_named_unless_they_go_on_to_the_end() -> None:
    what_if: Any = None
    assert find_level_score(what_if, 0, [(1.0, -2.0), (2.0, 0.0), (4.0, 0.0), (5.0, 1.0)]) == 3.0
    assert find_level_score(what_if, 0, [(1.0, 0.0), (2.0, 3.0)]) == 1.0
    for points in ([(1.0, 0.0), (2.0, 0.0), (4.0, 1.0)], [(1.0, -1.0), (2.0, 0.0), (4.0, 0.0)]):
        assert find_level_score(what_if, 0, points) is None


@pytest.mark.parametrize("level", range(5, 100, 10))
def test_labels_of_dots_end_within_a_phone(level: int) -> None:
    frame = Frame(0.0, 100.0, -50.0, 50.0)
    words = ("25: −0.02", "27.6 changes nothing")
    dots = [Dot(level - 3.0, -1.5, words[0], "first"), Dot(float(level), 0.0, words[1], "moved")]
    for note in place_notes(frame, dots, falls=False):
        # A letter takes about 7 of 320 pixels.
        assert note.kind == "end" or note.x + 2.2 * len(note.words) <= 100.0
        assert note.kind == "" or note.x - 2.2 * len(note.words) >= -10.0, "the figures of the scale are left of it"


def test_the_label_of_the_last_value_is_right_of_the_line_unless_that_is_the_peak() -> None:
    frame = Frame(0.0, 100.0, 0.0, 10.0)
    top = PlacedLabel(50.0, frame.y(10.0), "peak")
    # Half of a height of 86 % below 4 %.
    expected = PlacedLabel(100.0, 47.0, "5.0")
    assert place_last_value(get_system("elo")(), (100.0, 5.0), frame, top)[1] == [expected]
    assert place_last_value(get_system("elo")(), (50.0, 10.0), frame, top) == ([], [])


def test_a_typed_score_is_shown_in_the_readers_language_and_half_a_point_is_read() -> None:
    with override("de"):
        assert [TypedSeat(1, "anna", text).shown_result for text in ("-0.5", "12", "1-0", "")] == [
            "−0,5",
            "12",
            "1-0",
            "",
        ]
    with override("en"):
        assert TypedSeat(1, "anna", "-0.5").shown_result == "−0.5"
    assert [read_score(text) for text in ("½", "2½", "0,5", "−3")] == [0.5, 2.5, 0.5, -3.0]


def test_a_small_picture_of_a_system_names_its_lines() -> None:
    expected = "How long a game counts: half-life 100; thin lines: half-life 200, half-life 50"
    assert build_small_curve(get_system("barbu")()).words == expected


@pytest.mark.parametrize("seed", range(4))
def test_lines_at_one_value_run_beside_each_other_and_their_figures_stay(seed: int) -> None:
    random = Random(seed)
    lines = [[(float(time), float(random.randrange(3))) for time in range(6)] for _ in range(4)]
    series = [
        Series(points, f"Line {index}", dots=[Dot(at, value, f"{value:g}") for at, value in points])
        for index, points in enumerate(lines)
    ]
    drawn = {
        apart: plot_of(series, 0.0, 5.0, describe=lambda time: f"{time:g}", apart=apart) for apart in (False, True)
    }
    assert drawn[True].stops == drawn[False].stops, "the cross-hair tells the values as they are"
    assert len({(dot.x, dot.y) for dot in drawn[True].dots if dot.x}) == 4 * 5
    for time in range(1, 6):
        level = [index for index, line in enumerate(lines) if line[time][1] == lines[0][time][1]]
        heights = [
            next(d.y for d in drawn[True].dots if d.x == 20.0 * time and d.kind == LINE_CLASSES[i]) for i in level
        ]
        assert heights == sorted(heights), "the first line is uppermost"
        assert max(heights) - min(heights) < 6.0
