"""Pastes in the data of a league: the games that were recorded together, known by the numbers that they got."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from league.apps.imports.models import PasteBatch
from league.models import Game, League

#: What the external_ids of a paste's games begin with, so that a form that comes twice is known. Whose a game is, its
#: number tells.
PASTE_ID_PREFIX = "paste-"
#: Pastes of these days are offered to be taken back.
UNDO_PERIOD, MAX_PASTES = timedelta(days=30), 5


@dataclass(frozen=True)
class RecordedPaste:
    """A paste in the league's data: its key, its games that count, the time of the first, and all recorded."""

    key: str
    games: int
    first_played_at: datetime
    recorded_at: datetime


def find_paste(league: League, key: str) -> RecordedPaste | None:
    """Return a paste in the league's data, None if no game of it counts."""
    found = query_recent_pastes(league).filter(key=key).first()
    return load_paste(found) if found is not None else None


def list_recent_pastes(league: League) -> list[RecordedPaste]:
    """Return the pastes of the last days that have games which count, the newest first."""
    found = (load_paste(paste) for paste in query_recent_pastes(league)[: 4 * MAX_PASTES])
    return [one for one in found if one is not None][:MAX_PASTES]


def query_recent_pastes(league: League) -> QuerySet[PasteBatch]:
    """Return the pastes of the last days, the newest first."""
    return PasteBatch.objects.filter(league=league, recorded_at__gte=timezone.now() - UNDO_PERIOD).order_by(
        "-recorded_at", "-pk"
    )


def load_paste(paste: PasteBatch) -> RecordedPaste | None:
    """Return a paste with what is left of it, None if no game of it counts."""
    found = Game.objects.filter(
        league=paste.league_id, number__gte=paste.first, number__lte=paste.last, voided_at__isnull=True
    ).aggregate(count=Count("pk"), first=Min("played_at"))
    return RecordedPaste(paste.key, found["count"], found["first"], paste.recorded_at) if found["count"] else None
