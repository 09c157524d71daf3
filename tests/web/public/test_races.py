"""The chart of a race: where its lines begin and end, its dots, its days, and what the cross-hair says."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from league.core.ladders.selectors.ladders import Row
from league.core.ladders.selectors.race import Race, RaceEvening, Runner
from league.models import LadderRule, Period
from league.web.public.charts.races import RaceChart, draw_race
from ratings.registry import get_method

FIRST = datetime(2024, 3, 1, 19, tzinfo=UTC)


def evenings(count: int, days: int = 7) -> list[RaceEvening]:
    """Return evenings some days apart, of two hours."""
    starts = [FIRST + timedelta(days=days * index) for index in range(count)]
    return [RaceEvening(start.date(), start, start + timedelta(hours=2)) for start in starts]


def runner(name: str, scores: list[float], first: int = 0, qualified_from: int = 0) -> Runner:
    """Return a runner with a score after each evening from one on."""
    return Runner(name.lower(), name, 1, [(first + index, score) for index, score in enumerate(scores)], qualified_from)


def draw(race: Race, cadence: str = "year", rows: Sequence[Row] = ()) -> RaceChart:
    """Return the chart of a race of March 2024."""
    period = Period(key="2024", title="2024", rule=LadderRule(cadence=cadence))
    return draw_race(period, get_method("points")(), race, rows)


def starts_of(chart: RaceChart) -> list[float]:
    """Return where the lines begin, in per cent, the first line first."""
    return [float(path[1:].split()[0]) / 10 for _, path in chart.plot.paths[::-1]]


def test_the_axis_ends_with_the_last_evening_and_begins_shortly_before_the_first_where_all_start_level() -> None:
    race = Race(evenings(3), [runner("Anna", [1.0, 2.0, 3.0]), runner("Ben", [0.0, 1.0], first=1)], 0.0)
    chart = draw(race, "month")
    # Two weeks, and 8 % of them before: 0.08 of 1.08 is 7.41 %.
    assert [stop.x for stop in chart.plot.stops] == [7.41, 53.7, 100.0]
    assert starts_of(chart) == [0.0, 0.0]
    assert [label.x for label in chart.plot.labels] == [100.0, 100.0]
    assert [(mark.words, mark.x) for mark in chart.plot.marks] == [("1", 7.41), ("8", 53.7), ("15", 100.0)]
    assert chart.plot.stops[0].figures == ["1.0", "0.0"]
    assert chart.plot.stops[0].words == "1 March 2024"


def test_a_chart_of_some_evenings_does_not_claim_each() -> None:
    runners = [runner("Anna", [1.0, 2.0, 3.0])]
    assert draw(Race(evenings(3), runners, None)).days == "after each day of play"
    assert draw(Race(evenings(3), runners, None, is_thinned=True)).days == "on some days of play"


def test_lines_begin_when_their_players_qualify() -> None:
    runners = [runner("Anna", [9.0, 5.0, 3.0, 2.0], qualified_from=2), runner("Ben", [1.0] * 4, qualified_from=1)]
    chart = draw(Race(evenings(4), runners, None))
    assert [stop.words for stop in chart.plot.stops] == ["8 March 2024", "15 March 2024", "22 March 2024"]
    assert starts_of(chart) == [50.0, 0.0]
    # 9 and 5, the scores of few games, do not set the scale; the table has them.
    assert chart.plot.steps[0].y == 90.0 and chart.plot.steps[-1].figure == "3.0"
    assert chart.table[0] == (date(2024, 3, 1), ["9.0", "1.0"])
    # Nobody qualified before the last evening: the lines are drawn from the first game.
    late = draw(Race(evenings(4), [runner("Anna", [9.0, 5.0, 3.0, 2.0], qualified_from=3)], None))
    assert starts_of(late) == [0.0]


def test_a_first_score_that_would_set_the_scale_is_said_and_not_drawn() -> None:
    runners = [runner("Anna", [23.0, 11.0, 13.0, 12.0]), runner("Ben", [9.0, 10.0, 11.0, 10.0])]
    chart = draw(Race(evenings(4), runners, None))
    # The other scores are from 10 to 13: 23 is more than three above them, 9 is not below seven.
    assert chart.notes == ["Anna began with 23.0 on 1 March, off this scale."]
    assert starts_of(chart) == [33.33, 0.0]
    assert chart.plot.steps[-1].figure in ("13", "13.0")
    assert chart.table[0] == (date(2024, 3, 1), ["23.0", "9.0"])
    assert draw(Race(evenings(4), [runners[1]], None)).notes == []


def test_the_evening_before_a_period_is_said_to_have_its_late_games_only() -> None:
    period = Period(key="2024-03", title="March 2024", rule=LadderRule(cadence="month"))
    late = RaceEvening(date(2024, 2, 29), FIRST, FIRST)
    race = Race([late, *evenings(3)[1:]], [runner("Anna", [1.0, 2.0, 3.0])], 0.0)
    assert draw_race(period, get_method("points")(), race, ()).notes == [
        "Of 29 February, only the games after midnight count."
    ]


def test_each_evening_has_a_dot_up_to_twelve_and_then_the_last_alone() -> None:
    for count, dots in ((12, 12), (13, 1)):
        scores = [float(index) for index in range(count)]
        assert len(draw(Race(evenings(count), [runner("Anna", scores)], None)).plot.dots) == dots


def test_a_narrow_box_shows_each_second_of_many_days_and_the_last() -> None:
    marks = draw(Race(evenings(9), [runner("Anna", [1.0] * 9)], None)).plot.marks
    assert [mark.words for mark in marks] == ["1 Mar", "15 Mar", "29 Mar", "12 Apr", "26 Apr"]
    assert [mark.kind for mark in marks] == ["", "long", "", "long", ""]
    few = draw(Race(evenings(3), [runner("Anna", [1.0] * 3)], None)).plot.marks
    assert [mark.kind for mark in few] == ["", "", ""]


def test_scores_have_the_decimals_of_the_ranking() -> None:
    rows: list[Row] = [
        {"player": name, "score": score} for name, score in (("anna", 3.04), ("ben", 3.02), ("cleo", 1.0))
    ]
    runners = [runner("Anna", [1.0, 3.04]), runner("Ben", [1.0, 3.02]), runner("Cleo", [1.0, 1.0])]
    chart = draw(Race(evenings(2), runners, None), rows=rows)
    # With one decimal, the method's own, the first two would both be 3.0.
    assert [(label.words, label.figure) for label in chart.plot.labels] == [
        ("Anna", "3.04"),
        ("Ben", "3.02"),
        ("Cleo", "1.0"),
    ]
    assert [scores for _day, scores in chart.table] == [["1.00", "1.00", "1.0"], ["3.04", "3.02", "1.0"]]
