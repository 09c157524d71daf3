"""Days and times as people write them: 2010-09-24, 24.09.2010, 09/24/2010, 24 Sept 2010, 24. März 2010."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import product

from babel.dates import get_day_names, get_month_names
from dateutil.parser import parse, parserinfo

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
#: Languages of the names of months, and words of dates in them.
LANGUAGES = "en de fr es it pt nl pl cs sk ru uk sr sr_Latn sl sv da nb fi hu ro bg".split()  # noqa: SIM905 -- short
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
    """The names of months and days in several languages. What names two of them is left out."""

    def __init__(self) -> None:
        months = _list_names(get_month_names, ("wide", "abbreviated"))
        days = _list_names(get_day_names, ("wide",))
        self.MONTHS = [(*usual, *months[number]) for number, usual in enumerate(parserinfo.MONTHS, start=1)]
        self.WEEKDAYS = [(*usual, *days[number]) for number, usual in enumerate(parserinfo.WEEKDAYS)]
        self.JUMP = [*parserinfo.JUMP, *PARTICLES]
        super().__init__()


def _list_names(get_names: Callable[..., Mapping[int, str]], widths: Sequence[str]) -> dict[int, set[str]]:
    """Return the names of each month or day, but for those of several."""
    names: defaultdict[int, set[str]] = defaultdict(set)
    for language, width, form in product(LANGUAGES, widths, ("format", "stand-alone")):
        for number, name in get_names(width, form, language).items():
            names[number].add(name.lower().rstrip("."))
    counts = Counter(name for found in names.values() for name in found)
    return {number: {name for name in found if counts[name] == 1} for number, found in names.items()}


@lru_cache(maxsize=1)
def _load_names() -> _Names:
    return _Names()


def parse_day(text: str, order: str) -> date | None:
    """Return the day that a text is in an order of day, month and year."""
    found = parse_time(text, order)
    return None if found is None else found.date()
