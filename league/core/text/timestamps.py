"""Formats times for display, in a league's time zone."""

from datetime import UTC, date, datetime, tzinfo

from django.utils import timezone
from django.utils.dateformat import format as formatted
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.calendar import zone_of
from league.core.errors import UnknownZone


def known_zone(name: str) -> tzinfo:
    """Return a league's time zone; UTC if it is no longer known, so that pages still work."""
    try:
        return zone_of(name)
    except UnknownZone:
        return UTC


def known_name(name: str) -> str:
    """Return the name of a league's time zone; UTC if it is no longer known."""
    return str(known_zone(name))


def zone_label(local: datetime, zone: tzinfo) -> str:
    """Return the abbreviation of a time zone, such as CET; its full name if there is none."""
    short = local.tzname() or ""
    return short if short.isalpha() else str(zone)


def day_of(value: date) -> str:
    """Format a day: 9 Jul 2026."""
    # Translators: a format of Django's filter "date"; so are all texts that are only letters and points like this one
    return formatted(value, pgettext("a day, short: 9 Jul 2026", "j M Y"))


def day_in_full(value: date) -> str:
    """Format a day with the full month: 9 July 2026."""
    return formatted(value, pgettext("a day in full: 9 July 2026", "j F Y"))


def day_of_year(value: date) -> str:
    """Format a day without year: 9 Jul."""
    return formatted(value, pgettext("a day without its year, short: 9 Jul", "j M"))


def day_of_year_in_full(value: date) -> str:
    """Format a day without year, with the full month: 9 July."""
    return formatted(value, pgettext("a day without its year: 9 July", "j F"))


def weekday_of(value: date, *, always_year: bool = False) -> str:
    """Format a day with its weekday: Thursday 18 June; with the year if it is not the current one, or always."""
    if not always_year and value.year == timezone.now().year:
        return formatted(value, pgettext("a day with its weekday: Thursday 18 June", "l j F"))
    return formatted(value, pgettext("a day with its weekday and year: Thursday 18 June 2026", "l j F Y"))


def month_of(value: date) -> str:
    """Format a month: October 2026."""
    return formatted(value, pgettext("a month of a year: October 2026", "F Y"))


def lately(value: datetime, zone_name: str) -> SafeString:
    """Format the day of a time in a league's time zone: today, yesterday, 9 Jul, 9 Jul 2024."""
    zone = known_zone(zone_name)
    today, local = timezone.now().astimezone(zone).date(), value.astimezone(zone)
    ago = (today - local.date()).days
    if ago in (0, 1):
        said = (_("today"), _("yesterday"))[ago]
    else:
        said = day_of_year(local) if local.year == today.year else day_of(local)
    return timed(value, said, zone)


def format_time(value: datetime | None, zone_name: str, *, only_day: bool = False) -> SafeString | str:
    """Format a time with its time zone, or only its day, as a ``<time>`` element."""
    if value is None:
        return "–"
    zone = known_zone(zone_name)
    local = value.astimezone(zone)
    text = day_of(local)
    if not only_day:
        text += f", {local:%H:%M} {zone_label(local, zone)}"
    return timed(value, text, zone)


def timed(value: datetime, words: str, zone: tzinfo) -> SafeString:
    """Return words for a time as a ``<time>`` element."""
    whole = f"{value.astimezone(zone):%Y-%m-%d %H:%M} {zone}"
    return format_html('<time datetime="{}" title="{}">{}</time>', value.isoformat(), whole, words)
