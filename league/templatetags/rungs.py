"""How numbers and times are written on pages."""

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from league.calendar import zone_of
from league.errors import UnknownZone

register = template.Library()
MINUS = "\u2212"


@register.filter
def number(value: Any, decimals: int = 0) -> str:
    """Write a number with so many decimals, thin groups of thousands and a real minus; – where there is none."""
    if value is None:
        return "–"
    text = f"{value:,.{decimals}f}".replace(",", "\u202f" if abs(value) >= 10_000 else "")
    return text.replace("-", MINUS) if float(f"{value:.{decimals}f}") else text.replace("-", "")


@register.filter
def exact(value: Any) -> str:
    """Write a number in full: as many digits as it has, no more."""
    if value is None:
        return "–"
    if not isinstance(value, int | float):
        return str(value)
    text = f"{value:.12g}" if abs(value) < 1e15 else f"{value:g}"
    return text.replace("-", MINUS)


@register.filter
def signed(value: Any, decimals: int = 0) -> str:
    """Write a change with its sign; ±0 where it rounds to nothing."""
    if value is None:
        return "–"
    rounded = float(f"{value:.{decimals}f}")
    if rounded == 0:
        return "±" + f"{0:.{decimals}f}"
    return ("+" if rounded > 0 else MINUS) + number(abs(value), decimals)


@register.filter
def direction(value: Any) -> str:
    """Return up, down or level: the class of a change."""
    if not value:
        return "level"
    return "up" if value > 0 else "down"


@register.filter
def item(values: Mapping[str, Any], key: str) -> Any:
    """Return what stands under a key, None where nothing does."""
    return values.get(key)


@register.filter
def less(value: float, other: float) -> float:
    """Return a difference."""
    return value - other


def known_zone(name: str) -> tzinfo:
    """Return a league's zone; UTC where it is not known here any more: a page can still tell when."""
    try:
        return zone_of(name)
    except UnknownZone:
        return UTC


@register.simple_tag
def moment(value: datetime | None, league: Any, style: str = "day") -> SafeString | str:
    """Write a time in the league's zone, machine-readable beside: style "day" or "minute"."""
    if value is None:
        return "–"
    local = value.astimezone(known_zone(league.time_zone))
    # A game that was recorded with its date only stands at the first instant of the day.
    only_day = style == "day" or (local.hour, local.minute) == (0, 0)
    text = f"{local.day} {local:%b %Y}" if only_day else f"{local.day} {local:%b %Y, %H:%M}"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', value.isoformat(), f"{local:%Y-%m-%d %H:%M %Z}", text
    )
