"""The race chart of a period: the scores of its top players after each evening."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from league.core.ladders.selectors.race import Race, RaceEvening
from league.core.ladders.selectors.races import in_play
from league.core.ladders.selectors.tallies import method_of
from league.core.leaderboard.selectors.current_board import State
from league.core.text.display_formats import day_in_full, day_of_year, known_zone, number
from league.core.text.names import isolated
from league.models import League, Period, Rule
from league.web.public.charts.plots import MARGIN, NAMES_FROM, Dot, Plot, Series, plot_of, shorten
from league.web.public.period_head import days_left, lead_of
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
    begin, end = frame_of(period, race.evenings)
    first = begin.timestamp() if race.start is not None else None
    lines = [series_of(race, index, first, method.decimals) for index in range(len(race.runners))]
    margin = MARGIN * (end - begin).total_seconds()
    plot = plot_of(
        lines,
        begin.timestamp() - margin,
        end.timestamp(),
        decimals=method.decimals,
        zero=race.start or 0.0,
        marks=marks_of(league, period, race.evenings, begin, end),
    )
    ends = "; ".join(
        f"{isolated(runner.name)} {number(runner.scores[-1][1], method.decimals)}" for runner in race.runners
    )
    figures = [dict(runner.scores) for runner in race.runners]
    return RaceChart(
        plot,
        _("{period} day by day: {ends}").format(period=period.name, ends=ends),
        [runner.name for runner in race.runners],
        [
            (evening.day, [number(scores.get(index), method.decimals) for scores in figures])
            for index, evening in enumerate(race.evenings)
        ],
        "" if race.start is None else number(race.start, 0 if race.start == int(race.start) else method.decimals),
    )


def frame_of(period: Period, evenings: Sequence[RaceEvening]) -> tuple[datetime, datetime]:
    """Return the start and end of a race chart."""
    if period.rule.cadence in FRAMED:
        return period.starts_at, period.ends_at
    return evenings[0].first, evenings[-1].last


def series_of(race: Race, index: int, begin: float | None, decimals: int) -> Series:
    """Return a player's line with a dot for each evening."""
    runner = race.runners[index]
    dots = [
        Dot(
            evening.last.timestamp(),
            score,
            f"{isolated(runner.name)}, {day_in_full(evening.day)}: {number(score, decimals)}",
        )
        for evening, score in ((race.evenings[at], score) for at, score in runner.scores)
    ]
    points = [(dot.at, dot.value) for dot in dots]
    if begin is not None and race.start is not None:
        points = [(begin, race.start), *points]
    return Series(points, shorten(runner.name, MAX_NAME_LENGTH), number(runner.scores[-1][1], decimals), dots)


def marks_of(
    league: League, period: Period, evenings: Sequence[RaceEvening], begin: datetime, end: datetime
) -> list[tuple[float, str]]:
    """Return the days or years on the axis that have room, always including the latest evening and the last day."""
    length = (end - begin).total_seconds() or 1.0
    style = "month" if period.rule.cadence == "month" else "years" if length > YEARS * 86_400 else ""
    # ``plot_of`` shortens the axis for the names at the ends of lines.
    done = (evenings[-1].last - begin).total_seconds() / length
    drawn_share = min(1.0, NAMES_FROM / 100.0 / done) if done > 0 else 1.0
    room = (NEAR if style == "month" else FAR) * length / drawn_share
    marks: list[tuple[float, str]] = []
    for evening in reversed(evenings):
        at, word = evening.last.timestamp(), day_label(evening.day, style)
        if not marks or (marks[-1][0] - at >= room and marks[-1][1] != word):
            marks.append((at, word))
    last = (end - timedelta(microseconds=1)).astimezone(known_zone(league.time_zone))
    if period.rule.cadence in FRAMED and end.timestamp() - marks[0][0] >= FAR * length / drawn_share:
        marks.insert(0, (end.timestamp(), day_label(last.date(), "" if style == "month" else style)))
    return marks[::-1]


def day_label(day: date, style: str) -> str:
    """Return the axis label of a day: its number in a month, its year in a long period, else day and month."""
    return {"month": str(day.day), "years": str(day.year)}.get(style) or day_of_year(day)


def running_of(
    league: League, rules: Sequence[Rule], now: datetime, state: State | None = None
) -> dict[str, Any] | None:
    """Return the current period for a league's first page, None if there is none."""
    found = in_play(league, rules, now, state)
    if found is None:
        return None
    method = method_of(found.period.rule)
    lead = lead_of(method, found.rows)
    return {
        "period": found.period,
        "method": method,
        "left": days_left(league, found.period, now),
        "race": draw_race(league, found.period, method, found.race) if found.race else None,
        "top": [row for row in found.rows[:TOP] if row["rank"] is not None and row["rank"] <= TOP],
        "lead": lead.sentence if lead else "",
    }
