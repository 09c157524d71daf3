"""Competitions for tests, made through the services."""

from collections.abc import Sequence
from typing import Any

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.services.competitions import create_competition, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.models import League
from tests.helpers.builders import FOUR


def make_competition(league: League, format: str = "round_robin", slug: str = "cup", **settings: Any) -> Competition:
    """Make a competition that is open for entries."""
    return create_competition(
        league.pk, slug, {"title": slug.title(), "format": format, "status": "open", **settings}, by="test"
    )


def enter(league: League, *players: str, slug: str = "cup", **more: Any) -> list[Entry]:
    """Enter players, one an entry."""
    return add_entries(league.pk, slug, [NewEntry([player], **more) for player in players], by="test")


def start(league: League, players: Sequence[str] = FOUR, slug: str = "cup") -> Competition:
    """Enter players, and start a competition."""
    enter(league, *players, slug=slug)
    return start_competition(league.pk, slug, by="test")


def list_entries(slug: str = "cup") -> list[tuple[int, str, str]]:
    """Return number, first player's handle and status of each entry, by number."""
    entries = Entry.objects.filter(competition__slug=slug).order_by("number").prefetch_related("players__player")
    return [(entry.number, entry.players.all()[0].player.handle, entry.status) for entry in entries]
