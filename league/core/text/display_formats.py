"""Formats numbers and times for display: so that adjacent figures add up, and in a league's time zone."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import ROUND_FLOOR, Decimal
from functools import lru_cache
from math import isfinite, isnan
from numbers import Integral

from django.conf import settings
from django.utils import timezone
from django.utils.dateformat import format as formatted
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from league.core.calendar import compute_evening_at, compute_evening_of_game, get_time_zone
from league.core.errors import UnknownZone
from ratings.texts import EVERY_DIGIT, NOTHING, make_decimal, round_as_printed, write_as_printed

MINUS = "\u2212"
#: Keeps the sign of a number before it in right-to-left text.
LEFT_TO_RIGHT = "\u200e"
#: Languages with a decimal point; all others here use a comma.
WITH_POINT = ("en",)
#: Digits of a number that is shown exactly.
EXACT_DIGITS = 12
#: From these on, counts and other figures have a separator between thousands.
COUNTS, RATINGS = 1_000, 10_000
#: Maximum number of extra digits to try; a quarter of sums need one, a sixteenth two.
MAX_EXTRA_DIGITS = 8


def localize_figure(text: str) -> str:
    """Return a number with the separators of the reader's language: 12,345.5 in English, else 12 345,5."""
    prefix, replaced = _get_separators(get_language() or "")
    return prefix + text.replace(replaced, ",")


@lru_cache(maxsize=64)
def _get_separators(language: str) -> tuple[str, str]:
    """Return what is before a number in a language, and the character for which it writes a comma."""
    prefix = LEFT_TO_RIGHT if language.split("-", maxsplit=1)[0] in settings.LANGUAGES_BIDI else ""
    return prefix, "\u202f" if not language or language.startswith(WITH_POINT) else "."


def _format_without_locale(value: float, decimals: int, grouped_from: int) -> str:
    """Format a number with a decimal point and, from ``grouped_from``, thin spaces between thousands."""
    text = write_as_printed(value, decimals, ",").replace("-", MINUS)
    return text.replace(",", "\u202f" if "," in text and abs(value) >= grouped_from else "")


def format_number(value: float | None, decimals: int | None = None) -> str:
    """Format a number with ``decimals`` decimals and a typographic minus; – for None.

    A whole number without ``decimals`` is a count, with a separator from 1,000 on; ratings are read like years.
    """
    if value is None:
        return "–"
    is_count = decimals is None and isinstance(value, Integral)
    return localize_figure(_format_without_locale(value, decimals or 0, COUNTS if is_count else RATINGS))


def format_signed(value: float | None, decimals: int = 0) -> str:
    """Format a change with its sign; ±0 if it rounds to 0."""
    size = NOTHING if value is None else _format_without_locale(abs(value), decimals, RATINGS)
    if value is None or size == NOTHING:
        return NOTHING
    return localize_figure(("±" if not size.strip("0.") else "+" if value > 0 else MINUS) + size)


def format_percentage(share: float, decimals: int = 0) -> str:
    """Format a share such as 0.42: 42% in English."""
    return _("{number}%").format(number=format_number(100.0 * share, decimals))


def format_amount(cents: int, decimals: int, currency: str) -> str:
    """Format an amount of money with separators of thousands, "" for none: 1,000 EUR."""
    if not cents:
        return ""
    return f"{localize_figure(_format_without_locale(cents / 100, decimals, COUNTS))} {currency}".strip()


def format_exact(value: object) -> str:
    """Format a number with as many digits as it has."""
    if value is None:
        return "–"
    if not isinstance(value, int | float):
        return str(value)
    text = f"{value:.{EXACT_DIGITS}g}" if abs(value) < 1e15 else f"{value:g}"
    return localize_figure(text.replace("-", MINUS if value else ""))


def format_exact_column(values: Sequence[object]) -> list[str]:
    """Format a column of numbers with as many decimals as the one with most has, so that they line up.

    Together with the digits before the point no more than a number has; other values stay as they are.
    """
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if not numbers or any(abs(number) >= 1e15 for number in numbers):
        return [format_exact(value) for value in values]
    most = max(len(f"{number:.12f}".rstrip("0").partition(".")[2]) for number in numbers)
    before_point = max(len(f"{abs(number):.0f}") for number in numbers)
    decimals = min(most, max(EXACT_DIGITS - before_point, 0))
    return [format_number(value, decimals) if value in numbers else format_exact(value) for value in values]


def format_brief(value: float | None) -> str:
    """Format a number with at most two decimals, or four significant digits if it is smaller than 1."""
    if value is None or not isfinite(value) or value == round(value):
        return format_number(value)
    written = write_as_printed(value, 2) if abs(value) >= 1 else f"{float(value):.4g}"
    return localize_figure(written).replace("-", MINUS)


def get_direction_class(value: float | None, decimals: int | None = None) -> str:
    """Return the CSS class of a change: up, down, or level if it rounds to 0."""
    if not value or isnan(value) or (decimals is not None and not round_as_printed(value, decimals)):
        return "level"
    return "up" if value > 0 else "down"


def format_count(count: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun in English, for terminals, the API and stored texts, not for pages."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def format_ordinal(rank: int | None) -> str:
    """Format a place: 1st, 2nd, 3rd, 11th; – for None. Other languages have a single form."""
    if rank is None:
        return "–"
    if not (get_language() or "en").startswith("en"):
        # Translators: a place in a ranking: "3." or "3-е"
        return pgettext("a place in a ranking", "{rank}th").format(rank=rank)
    teen = rank % 100 in (11, 12, 13)
    return f"{rank}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th')}"


def format_frequency(count: int) -> str:
    """Format a frequency: never, once, twice, 41 times."""
    if count < 3:
        return (_("never"), _("once"), _("twice"))[count]
    return ngettext("{count} time", "{count} times", count).format(count=format_number(count))


def get_past_verb(count: int) -> str:
    """Return "was" or "were" for a count, in English: see ``format_count``."""
    return "was" if count == 1 else "were"


def count_decimals(decimals: int, parts: Sequence[float | None], total: float | None) -> int:
    """Return the number of decimals with which the rounded parts add up to the rounded total.

    At least ``decimals``: 17.31 and −0.05 must not be shown with 17.25, but 17.306 and −0.052 with 17.254. Every
    figure is correctly rounded; none is adjusted to fit.
    """
    present_parts = [part for part in parts if part is not None]
    if total is None or len(present_parts) < len(parts):
        return decimals
    if [part for part in present_parts if part] == [total]:
        return decimals  # nothing is added
    for decimal_count in range(decimals, decimals + MAX_EXTRA_DIGITS + 1):
        if sum(round_as_printed(part, decimal_count) for part in present_parts) == round_as_printed(
            total, decimal_count
        ):
            return decimal_count
    return decimals


def round_shares(decimals: int, parts: Sequence[float], total: float) -> list[float]:
    """Return parts rounded so that they add up to the printed sum, each off by less than one unit of its last digit.

    Missing units go to the largest remainders, in order if equal.
    """
    scale = Decimal(1).scaleb(-decimals)
    exact = [make_decimal(part) for part in parts]
    floors = [part.quantize(scale, ROUND_FLOOR, EVERY_DIGIT) for part in exact]
    missing_units = int((round_as_printed(total, decimals) - sum(floors)) / scale)
    order = sorted(range(len(parts)), key=lambda index: floors[index] - exact[index])
    raised = set(order[: max(missing_units, 0)])
    return [float(floor + scale if index in raised else floor) for index, floor in enumerate(floors)]


def get_known_zone(name: str) -> tzinfo:
    """Return a league's time zone; UTC if it is no longer known, so that pages still work."""
    try:
        return get_time_zone(name)
    except UnknownZone:
        return UTC


def get_known_zone_name(name: str) -> str:
    """Return the name of a league's time zone; UTC if it is no longer known."""
    return str(get_known_zone(name))


def _format_zone(local: datetime) -> str:
    """Return the offset of a local time: UTC, UTC+1, UTC−3, UTC+5:30.

    Abbreviations are English and ambiguous (CST, IST); an offset is read alike in every language.
    """
    minutes = int((local.utcoffset() or timedelta()).total_seconds()) // 60
    if not minutes:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'+' if minutes > 0 else MINUS}{hours}" + (f":{rest:02}" if rest else "")


def _write_day(value: date, pattern: str) -> str:
    """Write a day in the reader's language by a format of Django's filter "date"."""
    # Equal moments of two time zones can be different days.
    return _write_date(date(value.year, value.month, value.day), pattern, get_language())


@lru_cache(maxsize=4096)
def _write_date(day: date, pattern: str, language: str | None) -> str:
    """Write a day once per format and language: many rows of a table have the same."""
    return formatted(day, pattern)


def format_day(value: date) -> str:
    """Format a day: 9 Jul 2026."""
    # Translators: a format of Django's filter "date"; so are all texts that are only letters and points like this one
    return _write_day(value, pgettext("a day, short: 9 Jul 2026", "j M Y"))


def format_full_day(value: date) -> str:
    """Format a day with the full month: 9 July 2026."""
    return _write_day(value, pgettext("a day in full: 9 July 2026", "j F Y"))


def format_days(first: date, last: date) -> str:
    """Format the days from a first to a last one: 1–31 October 2026, 3 September – 9 October 2026."""
    if first == last:
        return format_full_day(first)
    if (first.year, first.month) == (last.year, last.month):
        day = _write_day(first, pgettext("the first of several days of a month: 1 in 1–31 October 2026", "j"))
        return f"{day}–{format_full_day(last)}"
    begin = format_full_day_of_year(first) if first.year == last.year else format_full_day(first)
    return f"{begin} – {format_full_day(last)}"


def format_day_of_year(value: date) -> str:
    """Format a day without year: 9 Jul."""
    return _write_day(value, pgettext("a day without its year, short: 9 Jul", "j M"))


def format_full_day_of_year(value: date) -> str:
    """Format a day without year, with the full month: 9 July."""
    return _write_day(value, pgettext("a day without its year: 9 July", "j F"))


def format_weekday(value: date, *, always_year: bool = False) -> str:
    """Format a day with its weekday: Thursday 18 June; with the year if it is not the current one, or always."""
    if not always_year and value.year == timezone.now().year:
        return _write_day(value, pgettext("a day with its weekday: Thursday 18 June", "l j F"))
    return _write_day(value, pgettext("a day with its weekday and year: Thursday 18 June 2026", "l j F Y"))


def format_month(value: date) -> str:
    """Format a month: October 2026."""
    return _write_day(value, pgettext("a month of a year: October 2026", "F Y"))


def format_recent_day(value: datetime, zone_name: str) -> SafeString:
    """Format the day to whose evening a game belongs: today, yesterday, 9 Jul, 9 Jul 2024.

    Until six in the morning it is still the day before, like for the games of a night.
    """
    zone_name = get_known_zone_name(zone_name)
    today = compute_evening_at(timezone.now(), zone_name)
    return _write_recent_day(value, value.isoformat(), zone_name, today, get_language())


@lru_cache(maxsize=4096)
def _write_recent_day(value: datetime, _written: str, zone_name: str, today: date, _language: str | None) -> SafeString:
    """Write a recent day once per language: rows of a board have the same, also when the board is drawn again."""
    day = compute_evening_of_game(value, zone_name)
    ago = (today - day).days
    if ago in (0, 1):
        text = (_("today"), _("yesterday"))[ago]
    else:
        text = format_day_of_year(day) if day.year == today.year else format_day(day)
    return render_time_element(value, text, get_known_zone(zone_name))


def format_clock(value: datetime, zone_name: str) -> SafeString:
    """Format the time of a day, without the day and the time zone, as a ``<time>`` element."""
    zone = get_known_zone(zone_name)
    return render_time_element(value, f"{value.astimezone(zone):%H:%M}", zone)


def format_time(value: datetime | None, zone_name: str, *, only_day: bool = False) -> SafeString | str:
    """Format a time with its time zone, or only its day, as a ``<time>`` element."""
    if value is None:
        return "–"
    zone = get_known_zone(zone_name)
    local = value.astimezone(zone)
    text = format_day(local)
    if not only_day:
        text += f", {local:%H:%M} {_format_zone(local)}"
    return render_time_element(value, text, zone)


def format_local_time(value: datetime, zone_name: str, *, only_day: bool = False) -> SafeString:
    """Format a time on a page that names its time zone once: 29 Nov, 23:35, with the year unless it is this year."""
    zone = get_known_zone(zone_name)
    local = value.astimezone(zone)
    this_year = local.year == timezone.now().astimezone(zone).year
    text = format_day_of_year(local) if this_year else format_day(local)
    return render_time_element(value, text if only_day else f"{text}, {local:%H:%M}", zone)


def render_time_element(value: datetime, text: str, zone: tzinfo) -> SafeString:
    """Return words for a time as a ``<time>`` element."""
    full_time = f"{value.astimezone(zone):%Y-%m-%d %H:%M} {zone}"
    return format_html('<time datetime="{}" title="{}">{}</time>', value.isoformat(), full_time, text)
