"""When the games of an imported competition were played."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from django.utils.translation import gettext as _

from league.apps.competitions.services.imported_competition import (
    ImportedCompetition,
    ImportedFixture,
    ImportWarning,
)
from league.core.calendar import get_time_zone, start_of_day
from league.core.errors import Problems, Refused

#: When the first round of a day begins, and the time between two rounds of a day, if a file states only days.
FIRST_ROUND, BETWEEN_ROUNDS = time(10), timedelta(hours=1)
#: Rounds of a day with more of them, or of today, follow each other faster.
MAX_ROUNDS_OF_DAY, CLOSE = 12, timedelta(minutes=1)


def choose_times(
    read: ImportedCompetition, time_zone: str, now: datetime
) -> tuple[dict[int, datetime], list[ImportWarning]]:
    """Return the time of each game by its fixture's id, and what is to be said about it.

    A file states times, the days of rounds, or the first day. If it states nothing, its games are of the whole day on
    which it is imported: the moment of reading says nothing about them. Raises Refused with the lines of results
    without a day if others have one.
    """
    by_round = _place_rounds(read, time_zone, now, read.starts_on or _find_first_day(read, time_zone))
    times: dict[int, datetime] = {}
    undated: list[ImportedFixture] = []
    spread = False
    for one in read.rounds:
        for fixture in one.list_fixtures():
            if fixture.has_game:
                stated = fixture.played_at or fixture.starts_at
                at = stated or by_round.get(one.number)
                spread |= stated is None and one.starts_at is None and at is not None
                times |= {id(fixture): at} if at is not None else {}
                undated += [fixture] if at is None else []
    if not undated:
        why = _("The file states no times of day. Rounds follow each other in their order, usually from 10:00 on.")
        return times, [ImportWarning(0, 0, "times_assumed", why)] if spread else []
    if times:
        problems = Problems()
        for fixture in undated:
            why = _("the result has no day. Add it, or state the first day when importing.")
            problems.add(fixture.line, "no_day", why, kind=Refused)
        problems.raise_any()
    today = now.astimezone(get_time_zone(time_zone)).date()
    by_round = _place_rounds(read, time_zone, now, today)
    message = _("The file states no days. Its games are of today, {day}; state the first day if that is wrong.")
    warning = ImportWarning(0, 0, "no_days", message.format(day=today))
    return {id(fixture): by_round[one.number] for one in read.rounds for fixture in one.list_fixtures()}, [warning]


def _find_first_day(read: ImportedCompetition, time_zone: str) -> date | None:
    starts = read.settings.get("starts_at")
    return None if starts is None else starts.astimezone(get_time_zone(time_zone)).date()


def _place_rounds(read: ImportedCompetition, time_zone: str, now: datetime, day: date | None) -> dict[int, datetime]:
    """Return when the rounds were played; ``day``: of the first. A round without a day is of the day before it."""
    times: dict[int, datetime] = {}
    by_day: defaultdict[date, list[int]] = defaultdict(list)
    for one in read.rounds:
        if one.starts_at is not None:
            times[one.number] = one.starts_at
            day = one.starts_at.astimezone(get_time_zone(time_zone)).date()
            continue
        day = one.day or day
        if day is not None:
            by_day[day].append(one.number)
    for day, numbers in by_day.items():
        times |= zip(numbers, _spread_over_day(day, len(numbers), time_zone, now), strict=True)
    return times


def _spread_over_day(day: date, count: int, time_zone: str, now: datetime) -> Iterator[datetime]:
    """Yield the times of some rounds of a day: from ten o'clock, or, if that is still to come, from its beginning."""
    first, step = datetime.combine(day, FIRST_ROUND, get_time_zone(time_zone)), BETWEEN_ROUNDS
    if count > MAX_ROUNDS_OF_DAY:
        step = CLOSE
    midnight = start_of_day(day, time_zone)
    if midnight <= now < first + step * (count - 1):
        first, step = midnight, min(CLOSE, (now - midnight) / count)
    return (first + step * at for at in range(count))
