"""Days and times as people write them: 2010-09-24, 24.09.2010, 09/24/2010, 24 Sept 2010, 24. März 2010."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache

from dateutil.parser import parse, parserinfo

from ratings.day_names import find_month, find_weekday

#: The order of year, month and day -> how the library is asked for it, and where the three are.
ORDERS = {
    "ymd": ({"yearfirst": True}, (0, 1, 2)),
    "dmy": ({"dayfirst": True}, (2, 1, 0)),
    "mdy": ({}, (2, 0, 1)),
}
#: Three numbers, with the same sign between them; without one the year is first.
NUMBERS = re.compile(r"(\d+)( ?[./-] ?| )(\d+)\2(\d+)|\b(\d{4})()(\d\d)(\d\d)(?!\d)")
#: Two digits of a year from here on are of the last century.
FIRST_SHORT_YEAR = 70
#: Words of dates in several languages.
PARTICLES = ("de", "г", "года", "r", "roku")
#: What fills a date that is not whole.
FILLINGS = datetime(2001, 1, 1), datetime(2002, 2, 2)  # noqa: DTZ001 -- only their parts count


@lru_cache(maxsize=8192)
def parse_time(text: str, order: str) -> datetime | None:
    """Return the time that a text is in an order of day, month and year; None if it is none, or not whole."""
    options, places = ORDERS[order]
    try:
        found, other = (_parse(text, filling, options) for filling in FILLINGS)
    except (ValueError, OverflowError):
        return None
    if found != other:
        return None
    if not re.search(r"\d{4}", text):
        short = found.year % 100
        found = found.replace(year=short + (1900 if short >= FIRST_SHORT_YEAR else 2000))
    match = NUMBERS.search(text)
    if match is None:
        return found
    # The library takes another order if the one that was asked for is impossible.
    first, sign, *others = (part for part in match.groups() if part is not None)
    parts = first, *others
    numbers = [int(part) for part in parts]
    fits = len(parts[places[0]]) in (2, 4) and (numbers[places[1]], numbers[places[2]]) == (found.month, found.day)
    # With points the day is first, unless the year is and has four digits.
    is_day_first = "." in sign and len(first) < 4
    return found if fits and (order == "dmy" or not is_day_first) else None


def _parse(text: str, filling: datetime, options: Mapping[str, bool]) -> datetime:
    found: datetime = parse(text, _load_names(), default=filling, **options)
    return found


class _Names(parserinfo):  # type: ignore[misc]  # the library has no types
    """The names of months and weekdays in several languages."""

    JUMP = (*parserinfo.JUMP, *PARTICLES)

    def month(self, name: str) -> int | None:
        """Return the number of a month, from 1."""
        return find_month(name.casefold()) or None

    def weekday(self, name: str) -> int | None:
        """Return the number of a weekday, from 0 for Monday; a word that also names a month is one."""
        return None if find_month(name.casefold()) else find_weekday(name)


@lru_cache(maxsize=1)
def _load_names() -> _Names:
    return _Names()


def parse_day(text: str, order: str) -> date | None:
    """Return the day that a text is in an order of day, month and year."""
    found = parse_time(text, order)
    return None if found is None else found.date()
