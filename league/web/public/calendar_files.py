"""Calendars to subscribe to (RFC 5545): the periods of a league's ladders, and what capabilities add."""

from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from icalendar import Calendar, Event

from league.core.capabilities import load_declared
from league.core.text.display_formats import get_known_zone
from league.models import Edition, League, Period, Player
from league.web.absolute_urls import build_absolute_url, format_single_line
from league.web.public.page_parts import CalendarEvent

#: Periods of a calendar: three years of months.
MAX_PERIODS = 36


def build_calendar(request: HttpRequest, league: League, player: Player | None, *, periods: bool) -> bytes:
    """Return a calendar of events, of everyone or of a player; with ``periods`` also those of ladders.

    The latest periods of all ladders, with the winners of published ones.
    """
    book = Calendar()
    book.add("prodid", "-//Rungs//Ladders//EN")
    book.add("version", "2.0")
    book.add("x-wr-calname", format_single_line(f"{league.title}: {player.name}" if player else league.title))
    if periods:
        _add_periods(request, league, book)
    now = timezone.now()
    for list_events in load_declared(lambda app: app.pages.calendar_events):
        for added in list_events(league, player, now):
            event = _build_event(request, league.slug, now, added)
            # Whatever changes an event is in the log, so that a revision has a higher number.
            event.add("sequence", league.log_length)
            book.add_component(event)
    contents: bytes = book.to_ical()
    return contents


def _build_event(request: HttpRequest, slug: str, stamped_at: datetime, added: CalendarEvent) -> Event:
    host = urlsplit(build_absolute_url(request, "/")).hostname or "rungs"
    event = Event()
    event.add("uid", f"{added.uid}.{slug}@{host}")
    event.add("dtstamp", stamped_at)
    event.add("dtstart", added.starts_at)
    event.add("dtend", added.ends_at)
    event.add("summary", format_single_line(added.title))
    for name, text in (("description", added.description), ("location", added.location)):
        if text:
            event.add(name, format_single_line(text))
    if added.is_cancelled:
        event.add("status", "CANCELLED")
    event.add("url", build_absolute_url(request, added.address))
    return event


def _add_periods(request: HttpRequest, league: League, book: Calendar) -> None:
    """Add the latest periods of all ladders."""
    zone, slug = get_known_zone(league.time_zone), league.slug
    periods = list(
        Period.objects.filter(league=league)
        .exclude(rule__cadence="all_time")
        .select_related("ladder")
        .order_by("-starts_at", "ladder")[:MAX_PERIODS]
    )
    # Winners come from the last edition of each period.
    closed = [period for period in periods if period.closed]
    editions = Edition.objects.filter(
        ladder__in={period.ladder_id for period in closed}, key__in={period.key for period in closed}
    )
    won: dict[tuple[int, str], str] = {}
    for edition in editions.defer("document").order_by("number"):
        won[edition.ladder_id, edition.key] = ", ".join(winner["name"] for winner in edition.winners)
    for period in periods:
        first, end = period.starts_at.astimezone(zone).date(), period.ends_at.astimezone(zone).date()
        added = CalendarEvent(
            uid=f"{period.ladder.slug}.{period.key}",
            starts_at=first,
            # A period within one day takes that day.
            ends_at=max(end, first + timedelta(days=1)),
            title=f"{period.ladder.title}, {period.name}",
            description=describe_state(period, won.get((period.ladder_id, period.key))),
            location="",
            address=reverse("pages:period", args=[slug, period.ladder.slug, period.key]),
        )
        event = _build_event(request, slug, period.starts_at, added)
        event.add("transp", "TRANSPARENT")
        book.add_component(event)


def describe_state(period: Period, names: str | None) -> str:
    """Describe a period by its winners or its state."""
    if names:
        return _("Winners: {names}.").format(names=names)
    return _("Closed.") if period.closed else _("In progress, or not closed yet.")
