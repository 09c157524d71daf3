"""The race chart of a period: the scores of its top players after each evening."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.utils.translation import gettext as _

from league.core.calendar import parse_dated_span, parse_span
from league.core.ladders.selectors.ladders import Row
from league.core.ladders.selectors.race import Race, RaceEvening, Runner
from league.core.ladders.selectors.races import load_current_race
from league.core.ladders.selectors.tallies import build_method
from league.core.leaderboard.selectors.current_board import State
from league.core.text.display_formats import format_day_of_year, format_full_day, format_full_day_of_year, format_number
from league.core.text.names import isolate_direction
from league.models import League, Period, Rule
from league.web.public.charts.plots import APART, Dot, Frame, PlacedLabel, Plot, Series, plot_of
from league.web.public.period_head import count_days_left, describe_chase, find_lead
from league.web.public.present import list_score_decimals
from ratings.contract.method import Method

#: Minimum distance of days of a month, and of longer dates, as a share of the width.
NEAR, FAR = 0.045, 0.13
#: Narrow boxes have room for this number of days; of more, they show each second one.
MAX_BRIEF_MARKS = 4
#: Room before the first evening for the score that all players start with, as a share of the time until the last.
LEAD_IN = 0.08
#: Lines have a dot for each evening up to this number; beyond it only at their ends.
MAX_DOTS = 12
#: Number of rows shown next to a race, or instead of it.
TOP = 3
#: From this number of days, the axis shows years.
YEARS = 500


@dataclass(frozen=True)
class RaceChart:
    """A race chart with its text alternative, and the same numbers as a table of (day, score of each player)."""

    plot: Plot
    label: str
    names: list[str]
    table: list[tuple[date, list[str]]]
    start: str
    is_late: bool
    """Whether a line begins after the first evening, once its player qualifies."""
    days: str
    """Which days of play it shows: each, or some."""
    notes: list[str]
    """What lines or days leave out."""


def draw_race(period: Period, method: Method, race: Race, rows: Sequence[Row], names_apart: float = APART) -> RaceChart:
    """Draw the race of a period; scores have as many decimals as in its ranking, ``rows``."""
    shown = {row["player"]: digits for row, digits in zip(rows, list_score_decimals(method, rows), strict=True)}
    decimals = [shown.get(runner.handle, method.decimals) for runner in race.runners]
    begins = _list_first_evenings(race)
    first = begins if race.start is not None else _skip_steep_begins(race, begins)
    evenings = race.evenings[min(first) :]
    end, length = evenings[-1].last.timestamp(), (evenings[-1].last - evenings[0].last).total_seconds()
    begin = evenings[0].last.timestamp() - (LEAD_IN * length if race.start is not None else 0.0)
    lines = [
        _build_race_series(race, runner, begin, since, digits)
        for runner, since, digits in zip(race.runners, first, decimals, strict=True)
    ]
    days = {evening.last.timestamp(): format_full_day(evening.day) for evening in evenings}
    plot = plot_of(
        lines,
        begin,
        end,
        decimals=method.decimals,
        zero=race.start or 0.0,
        describe=lambda time: days.get(time, ""),
        apart=True,
        names_apart=names_apart,
    )
    plot = replace(
        plot, marks=_place_date_marks(period, evenings, begin, end), stops=[s for s in plot.stops if s.words]
    )
    runner_scores = [dict(runner.scores) for runner in race.runners]
    return RaceChart(
        plot,
        _("{period} day by day").format(period=period.name),
        [runner.name for runner in race.runners],
        [
            (
                evening.day,
                [
                    format_number(scores.get(index), digits)
                    for scores, digits in zip(runner_scores, decimals, strict=True)
                ],
            )
            for index, evening in enumerate(race.evenings)
        ],
        ""
        if race.start is None
        else format_number(float(race.start), 0 if race.start == int(race.start) else method.decimals),
        any(begins),
        _("on some days of play") if race.is_thinned else _("after each day of play"),
        [*_explain_first_evening(period, evenings[0].day), *_explain_steep_begins(race, begins, first, decimals)],
    )


def _list_first_evenings(race: Race) -> list[int]:
    """Return the index of the evening at which each line begins.

    If everyone starts with a score, these are the first games; else a line begins when its player qualifies, unless
    that would leave no lines.
    """
    begins = [runner.qualified_from for runner in race.runners]
    return [0] * len(begins) if race.start is not None or min(begins) >= len(race.evenings) - 1 else begins


def _skip_steep_begins(race: Race, begins: Sequence[int]) -> list[int]:
    """Return where lines begin, without first scores of few games that would take more than half of the height."""
    shown = [
        [entry for entry in runner.scores if entry[0] >= at] for runner, at in zip(race.runners, begins, strict=True)
    ]
    later = [score for scores in shown for _index, score in scores[1:]]
    if not later or min(later) == max(later):
        return list(begins)
    low, high = min(later), max(later)
    room = high - low
    return [
        scores[1][0] if len(scores) > 2 and not low - room <= scores[0][1] <= high + room else at
        for scores, at in zip(shown, begins, strict=True)
    ]


def _explain_steep_begins(
    race: Race, begins: Sequence[int], first: Sequence[int], decimals: Sequence[int]
) -> Iterator[str]:
    """Yield a sentence for each first score that is not drawn."""
    text = _("{name} began with {score} on {day}, off this scale.")
    for runner, begin, since, digits in zip(race.runners, begins, first, decimals, strict=True):
        index, score = next((entry for entry in runner.scores if entry[0] >= begin), (since, 0.0))
        if index < since:
            day = format_full_day_of_year(race.evenings[index].day)
            yield text.format(name=isolate_direction(runner.name), score=format_number(score, digits), day=day)


def _explain_first_evening(period: Period, day: date) -> Iterator[str]:
    """Yield a sentence if the first day shown is before the period, which has the games after its midnight only."""
    span = parse_span(period.key) or parse_dated_span(period.key)
    if span and day < span.first:
        yield _("Of {day}, only the games after midnight count.").format(day=format_full_day_of_year(day))


def _build_race_series(race: Race, runner: Runner, begin: float, since: int, decimals: int) -> Series:
    """Return a player's line with a dot for each evening, or for the last one only."""
    dots = [
        Dot(
            evening.last.timestamp(),
            score,
            f"{isolate_direction(runner.name)}, {format_full_day(evening.day)}: {format_number(score, decimals)}",
        )
        for evening, score in (
            (race.evenings[evening_index], score) for evening_index, score in runner.scores if evening_index >= since
        )
    ]
    points = [(dot.at, dot.value) for dot in dots]
    if race.start is not None:
        points = [(begin, race.start), *points]
    figure = format_number(runner.scores[-1][1], decimals)
    return Series(points, runner.name, figure, dots if len(race.evenings) <= MAX_DOTS else dots[-1:])


def _place_date_marks(period: Period, evenings: Sequence[RaceEvening], begin: float, end: float) -> list[PlacedLabel]:
    """Return the days or years on the axis that have room; the latest evening is always among them.

    In narrow boxes there is room for each second one.
    """
    length = end - begin
    style = "month" if period.rule.cadence == "month" else "years" if length > YEARS * 86_400 else ""
    room = (NEAR if style == "month" else FAR) * length
    marks: list[tuple[float, str]] = []
    for evening in reversed(evenings):
        timestamp, label = evening.last.timestamp(), _format_axis_day(evening.day, style)
        if not marks or (marks[-1][0] - timestamp >= room and marks[-1][1] != label):
            marks.append((timestamp, label))
    frame = Frame(begin, end, 0.0, 1.0)
    return [
        PlacedLabel(frame.x(timestamp), 100.0, label, "long" if index % 2 and len(marks) > MAX_BRIEF_MARKS else "")
        for index, (timestamp, label) in enumerate(marks)
    ][::-1]


def _format_axis_day(day: date, style: str) -> str:
    """Return the axis label of a day: its number in a month, its year in a long period, else day and month."""
    return {"month": str(day.day), "years": str(day.year)}.get(style) or format_day_of_year(day)


def build_current_period(
    league: League, rules: Sequence[Rule], now: datetime, state: State | None = None, names_apart: float = APART
) -> dict[str, Any] | None:
    """Return the current period for a league's first page, None if there is none."""
    current = load_current_race(league, rules, now, state)
    if current is None:
        return None
    method = build_method(current.period.rule)
    lead = find_lead(method, current.rows)
    return {
        "period": current.period,
        "method": method,
        "left": count_days_left(league, current.period, now),
        "race": draw_race(current.period, method, current.race, current.rows, names_apart) if current.race else None,
        "top": [row for row in current.rows[:TOP] if row["rank"] is not None and row["rank"] <= TOP],
        "lead": lead.sentence if lead else "",
        "why": lead.why if lead else "",
        "chase": describe_chase(method, current.rows, current.needs),
    }
