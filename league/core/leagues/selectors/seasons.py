"""Seasons: the instants at which they begin by a league's rules, and how far everyone is pulled to the start then."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from league.core.calendar import LATEST, start_of_day
from league.models import League, Rule

#: A rule that is always in force begins long before all games: no season of that time is looked for.
DAY = timedelta(days=1)


@dataclass(frozen=True)
class SeasonTurn:
    """The turn of a season: the instant before whose games everyone is pulled, how far, and by which rule."""

    at: datetime
    pull: float
    rule: Rule


def has_seasons(rules: Sequence[Rule]) -> bool:
    """Return whether one of the rules knows seasons."""
    return any(rule.season for rule in rules)


def turns_between(league: League, rules: Sequence[Rule], start: datetime, end: datetime) -> list[SeasonTurn]:
    """Return the turns from an instant on until another one, both included, the earliest first."""
    found: list[SeasonTurn] = []
    for rule, after in zip(rules, [*rules[1:], None], strict=True):
        if not rule.season or (after is not None and after.starts_at <= start):
            continue
        first, last = max(start, rule.starts_at), end
        for day in days_between(rule.season["days"], first.date() - DAY, min(last.date(), LATEST) + DAY):
            at = start_of_day(day, league.time_zone)
            if found and found[-1].at == at:
                continue  # A zone may leave a day out: then it begins with the next one, and so does one season.
            if first <= at <= last and (after is None or at < after.starts_at):
                found.append(SeasonTurn(at, rule.season["pull"], rule))
    return found


def days_between(days: Sequence[str], first: date, last: date) -> Iterator[date]:
    """Yield the days of the calendar that bear one of these ("09-01") between two days, both included, in order."""
    parts = sorted((int(day[:2]), int(day[3:])) for day in days)
    for year in range(first.year, min(last, LATEST).year + 1):
        for month, day in parts:
            found = date(year, month, day)
            if first <= found <= last:
                yield found
