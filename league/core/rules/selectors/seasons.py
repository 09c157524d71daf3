"""Start times of seasons under a league's rules, and how far players are pulled to the initial rating."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from league.core.calendar import LATEST, start_of_day
from league.models import League, Rule

#: The first rule begins long before all games: seasons of that time are not computed.
DAY = timedelta(days=1)


@dataclass(frozen=True)
class SeasonTurn:
    """The start of a season: the time before whose games everyone is pulled, the pull, and its rule."""

    at: datetime
    pull: float
    rule: Rule


def has_seasons(rules: Sequence[Rule]) -> bool:
    """Return whether any of the rules has seasons."""
    return any(rule.season for rule in rules)


def load_season_starts(league: League, rules: Sequence[Rule], start: datetime, end: datetime) -> list[SeasonTurn]:
    """Return the starts of seasons between two times, both included, in order."""
    turns: list[SeasonTurn] = []
    for rule, next_rule in zip(rules, [*rules[1:], None], strict=True):
        if not rule.season or (next_rule is not None and next_rule.starts_at <= start):
            continue
        first, last = max(start, rule.starts_at), end
        for day in _iter_yearly_days(rule.season["days"], first.date() - DAY, min(last.date(), LATEST) + DAY):
            starts_at = start_of_day(day, league.time_zone)
            if turns and turns[-1].at == starts_at:
                continue  # if the zone skips a day, it starts with the next one: only one season begins
            if first <= starts_at <= last and (next_rule is None or starts_at < next_rule.starts_at):
                turns.append(SeasonTurn(starts_at, rule.season["pull"], rule))
    return turns


def _iter_yearly_days(days: Sequence[str], first: date, last: date) -> Iterator[date]:
    """Yield the dates of yearly days ("09-01") between two dates, both included, in order."""
    months_and_days = sorted((int(day[:2]), int(day[3:])) for day in days)
    for year in range(first.year, min(last, LATEST).year + 1):
        for month, day in months_and_days:
            start_day = date(year, month, day)
            if first <= start_day <= last:
                yield start_day
