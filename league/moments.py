"""How times are written for people: by a league's clock, and by which clock that is."""

from datetime import UTC, date, datetime, tzinfo

from django.utils import timezone
from django.utils.dateformat import format as formatted
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.calendar import zone_of
from league.errors import UnknownZone


def known_zone(name: str) -> tzinfo:
    """Return a league's zone; UTC where it is not known here any more: a page can still tell when."""
    try:
        return zone_of(name)
    except UnknownZone:
        return UTC


def known_name(name: str) -> str:
    """Return the name of a league's zone; UTC where it is not known here any more."""
    try:
        zone_of(name)
    except UnknownZone:
        return "UTC"
    return name


def zone_label(local: datetime, zone: tzinfo) -> str:
    """Return the short name of a clock, such as CET; where it has only a number, that of its zone."""
    short = local.tzname() or ""
    return short if short.isalpha() else str(zone)


def day_of(value: date) -> str:
    """Write a day, short: 9 Jul 2026."""
    return formatted(value, day_format())


def day_format() -> str:
    """Return how a day is written, short."""
    # Translators: a format of Django's filter "date"; so are all texts that are only letters and points like this one
    return pgettext("a day, short: 9 Jul 2026", "j M Y")


class Days:
    """Writes many days as ``day_of`` does: what a month's days share is made once."""

    def __init__(self) -> None:
        self.format = day_format()
        #: Of the letters only "j" says which day of its month it is.
        self.shared = {letter for letter in self.format if letter.isalpha()} <= set(
            "jmMnFYyE"
        ) and "\\" not in self.format
        self.months: dict[tuple[int, int], str] = {}

    def of(self, value: date) -> str:
        """Write a day, short: 9 Jul 2026."""
        if not self.shared:
            return formatted(value, self.format)
        month = value.year, value.month
        if month not in self.months:
            self.months[month] = formatted(value, self.format.replace("j", "\0"))
        return self.months[month].replace("\0", str(value.day))


def day_in_full(value: date) -> str:
    """Write a day without its weekday: 9 July 2026."""
    return formatted(value, pgettext("a day in full: 9 July 2026", "j F Y"))


def day_of_year(value: date) -> str:
    """Write a day without its year, short: 9 Jul."""
    return formatted(value, pgettext("a day without its year, short: 9 Jul", "j M"))


def day_of_year_in_full(value: date) -> str:
    """Write a day without its year and weekday: 9 July."""
    return formatted(value, pgettext("a day without its year: 9 July", "j F"))


def weekday_of(value: date, *, always_year: bool = False) -> str:
    """Write a day in words, by default with its year only where that is not the present one: Thursday 18 June."""
    if not always_year and value.year == timezone.now().year:
        return formatted(value, pgettext("a day with its weekday: Thursday 18 June", "l j F"))
    return formatted(value, pgettext("a day with its weekday and year: Thursday 18 June 2026", "l j F Y"))


def month_of(value: date) -> str:
    """Write a month: October 2026."""
    return formatted(value, pgettext("a month of a year: October 2026", "F Y"))


class Lately:
    """Writes the days of times by a league's clock, short: today, yesterday, 9 Jul, 9 Jul 2024; each day once."""

    def __init__(self, zone_name: str) -> None:
        self.zone = known_zone(zone_name)
        self.today = timezone.now().astimezone(self.zone).date()
        self.words: dict[date, str] = {}

    def said(self, day: date) -> str:
        """Write a day."""
        if day not in self.words:
            ago = (self.today - day).days
            if ago in (0, 1):
                self.words[day] = (_("today"), _("yesterday"))[ago]
            else:
                self.words[day] = day_of_year(day) if day.year == self.today.year else day_of(day)
        return self.words[day]

    def of(self, value: datetime) -> SafeString:
        """Write the day of a time, machine-readable beside."""
        local = value.astimezone(self.zone)
        # Nothing of it is anybody's text but the words of the day; ``format_html`` takes ten times as long.
        whole, said = f"{local:%Y-%m-%d %H:%M} {self.zone}", escape(self.said(local.date()))
        return mark_safe(f'<time datetime="{value.isoformat()}" title="{whole}">{said}</time>')  # noqa: S308 -- as said above


def written(value: datetime | None, zone_name: str, *, only_day: bool = False) -> SafeString | str:
    """Write a time, or its day, by the clock of a zone, which is named; machine-readable beside."""
    if value is None:
        return "–"
    zone = known_zone(zone_name)
    local = value.astimezone(zone)
    text = day_of(local)
    if not only_day:
        text += f", {local:%H:%M} {zone_label(local, zone)}"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', value.isoformat(), f"{local:%Y-%m-%d %H:%M} {zone}", text
    )
