"""Recorded pastes of a league, found by the range of their games' numbers."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from league.apps.imports.models import PasteBatch
from league.models import Game, League

#: Prefix of the external_ids of pasted games, so that a form sent twice is recognized.
PASTE_ID_PREFIX = "paste-"
#: Pastes of this period can be undone.
UNDO_PERIOD, MAX_PASTES = timedelta(days=30), 5


@dataclass(frozen=True)
class RecordedPaste:
    """A recorded paste: its key, number of counted games, first game's time, and time of recording."""

    key: str
    games: int
    first_played_at: datetime
    recorded_at: datetime


def find_paste(league: League, key: str) -> RecordedPaste | None:
    """Find a recent paste, None if no game of it counts."""
    found = query_recent_pastes(league).filter(key=key).first()
    return load_paste(found) if found is not None else None


def list_recent_pastes(league: League) -> list[RecordedPaste]:
    """Return recent pastes with counted games, newest first."""
    found = (load_paste(paste) for paste in query_recent_pastes(league)[: 4 * MAX_PASTES])
    return [one for one in found if one is not None][:MAX_PASTES]


def query_recent_pastes(league: League) -> QuerySet[PasteBatch]:
    """Query recent pastes, newest first."""
    return PasteBatch.objects.filter(league=league, recorded_at__gte=timezone.now() - UNDO_PERIOD).order_by(
        "-recorded_at", "-pk"
    )


def load_paste(paste: PasteBatch) -> RecordedPaste | None:
    """Load a paste's counted games, None if there are none."""
    found = Game.objects.filter(
        league=paste.league_id, number__gte=paste.first, number__lte=paste.last, voided_at__isnull=True
    ).aggregate(count=Count("pk"), first=Min("played_at"))
    return RecordedPaste(paste.key, found["count"], found["first"], paste.recorded_at) if found["count"] else None
