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


def turns_between(league: League, rules: Sequence[Rule], start: datetime, end: datetime) -> list[SeasonTurn]:
    """Return the starts of seasons between two times, both included, in order."""
    found: list[SeasonTurn] = []
    for rule, after in zip(rules, [*rules[1:], None], strict=True):
        if not rule.season or (after is not None and after.starts_at <= start):
            continue
        first, last = max(start, rule.starts_at), end
        for day in days_between(rule.season["days"], first.date() - DAY, min(last.date(), LATEST) + DAY):
            at = start_of_day(day, league.time_zone)
            if found and found[-1].at == at:
                continue  # if the zone skips a day, it starts with the next one: only one season begins
            if first <= at <= last and (after is None or at < after.starts_at):
                found.append(SeasonTurn(at, rule.season["pull"], rule))
    return found


def days_between(days: Sequence[str], first: date, last: date) -> Iterator[date]:
    """Yield the dates of yearly days ("09-01") between two dates, both included, in order."""
    parts = sorted((int(day[:2]), int(day[3:])) for day in days)
    for year in range(first.year, min(last, LATEST).year + 1):
        for month, day in parts:
            found = date(year, month, day)
            if first <= found <= last:
                yield found
