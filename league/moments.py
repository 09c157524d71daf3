"""How times are written for people: by a league's clock, and by which clock that is."""

from datetime import UTC, datetime, tzinfo

from django.utils.html import format_html
from django.utils.safestring import SafeString

from league.calendar import zone_of
from league.errors import UnknownZone


def known_zone(name: str) -> tzinfo:
    """Return a league's zone; UTC where it is not known here any more: a page can still tell when."""
    try:
        return zone_of(name)
    except UnknownZone:
        return UTC


def zone_label(local: datetime, zone: tzinfo) -> str:
    """Return the short name of a clock, such as CET; where it has only a number, that of its zone."""
    short = local.tzname() or ""
    return short if short.isalpha() else str(zone)


def written(value: datetime | None, zone_name: str, *, only_day: bool = False) -> SafeString | str:
    """Write a time, or its day, by the clock of a zone, which is named; machine-readable beside."""
    if value is None:
        return "–"
    zone = known_zone(zone_name)
    local = value.astimezone(zone)
    text = f"{local.day} {local:%b %Y}"
    if not only_day:
        text += f", {local:%H:%M} {zone_label(local, zone)}"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', value.isoformat(), f"{local:%Y-%m-%d %H:%M} {zone}", text
    )
