"""Periods of the calendar: weeks, months, quarters, years, and the instants at which they begin in a zone.

A period is a half-open interval of instants (UTC). For every zone, also for those whose clocks jump
over midnight or strike it twice, consecutive periods have no gap and no overlap.
"""

import re
import zoneinfo
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.errors import UnknownZone

#: A first rule without a date is in force since before any game that we know of.
ALWAYS = date(1800, 1, 1)
LATEST = date(2200, 12, 31)
MOMENT = timedelta(microseconds=1)
#: An evening lasts into the small hours of the next day, until then.
MORNING = time(6)
CADENCES = ("week", "month", "quarter", "year", "all_time", "dated")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
KEYS = {
    "week": re.compile(r"(\d{4})-W(\d{2})"),
    "month": re.compile(r"(\d{4})-(\d{2})"),
    "quarter": re.compile(r"(\d{4})-Q(\d)"),
    "year": re.compile(r"(\d{4})"),
}


@dataclass(frozen=True)
class Span:
    """A period of the calendar: the first day, and the first day after it.

    ``title`` is English and the same for ever: for data, files and logs. Pages write ``name``.
    """

    cadence: str
    key: str
    title: str
    first: date
    after: date

    @property
    def name(self) -> str:
        """Return what the period is called in the reader's language."""
        return name_of(self)


def zone_of(name: str) -> zoneinfo.ZoneInfo:
    """Return a time zone; raises UnknownZone with a message."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise UnknownZone(
            _("The time zone “{name}” is unknown; choose another in the league's settings.").format(name=name)
        ) from None


def day_of(moment: datetime, time_zone: str) -> date:
    """Return the calendar day of an instant in a zone; raises UnknownZone."""
    return moment.astimezone(zone_of(time_zone)).date()


def start_of_day(day: date, time_zone: str) -> datetime:
    """Return the first instant (UTC) of a calendar day in a zone.

    Some days have no midnight (clocks went forward over it), some have two: then it is the first
    instant that bears the date. A day that a zone left out begins with the next one. Raises
    ValueError at the ends of the calendar.
    """
    if not 2 <= day.year <= 9998:
        raise ValueError(f"{day} is too near the end of the calendar.")
    zone = zone_of(time_zone)

    def date_at(moment: datetime) -> date:
        return moment.astimezone(zone).date()

    midnight = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
    if date_at(midnight) == day and date_at(midnight - MOMENT) < day:
        return midnight
    # A gap that swallowed midnight: the day begins where the gap ends.
    low, high = midnight - timedelta(hours=26), midnight + timedelta(hours=26)
    while high - low > MOMENT:
        middle = low + (high - low) / 2
        low, high = (low, middle) if date_at(middle) >= day else (middle, high)
    return high


def is_day_only(moment: datetime, time_zone: str) -> bool:
    """Return whether a time is that of a game that was recorded with its day only: the first instant of its day."""
    local = moment.astimezone(zone_of(time_zone))
    if local.hour > 3 or not 2 <= local.year <= 9998:  # a gap over midnight is no longer; the calendar is
        return local.time() == time()
    return moment == start_of_day(local.date(), time_zone)


@lru_cache(maxsize=4096)
def morning_of(day: date, time_zone: str) -> datetime:
    """Return the instant (UTC) at which the evening of the day before ends: six by the clock on the wall."""
    return datetime.combine(day, MORNING, zone_of(time_zone)).astimezone(UTC)


def evening_at(moment: datetime, time_zone: str) -> date:
    """Return the day in whose evening an instant lies: a day lasts from its morning until the next one's."""
    day = day_of(moment, time_zone)
    while moment < morning_of(day, time_zone):  # more than once behind a day that a zone left out
        day -= timedelta(days=1)
    return day


def evening_of(played_at: datetime, time_zone: str) -> date:
    """Return the day of whose evening a game is, by its time; what was recorded with its day only is of that day."""
    return day_of(played_at, time_zone) if is_day_only(played_at, time_zone) else evening_at(played_at, time_zone)


def bounds(span: Span, time_zone: str) -> tuple[datetime, datetime]:
    """Return the instants at which a period begins and ends in a zone."""
    return start_of_day(span.first, time_zone), start_of_day(span.after, time_zone)


def months_before(day: date, months: int) -> date:
    """Return the day so many months earlier, the month's last one where it is shorter."""
    year, month = divmod(12 * day.year + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def week_of(day: date) -> Span:
    """Return the ISO week of a day, from Monday on."""
    year, week, weekday = day.isocalendar()
    first = day - timedelta(days=weekday - 1)
    return Span("week", f"{year:04}-W{week:02}", f"Week {week}, {year}", first, first + timedelta(days=7))


def month_of(day: date) -> Span:
    """Return the month of a day."""
    first = day.replace(day=1)
    after = (first + timedelta(days=31)).replace(day=1)
    return Span("month", f"{day:%Y-%m}", f"{MONTHS[day.month - 1]} {day.year}", first, after)


def quarter_of(day: date) -> Span:
    """Return the quarter of a day."""
    number = (day.month - 1) // 3 + 1
    first = date(day.year, 3 * number - 2, 1)
    after = (first + timedelta(days=95)).replace(day=1)
    return Span("quarter", f"{day.year:04}-Q{number}", f"Quarter {number}, {day.year}", first, after)


def year_of(day: date) -> Span:
    """Return the year of a day."""
    return Span("year", f"{day.year:04}", str(day.year), date(day.year, 1, 1), date(day.year + 1, 1, 1))


def dated(first: date, last: date) -> Span:
    """Return the one period from a first day to a last one, both included."""
    return Span("dated", f"{first}--{last}", f"{first} to {last}", first, last + timedelta(days=1))


def name_of(span: Span) -> str:
    """Return what a period is called in the reader's language."""
    last = span.after - timedelta(days=1)
    if span.cadence == "month":
        # Translators: a format of Django's filter "date": July 2026
        return date_format(span.first, _("F Y"))
    if span.cadence == "week":
        year, week, _day = span.first.isocalendar()
        return _("Week %(week)d, %(year)d") % {"week": week, "year": year}
    if span.cadence == "quarter":
        return _("Quarter %(number)d, %(year)d") % {"number": last.month // 3, "year": last.year}
    if span.cadence == "dated":
        # Translators: a format of Django's filter "date": 2026-07-16 in titles of periods
        form = pgettext("day in a title", "Y-m-d")
        days = {"first": date_format(span.first, form), "last": date_format(last, form)}
        return _("%(first)s to %(last)s") % days
    return str(span.first.year) if span.cadence == "year" else _("All time")


def period_name(key: str) -> str:
    """Return what the period of a key is called in the reader's language; the key itself where it names none."""
    span = span_named(key) or dated_named(key)
    return span.name if span else key


ALL_TIME = Span("all_time", "all", "All time", ALWAYS, LATEST)


def span_at(cadence: str, day: date, first: date, last: date | None) -> Span | None:
    """Return the period of a cadence in which a day lies; None outside the one period of ``dated``.

    ``first`` and ``last`` are the days between which a dated ladder runs.
    """
    if cadence == "dated":
        assert last is not None, "a dated rule has a last day"
        span = dated(first, last)
        return span if span.first <= day < span.after else None
    if cadence == "all_time":
        return ALL_TIME
    return {"week": week_of, "month": month_of, "quarter": quarter_of, "year": year_of}[cadence](day)


def span_named(key: str) -> Span | None:
    """Return the calendar period of a key such as 2024-03, 2024-Q1, 2024-W09, 2024, all; None for other texts."""
    if key == "all":
        return ALL_TIME
    for cadence, pattern in KEYS.items():
        match = pattern.fullmatch(key)
        if match is None or not key.isascii():
            continue
        year, number = int(match[1]), int(match[2]) if match.lastindex == 2 else 1
        try:
            day = date.fromisocalendar(year, number, 1) if cadence == "week" else first_day(cadence, year, number)
        except ValueError:
            return None
        return span_at(cadence, day, day, None) if ALWAYS <= day <= LATEST else None
    return None


def dated_named(key: str) -> Span | None:
    """Return the period of a key such as 2026-07-16--2026-07-18; None for other texts."""
    first, _dash, last = key.partition("--")
    try:
        return dated(date.fromisoformat(first), date.fromisoformat(last))
    except (ValueError, OverflowError):
        return None


def first_day(cadence: str, year: int, number: int) -> date:
    """Return the first day of the n-th month or quarter of a year; raises ValueError if there is none."""
    if cadence == "quarter":
        if not 1 <= number <= 4:
            raise ValueError(f"There is no quarter {number}.")
        return date(year, 3 * number - 2, 1)
    return date(year, number, 1)
