"""The race chart of a period: the scores of its top players after each evening."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from league.core.ladders.selectors.race import Race, RaceEvening
from league.core.ladders.selectors.races import load_current_race
from league.core.ladders.selectors.tallies import build_method
from league.core.leaderboard.selectors.current_board import State
from league.core.text.display_formats import format_day_of_year, format_full_day, format_number, get_known_zone
from league.core.text.names import isolate_direction
from league.models import League, Period, Rule
from league.web.public.charts.plots import MARGIN, NAMES_FROM, Dot, Plot, Series, plot_of, shorten
from league.web.public.period_head import count_days_left, find_lead
from ratings.contract.method import Method

#: Maximum length of names at the ends of lines; full names are in the ranking and the titles of dots.
MAX_NAME_LENGTH = 22
#: Minimum distance of days of a month, and of longer dates, as a share of the width.
NEAR, FAR = 0.055, 0.14
#: Cadences that are drawn from their first to their last day; others are drawn from the first to the last evening.
FRAMED = ("week", "month", "quarter", "year", "dated")
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


def draw_race(league: League, period: Period, method: Method, race: Race) -> RaceChart:
    """Draw the race of a period."""
    begin, end = _compute_time_frame(period, race.evenings)
    first = begin.timestamp() if race.start is not None else None
    lines = [_build_race_series(race, index, first, method.decimals) for index in range(len(race.runners))]
    margin = MARGIN * (end - begin).total_seconds()
    plot = plot_of(
        lines,
        begin.timestamp() - margin,
        end.timestamp(),
        decimals=method.decimals,
        zero=race.start or 0.0,
        marks=_place_date_marks(league, period, race.evenings, begin, end),
    )
    standings = "; ".join(
        f"{isolate_direction(runner.name)} {format_number(runner.scores[-1][1], method.decimals)}"
        for runner in race.runners
    )
    runner_scores = [dict(runner.scores) for runner in race.runners]
    return RaceChart(
        plot,
        _("{period} day by day: {ends}").format(period=period.name, ends=standings),
        [runner.name for runner in race.runners],
        [
            (evening.day, [format_number(scores.get(index), method.decimals) for scores in runner_scores])
            for index, evening in enumerate(race.evenings)
        ],
        ""
        if race.start is None
        else format_number(race.start, 0 if race.start == int(race.start) else method.decimals),
    )


def _compute_time_frame(period: Period, evenings: Sequence[RaceEvening]) -> tuple[datetime, datetime]:
    """Return the start and end of a race chart."""
    if period.rule.cadence in FRAMED:
        return period.starts_at, period.ends_at
    return evenings[0].first, evenings[-1].last


def _build_race_series(race: Race, index: int, begin: float | None, decimals: int) -> Series:
    """Return a player's line with a dot for each evening."""
    runner = race.runners[index]
    dots = [
        Dot(
            evening.last.timestamp(),
            score,
            f"{isolate_direction(runner.name)}, {format_full_day(evening.day)}: {format_number(score, decimals)}",
        )
        for evening, score in ((race.evenings[evening_index], score) for evening_index, score in runner.scores)
    ]
    points = [(dot.at, dot.value) for dot in dots]
    if begin is not None and race.start is not None:
        points = [(begin, race.start), *points]
    return Series(points, shorten(runner.name, MAX_NAME_LENGTH), format_number(runner.scores[-1][1], decimals), dots)


def _place_date_marks(
    league: League, period: Period, evenings: Sequence[RaceEvening], begin: datetime, end: datetime
) -> list[tuple[float, str]]:
    """Return the days or years on the axis that have room; the latest evening is always among them."""
    length = (end - begin).total_seconds() or 1.0
    style = "month" if period.rule.cadence == "month" else "years" if length > YEARS * 86_400 else ""
    # ``plot_of`` shortens the axis for the names at the ends of lines.
    progress = (evenings[-1].last - begin).total_seconds() / length
    drawn_share = min(1.0, NAMES_FROM / 100.0 / progress) if progress > 0 else 1.0
    room = (NEAR if style == "month" else FAR) * length / drawn_share
    marks: list[tuple[float, str]] = []
    for evening in reversed(evenings):
        timestamp, label = evening.last.timestamp(), _format_axis_day(evening.day, style)
        if not marks or (marks[-1][0] - timestamp >= room and marks[-1][1] != label):
            marks.append((timestamp, label))
    last = (end - timedelta(microseconds=1)).astimezone(get_known_zone(league.time_zone))
    if period.rule.cadence in FRAMED and end.timestamp() - marks[0][0] >= FAR * length / drawn_share:
        marks.insert(0, (end.timestamp(), _format_axis_day(last.date(), "" if style == "month" else style)))
    return marks[::-1]


def _format_axis_day(day: date, style: str) -> str:
    """Return the axis label of a day: its number in a month, its year in a long period, else day and month."""
    return {"month": str(day.day), "years": str(day.year)}.get(style) or format_day_of_year(day)


def build_current_period(
    league: League, rules: Sequence[Rule], now: datetime, state: State | None = None
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
        "race": draw_race(league, current.period, method, current.race) if current.race else None,
        "top": [row for row in current.rows[:TOP] if row["rank"] is not None and row["rank"] <= TOP],
        "lead": lead.sentence if lead else "",
    }
