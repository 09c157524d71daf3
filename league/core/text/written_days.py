"""Parses days and times as people write them: 06.11.2026, 6 Nov, 2026-11-06 20:00. 11/06 is ambiguous.

Names of months and weekdays are recognized in the languages of the site, as complete words only.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal

from league.core.calendar import get_time_zone, start_of_day
from league.core.text.numbers import UnclearText, quote_cell
from league.core.text.wording import gettext as _
from ratings.day_names import MONTHS, WEEKDAYS, find_month, find_weekday

#: What comes first in 11/06, the day or the month; "" if unknown.
DayOrder = Literal["", "day", "month"]

#: Words after a year: 6 ноября 2026 г., 6 listopada 2026 r., 6. новембра 2026. године.
YEAR_SUFFIXES = ("г", "года", "год", "r", "roku", "године", "godine", "god")


class UnclearOrder(UnclearText):
    """A day such as 11/06, of which nothing says what comes first."""


ISO = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")
DOTTED = re.compile(
    r"([0-9]{1,2})\. ?([0-9]{1,2})(?:\.? ?|\. ?([0-9]{4}|[0-9]{2})"
    rf"(?:\.? ?(?:{'|'.join(YEAR_SUFFIXES)}))?\.?)",
    re.IGNORECASE,
)
SLASHED = re.compile(r"([0-9]{1,2})([/-])([0-9]{1,2})(?:\2([0-9]{4}|[0-9]{2}))?")
CLOCK = re.compile(
    r"([0-9]{1,2})(?:[:h]([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?|h)?\s*([ap]\.?m\.?|uhr|h)?", re.IGNORECASE
)
#: A time after the day in a cell.
TIME_SUFFIX = re.compile(
    r"(.*?[0-9a-zà-žѐ-џа-я.])(?:t|,?\s+(?:(?:at|um|à|o|godz\.|u|у|в) )?)"
    r"([0-9]{1,2}(?:[:h][0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:\s*[ap]\.?m\.?|\s*uhr)?|\s*[ap]\.?m\.?|\s*uhr|h))"
    r"\s*(z|utc|[+-][0-9]{2}:?[0-9]{2})?",
    re.IGNORECASE,
)
WEEKDAY_BEGINNINGS = (
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "mo", "di", "mi", "do", "fr", "sa", "so", "lun", "mar", "mer",
    "jeu", "ven", "sam", "dim", "mié", "jue", "vie", "sáb", "dom", "gio", "sab", "ma", "wo", "vr", "za", "zo", "tu",
    "we", "th",
)  # fmt: skip
FILLER_WORDS = {
    "of",
    "the",
    "de",
    "den",
    "der",
    "le",
    "el",
    "st",
    "nd",
    "rd",
    "th",
    "am",
    "on",
    "er",
    *YEAR_SUFFIXES,
}
#: A day before any date without a year that is read.
LONG_AGO = date(2024, 12, 31)
DAYS_IN_MONTH = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}


def parse_day(text: str, order: DayOrder, today: date) -> date:
    """Parse a day; without a year, the latest one up to today. Raises UnclearText."""
    if (weekday := find_weekday(text)) is not None:
        return today - timedelta(days=(today.weekday() - weekday) % 7)
    body = strip_weekday(unicodedata.normalize("NFC", text.strip()))
    if match := ISO.fullmatch(body):
        return make_date(text, int(match[1]), int(match[2]), int(match[3]))
    if match := DOTTED.fullmatch(body):
        return make_day(text, int(match[1]), int(match[2]), match[3], today)
    if match := SLASHED.fullmatch(body):
        return parse_slashed_day(text, match, order, today)
    return parse_worded_day(text, body, today)


def parse_slashed_day(text: str, match: re.Match[str], order: DayOrder, today: date) -> date:
    """Parse 11/06/2026; raises UnclearText if the order is unknown and matters."""
    first, second, year = int(match[1]), int(match[3]), match[4]
    if match[2] == "-" and year is not None and len(year) == 2:
        raise UnclearText(
            _("“{text}” may begin with the year. Write the year with four digits.").format(text=quote_cell(text))
        )
    if not order:
        if max(first, second) <= 12 and first != second:
            raise UnclearOrder(
                _("“{text}” may be {one}.{two}. or {two}.{one}. Choose which comes first, day or month.").format(
                    text=quote_cell(text), one=first, two=second
                )
            )
        order = "day" if second <= 12 else "month"
    day, month = (first, second) if order == "day" else (second, first)
    return make_day(text, day, month, year, today)


def parse_worded_day(text: str, body: str, today: date) -> date:
    """Parse 6 Nov, November 6, 2026 or 6. November; raises UnclearText."""
    words = [word for word in re.findall(r"[0-9]+|[^\W\d_]+", body.casefold()) if word not in FILLER_WORDS]
    months = [month for word in words if (month := find_month(word))]
    numbers = [word for word in words if word.isascii() and word.isdigit() and len(word) <= 4]
    # A month after two numbers is a player's name: 19.11. Jan.
    is_name = len(numbers) == 2 and len(numbers[0]) < 4 and bool(find_month(words[-1]))
    if len(months) != 1 or len(numbers) + 1 != len(words) or not 1 <= len(numbers) <= 2 or is_name:
        raise UnclearText(
            _("“{text}” is not a date such as 6 Nov, 06.11.2026 or 2026-11-06.").format(text=quote_cell(text))
        )
    if len(numbers[0]) == 4:
        numbers.reverse()
    day, year = int(numbers[0]), numbers[1] if len(numbers) == 2 else None
    if year is not None and len(year) not in (2, 4):
        raise UnclearText(
            _("“{text}” is not a date such as 6 Nov, 06.11.2026 or 2026-11-06.").format(text=quote_cell(text))
        )
    return make_day(text, day, months[0], year, today)


def is_day_text(text: str) -> bool:
    """Return whether a text is a day and nothing else; 3-1 is a result."""
    day, _clock, _offset = split_day_and_time(text)
    words = list(re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", day).casefold()))
    if any(word not in MONTHS and word not in WEEKDAYS and word not in FILLER_WORDS for word in words):
        return False
    if find_weekday(day) is not None:
        return len(day.strip(" .,:")) > 2 or day.strip()[-1:] in ".:,"
    if re.fullmatch(r"[0-9]{1,2}-[0-9]{1,2}", strip_weekday(day)):
        return False
    return looks_like_day(text) or (bool(words) and looks_like_day(f"{day}."))


def strip_weekday(text: str) -> str:
    """Remove the weekday before a day."""
    match = re.match(r"([^\W\d_]+)[.,]*\s+(?=\S)", text)
    if match is None:
        return text
    word, remaining_text = match[1].casefold(), text[match.end() :]
    # "mar" is March in "mar 6", but Tuesday in "mar 6 Nov" and "mar 6.11.".
    if find_month(word) and not re.search(r"[^\W\d_]{3}|[0-9][./-][0-9]", remaining_text):
        return text
    return remaining_text if word in WEEKDAYS or any(word.startswith(day) for day in WEEKDAY_BEGINNINGS) else text


def make_day(text: str, day: int, month: int, year: str | None, today: date) -> date:
    """Make a day; the year has four digits, two digits, or is None. Raises UnclearText."""
    if year is not None:
        return make_date(text, int(year) if len(year) == 4 else expand_year(int(year), today), month, day)
    if not (1 <= month <= 12 and 1 <= day <= DAYS_IN_MONTH.get(month, 31)):
        raise UnclearText(_("“{text}” is not a date in the calendar.").format(text=quote_cell(text)))
    for years_back in range(9):  # there are at most eight years between two 29ths of February
        try:
            candidate = date(today.year - years_back, month, day)
        except ValueError:
            continue
        if candidate <= today:
            return candidate
    raise UnclearText(_("“{text}” is not a date in the calendar.").format(text=quote_cell(text)))


def expand_year(year: int, today: date) -> int:
    """Expand a two-digit year to the latest one up to next year."""
    full = today.year // 100 * 100 + year
    return full if full <= today.year + 1 else full - 100


def make_date(text: str, year: int, month: int, day: int) -> date:
    """Make a date; raises UnclearText if it is not in the calendar, or unlikely."""
    try:
        result = date(year, month, day)
    except ValueError:
        raise UnclearText(_("“{text}” is not a date in the calendar.").format(text=quote_cell(text))) from None
    if not 1800 <= year <= 2200:
        raise UnclearText(_("The year in “{text}” must be a typing error.").format(text=quote_cell(text)))
    return result


def find_day_order(texts: Iterable[str]) -> DayOrder:
    """Return what comes first in days such as 07/16, if any of them is unambiguous."""
    day_first = month_first = False
    for text in texts:
        if match := SLASHED.fullmatch(strip_weekday(split_day_and_time(text)[0])):
            day_first, month_first = day_first or int(match[1]) > 12, month_first or int(match[3]) > 12
    return "" if day_first == month_first else "day" if day_first else "month"


def is_ambiguous(text: str) -> bool:
    """Return whether day and month of a cell can be swapped."""
    match = SLASHED.fullmatch(strip_weekday(split_day_and_time(text)[0]))
    return match is not None and max(int(match[1]), int(match[3])) <= 12 and match[1] != match[3]


def split_day_and_time(text: str) -> tuple[str, str, str]:
    """Split a cell into day, time and offset; missing parts are empty."""
    match = TIME_SUFFIX.fullmatch(text.strip())
    return (match[1].rstrip(","), match[2], match[3] or "") if match else (text.strip(), "", "")


def parse_clock(text: str) -> time:
    """Parse a time of day: 20:00, 20.00, 20h30, 8 pm; raises UnclearText."""
    body = re.sub(r"^([0-9]{1,2})\.([0-9]{2})(?=$|\s*uhr$)", r"\1:\2", text.strip(), flags=re.IGNORECASE)
    match = CLOCK.fullmatch(body)
    if match is None or body.isdigit():
        raise UnclearText(_("“{text}” is not a time such as 20:00.").format(text=quote_cell(text)))
    hour, minute, second = int(match[1]), int(match[2] or 0), int(match[3] or 0)
    half = (match[4] or "").casefold()[:1]
    if half in ("a", "p"):
        if not 1 <= hour <= 12:
            raise UnclearText(_("“{text}” is not a time such as 8 pm.").format(text=quote_cell(text)))
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return time(hour, minute, second)
    except ValueError:
        raise UnclearText(_("“{text}” is not a time such as 20:00.").format(text=quote_cell(text))) from None


def convert_to_utc(day: date, clock: time | None, zone_name: str, offset: str = "") -> datetime:
    """Convert a day and time to UTC, by the offset or else the league's time zone. Without a time, the day's start.

    Raises UnclearText if the time occurred twice or never.
    """
    if clock is None:
        return start_of_day(day, zone_name)
    if offset:
        plain_offset = "+0000" if offset.casefold() in ("z", "utc") else offset.replace(":", "")
        try:
            return datetime.strptime(f"{day} {clock:%H:%M:%S} {plain_offset}", "%Y-%m-%d %H:%M:%S %z").astimezone(UTC)
        except ValueError:
            raise UnclearText(_("“{offset}” is not an offset such as +01:00.").format(offset=offset)) from None
    zone = get_time_zone(zone_name)
    early, late = (datetime.combine(day, clock, zone).replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    if early == late:
        return early
    if early < late:
        raise UnclearText(
            _("{clock:%H:%M} occurred twice on {day}. Add the offset, such as +01:00.").format(clock=clock, day=day)
        )
    raise UnclearText(_("{clock:%H:%M} did not exist on {day}: the clocks went forward.").format(clock=clock, day=day))


@lru_cache(maxsize=4096)
def read_moment(text: str, zone_name: str, order: DayOrder, today: date) -> datetime:
    """Read a day with its year, with or without a time, of a file; raises UnclearText, also for a day without a year.

    A time without an offset is in the time zone; a day without a time is its start.
    """
    day_text, clock_text, offset = split_day_and_time(text)
    body = strip_weekday(day_text)
    day = parse_day(day_text, order, today)
    if len(re.findall(r"[0-9]+", body)) + any(map(find_month, re.findall(r"[^\W\d_]+", body.casefold()))) < 3:
        raise UnclearText(_("“{text}” has no year.").format(text=quote_cell(text)))
    clock = parse_clock(clock_text) if clock_text else None
    return convert_to_utc(day, clock, zone_name, offset)


def looks_like_day(text: str) -> bool:
    """Return whether a cell looks like a day, with or without a time."""
    body = strip_weekday(unicodedata.normalize("NFC", split_day_and_time(text)[0]))
    if not any(letter.isdigit() for letter in body) or re.fullmatch(r"[0-9]+\.[0-9]+", body):
        return False
    if ISO.fullmatch(body) or DOTTED.fullmatch(body) or SLASHED.fullmatch(body):
        return True
    words = re.findall(r"[^\W\d_]+", body.casefold())
    return any(map(find_month, words)) and all(word in FILLER_WORDS or find_month(word) for word in words)


def looks_like_clock(text: str) -> bool:
    """Return whether a cell looks like a time of day."""
    return (
        re.fullmatch(r"[0-9]{1,2}[:h][0-9]{2}(:[0-9]{2})?|[0-9]{1,2} ?[ap]m", text.strip(), re.IGNORECASE) is not None
    )
