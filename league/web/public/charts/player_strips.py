"""Two grids of a player's years: the periods won of each ladder, and the number of games by month."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import NamedTuple

import numpy as np
from django.utils.dateformat import format as format_date
from django.utils.translation import ngettext

from league.core.calendar import compute_previous_evening_end, parse_span, start_of_day
from league.core.db.columns import Column, convert_to_datetime, convert_to_micros
from league.core.games.selectors.games import compute_evening_day
from league.core.ladders.selectors.ladders import PublishedPeriod
from league.core.players.selectors.titles import Title
from league.core.text.display_formats import format_month, format_number, get_known_zone_name
from league.models import League
from league.web.public.charts.winners import COLUMNS, format_label, get_place, get_year

#: Minimum number of games for the grid of months, maximum number of years in it, and the number of shades.
MIN_GAMES, MAX_YEARS, SHADES = 5, 6, 4


class PeriodCell(NamedTuple):
    """A closed period: its key, its short label, the words for it, and whether the player won it."""

    key: str
    label: str
    words: str
    won: bool


@dataclass(frozen=True)
class TitleStrip:
    """The closed periods of a ladder in rows, the latest first: the years with a title; ``cells``: None for no period.

    ``columns`` is 0 if the cells follow each other; then there are only those of titles.
    """

    ladder: str
    ladder_title: str
    won: int
    closed: int
    columns: int
    rows: list[tuple[str, list[PeriodCell | None]]]

    @property
    def has_fewer_years(self) -> bool:
        """Whether years without a title are left out."""
        return bool(self.columns) and sum(cell is not None for _, row in self.rows for cell in row) < self.closed


def build_title_strips(titles: Sequence[Title], closed: Sequence[PublishedPeriod]) -> list[TitleStrip]:
    """Return a strip for each ladder in which the player has won a period, most titles first."""
    strips = []
    for ladder in dict.fromkeys(title.ladder for title in titles):
        won = {title.key: title for title in titles if title.ladder == ladder}
        periods = [period for period in closed if period.edition.ladder.slug == ladder]
        columns, rows = _arrange_periods(periods, won)
        strips.append(TitleStrip(ladder, next(iter(won.values())).ladder_title, len(won), len(periods), columns, rows))
    return sorted(strips, key=lambda strip: -strip.won)


def _arrange_periods(
    periods: Sequence[PublishedPeriod], won: dict[str, Title]
) -> tuple[int, list[tuple[str, list[PeriodCell | None]]]]:
    """Return the number of columns, and the rows of cells."""
    spans = [parse_span(period.edition.key) for period in periods]
    cadences = {span.cadence if span else "" for span in spans}
    columns = COLUMNS.get(cadences.pop(), 0) if len(cadences) == 1 else 0
    cells = []
    for period, span in zip(periods, spans, strict=True):
        title = won.get(period.edition.key)
        words = f"{period.name}: {format_number(title.score, title.decimals)}" if title else period.name
        label = (format_label(span) if columns else "") or period.name
        cell = PeriodCell(period.edition.key, label, words, title is not None)
        cells.append((get_year(span) if columns else "", get_place(span), cell))
    rows: list[tuple[str, list[PeriodCell | None]]] = []
    in_years = columns == COLUMNS["year"]
    # Years go on to the last one: they follow each other from the decade of the first title on.
    first_won = max((index for index, (_, _, cell) in enumerate(cells) if cell.won), default=-1)
    decade = cells[first_won][0] if cells else ""
    for year, group in groupby(cells, key=lambda entry: entry[0]):
        placed = [(place, cell) for _, place, cell in group]
        if any(cell.won for _, cell in placed) or (in_years and year >= decade):
            by_place = dict(placed)
            row = [by_place.get(place) for place in range(1, columns + 1)]
            rows.append((year, row if columns else [cell for _, cell in placed if cell.won]))
    if in_years:
        # Years need no decade.
        years = [cell for _, row in rows[::-1] for cell in row if cell]
        rows = [
            ("", [*years[start : start + columns], *[None] * (start + columns - len(years))])
            for start in range(0, len(years), columns)
        ]
    return columns, rows


class MonthCell(NamedTuple):
    """The games of a month: number, shade from 0 (none) to SHADES, and the words for it."""

    games: int
    shade: int
    words: str


@dataclass(frozen=True)
class Activity:
    """The games by month: short names of the months, and a row of twelve for each year, the latest first.

    ``earlier``: the number of games before these years.
    """

    months: list[str]
    years: list[tuple[int, list[MonthCell]]]
    earlier: int

    @property
    def since(self) -> int:
        """Return the first year shown."""
        return self.years[-1][0]


def count_games_by_month(league: League, times: Column) -> Activity | None:
    """Return the games of the latest years by month; None for few games. ``times`` are in ascending order."""
    if len(times) < MIN_GAMES:
        return None
    first, last = (compute_evening_day(league, convert_to_datetime(int(time))).year for time in (times[0], times[-1]))
    years = range(max(first, last - MAX_YEARS + 1), last + 1)
    starts = [date(year, month, 1) for year in years for month in range(1, 13)]
    places = _count_games_before(league, times, [*starts, date(last + 1, 1, 1)])
    counts = np.diff(places).tolist()
    highest = max(counts)
    cells = [
        MonthCell(games, -(-games * SHADES // highest), _describe_month(start, games))
        for start, games in zip(starts, counts, strict=True)
    ]
    rows = [(year, cells[12 * index : 12 * index + 12]) for index, year in enumerate(years)]
    return Activity([format_date(start, "M") for start in starts[:12]], rows[::-1], int(places[0]))


def _count_games_before(league: League, times: Column, days: Sequence[date]) -> Column:
    """Return how many games belong to the evenings before each day; those of the day without a time are first of it."""
    zone = get_known_zone_name(league.time_zone)
    begins = [convert_to_micros(start_of_day(day, zone)) for day in days]
    ends = [convert_to_micros(compute_previous_evening_end(day, zone)) for day in days]
    without_time = np.searchsorted(times, begins, side="right") - np.searchsorted(times, begins)
    return np.searchsorted(times, ends) - without_time


def _describe_month(start: date, games: int) -> str:
    """Return the words for a month's games."""
    text = ngettext("{month}: {games} game", "{month}: {games} games", games)
    return text.format(month=format_month(start), games=format_number(games))
