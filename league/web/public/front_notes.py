"""What runs or ends soon in leagues, in a line each on the first page."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.calendar import compute_local_date
from league.core.capabilities import load_declared
from league.core.ladders.selectors.ladders import load_ending_periods
from league.core.text.display_formats import get_known_zone_name
from league.models import League, Period
from league.web.public.page_parts import FrontNote

#: A period is announced from this time before its end, and until it is closed, at most this time after it.
SOON, RECENTLY = timedelta(days=3), timedelta(days=3)


class LeagueNotes(NamedTuple):
    """The note of a league, how many others there are, and the page that lists them, "" for the league's board."""

    first: FrontNote
    more: int
    more_address: str


def load_front_notes(leagues: Sequence[League], now: datetime) -> dict[int, LeagueNotes]:
    """Return league id -> its notes, what runs before what ends; leagues without any are omitted."""
    notes: dict[int, list[FrontNote]] = {}
    for list_notes in load_declared(lambda app: app.pages.front_notes):
        for pk, found in list_notes(leagues).items():
            notes.setdefault(pk, []).extend(found)
    for pk, note in _list_ending_periods(leagues, now).items():
        notes.setdefault(pk, []).append(note)
    return {pk: LeagueNotes(found[0], len(found) - 1, _find_list(found[1:])) for pk, found in notes.items()}


def _find_list(notes: Sequence[FrontNote]) -> str:
    """Return the address of the page that lists all of these notes, "" if no single page does."""
    addresses = {note.list_address for note in notes}
    return addresses.pop() if len(addresses) == 1 else ""


def _list_ending_periods(leagues: Sequence[League], now: datetime) -> dict[int, FrontNote]:
    """Return league id -> the period that ends first, of its ladders."""
    by_pk = {league.pk: league for league in leagues}
    notes: dict[int, FrontNote] = {}
    for period in load_ending_periods(leagues, now - RECENTLY, now + SOON):
        league = by_pk[period.league_id]
        address = reverse("pages:period", args=[league.slug, period.ladder.slug, period.key])
        notes.setdefault(league.pk, FrontNote(_describe_end(league, period, now), address))
    return notes


def _describe_end(league: League, period: Period, now: datetime) -> str:
    """Return when a period ends, in days of the league's zone."""
    if period.ends_at <= now:
        if league.closing == League.Closing.BY_HAND:
            return _("{period} has ended").format(period=period.name)
        return _("{period} has ended and closes soon").format(period=period.name)
    zone = get_known_zone_name(league.time_zone)
    last_day = compute_local_date(period.ends_at - timedelta(microseconds=1), zone)
    days = (last_day - compute_local_date(now, zone)).days
    if days == 0:
        return _("{period} ends today").format(period=period.name)
    if days == 1:
        return _("{period} ends tomorrow").format(period=period.name)
    return ngettext("{period} ends in {count} day", "{period} ends in {count} days", days).format(
        period=period.name, count=days
    )
