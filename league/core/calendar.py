"""Periods of the calendar (weeks, months, quarters, years), and the times at which they begin in a time zone.

A period is a half-open interval of times (UTC). Consecutive periods have no gap and no overlap, even if clocks skip or
repeat midnight.
"""

import re
import zoneinfo
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.errors import Problem, UnknownZone

#: The start of a first rule without a date, before any possible game.
ALWAYS = date(1800, 1, 1)
LATEST = date(2200, 12, 31)
MICROSECOND = timedelta(microseconds=1)
#: The local time until which the next day belongs to the evening.
EVENING_END = time(6)
#: Years in which a time is one of the calendar in every time zone.
FIRST_YEAR, LAST_YEAR = 2, 9997
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
    """A period of the calendar: its first day, and the day after its last.

    ``title`` is English and never changes, for data, files and logs. Pages show ``name``.
    """

    cadence: str
    key: str
    title: str
    first: date
    after: date

    @property
    def name(self) -> str:
        """Return the period's title in the reader's language."""
        return format_span(self)


@cache
def explain_far_time(time: datetime) -> str:
    """Return why a time is none of the calendar in every time zone; "" if it is one."""
    if FIRST_YEAR <= time.year <= LAST_YEAR:
        return ""
    template = _("The time must be between the years {first} and {last}.")
    return template.format(first=FIRST_YEAR, last=LAST_YEAR)


def list_time_zones() -> tuple[str, ...]:
    """Return the names of the time zones that the machine has; to look through its folders takes 10 ms."""
    return tuple(sorted(zoneinfo.available_timezones()))


def check_time_zone(name: str) -> list[Problem]:
    """Return what is wrong with the name of a time zone."""
    if name in list_time_zones():
        return []
    template = _("There is no time zone “{zone}”; enter one like Europe/Belgrade or UTC.")
    return [Problem("/time_zone", "unknown_time_zone", template.format(zone=name))]


def get_time_zone(name: str) -> zoneinfo.ZoneInfo:
    """Return a time zone; raises UnknownZone with a message."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise UnknownZone(
            _("The time zone “{name}” is unknown; choose another in the league's settings.").format(name=name)
        ) from None


def compute_local_date(time: datetime, time_zone: str) -> date:
    """Return the local date of a time; raises UnknownZone."""
    return time.astimezone(get_time_zone(time_zone)).date()


def start_of_day(day: date, time_zone: str) -> datetime:
    """Return the time (UTC) at which a day begins in a time zone.

    If clocks skip or repeat midnight, it is the first time with this date. A day that a time zone skipped begins with
    the next one. Raises ValueError at the ends of the calendar.
    """
    if not 2 <= day.year <= 9998:
        raise ValueError(f"{day} is too near the end of the calendar.")
    zone = get_time_zone(time_zone)

    def date_at(timestamp: datetime) -> date:
        return timestamp.astimezone(zone).date()

    midnight = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
    if date_at(midnight) == day and date_at(midnight - MICROSECOND) < day:
        return midnight
    # Midnight is in a gap: the day begins at its end.
    low, high = midnight - timedelta(hours=26), midnight + timedelta(hours=26)
    while high - low > MICROSECOND:
        middle = low + (high - low) / 2
        low, high = (low, middle) if date_at(middle) >= day else (middle, high)
    return high


def is_day_only(timestamp: datetime, time_zone: str) -> bool:
    """Return whether a time is the first of its day, as for games recorded without a time of day."""
    local = timestamp.astimezone(get_time_zone(time_zone))
    if local.hour > 3 or not 2 <= local.year <= 9998:  # No gap at midnight is longer than three hours.
        return local.time() == time()
    return timestamp == start_of_day(local.date(), time_zone)


@lru_cache(maxsize=4096)
def compute_previous_evening_end(day: date, time_zone: str) -> datetime:
    """Return the time (UTC) at which the evening of the previous day ends: six o'clock local time."""
    return datetime.combine(day, EVENING_END, get_time_zone(time_zone)).astimezone(UTC)


def compute_evening_at(time: datetime, time_zone: str) -> date:
    """Return the day to whose evening a time belongs, if days begin at six o'clock."""
    day = compute_local_date(time, time_zone)
    while time < compute_previous_evening_end(day, time_zone):  # twice after a skipped day
        day -= timedelta(days=1)
    return day


def compute_evening_of_game(played_at: datetime, time_zone: str) -> date:
    """Return the day to whose evening a game belongs; games without a time of day belong to their date."""
    return (
        compute_local_date(played_at, time_zone)
        if is_day_only(played_at, time_zone)
        else compute_evening_at(played_at, time_zone)
    )


def compute_bounds(span: Span, time_zone: str) -> tuple[datetime, datetime]:
    """Return the times at which a period begins and ends in a time zone."""
    return start_of_day(span.first, time_zone), start_of_day(span.after, time_zone)


def subtract_months(day: date, months: int) -> date:
    """Return the day ``months`` earlier; the month's last day if it is shorter."""
    year, month = divmod(12 * day.year + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _compute_week(day: date) -> Span:
    """Return the ISO week of a day, from Monday on."""
    year, week, weekday = day.isocalendar()
    first = day - timedelta(days=weekday - 1)
    return Span("week", f"{year:04}-W{week:02}", f"Week {week}, {year}", first, first + timedelta(days=7))


def compute_month(day: date) -> Span:
    """Return the month of a day."""
    first = day.replace(day=1)
    next_month = (first + timedelta(days=31)).replace(day=1)
    return Span("month", f"{day:%Y-%m}", f"{MONTHS[day.month - 1]} {day.year}", first, next_month)


def _compute_quarter(day: date) -> Span:
    """Return the quarter of a day."""
    number = (day.month - 1) // 3 + 1
    first = date(day.year, 3 * number - 2, 1)
    next_quarter = (first + timedelta(days=95)).replace(day=1)
    return Span("quarter", f"{day.year:04}-Q{number}", f"Quarter {number}, {day.year}", first, next_quarter)


def _compute_year(day: date) -> Span:
    """Return the year of a day."""
    return Span("year", f"{day.year:04}", str(day.year), date(day.year, 1, 1), date(day.year + 1, 1, 1))


def make_dated_span(first: date, last: date) -> Span:
    """Return the period from a first to a last day, inclusive."""
    return Span("dated", f"{first}--{last}", f"{first} to {last}", first, last + timedelta(days=1))


def format_span(span: Span) -> str:
    """Return a period's title in the reader's language."""
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


def format_period_key(key: str) -> str:
    """Return the title of a key's period in the reader's language; the key itself if it is invalid."""
    span = parse_span(key) or parse_dated_span(key)
    return span.name if span else key


ALL_TIME = Span("all_time", "all", "All time", ALWAYS, LATEST)


def compute_span(cadence: str, day: date, first: date, last: date | None) -> Span | None:
    """Return the period of a cadence that contains a day; None if a dated ladder does not.

    ``first`` and ``last`` are the days of a dated ladder.
    """
    if cadence == "dated":
        assert last is not None, "a dated rule has a last day"
        span = make_dated_span(first, last)
        return span if span.first <= day < span.after else None
    if cadence == "all_time":
        return ALL_TIME
    return {"week": _compute_week, "month": compute_month, "quarter": _compute_quarter, "year": _compute_year}[cadence](
        day
    )


def parse_span(key: str) -> Span | None:
    """Return the period of a key such as 2024-03, 2024-Q1, 2024-W09, 2024 or all; None for other texts."""
    if key == "all":
        return ALL_TIME
    for cadence, pattern in KEYS.items():
        match = pattern.fullmatch(key)
        if match is None or not key.isascii():
            continue
        year, number = int(match[1]), int(match[2]) if match.lastindex == 2 else 1
        try:
            day = (
                date.fromisocalendar(year, number, 1)
                if cadence == "week"
                else _compute_first_day(cadence, year, number)
            )
        except ValueError:
            return None
        return compute_span(cadence, day, day, None) if ALWAYS <= day <= LATEST else None
    return None


def parse_dated_span(key: str) -> Span | None:
    """Return the period of a key such as 2026-07-16--2026-07-18; None for other texts."""
    first, _dash, last = key.partition("--")
    try:
        return make_dated_span(date.fromisoformat(first), date.fromisoformat(last))
    except (ValueError, OverflowError):
        return None


def _compute_first_day(cadence: str, year: int, number: int) -> date:
    """Return the first day of a month or quarter of a year; raises ValueError for invalid numbers."""
    if cadence == "quarter":
        if not 1 <= number <= 4:
            raise ValueError(f"There is no quarter {number}.")
        return date(year, 3 * number - 2, 1)
    return date(year, number, 1)
