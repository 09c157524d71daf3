"""Pastes in the data of a league: the games that were recorded together, known by the numbers that they got."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from league.apps.imports.models import PasteBatch
from league.models import Game, League

#: What the external_ids of a paste's games begin with, so that a form that comes twice is known. Whose a game is, its
#: number tells.
PREFIX = "paste-"
#: Pastes of these days are offered to be taken back.
LATELY, MAX_PASTES = timedelta(days=30), 5


@dataclass(frozen=True)
class PastedGames:
    """A paste in the league's data: its key, its games that count, the time of the first, and all recorded."""

    key: str
    games: int
    first: datetime
    recorded: datetime


def paste_of(league: League, key: str) -> PastedGames | None:
    """Return a paste in the league's data, None if no game of it counts."""
    found = lately(league).filter(key=key).first()
    return load_paste(found) if found is not None else None


def pastes_lately(league: League) -> list[PastedGames]:
    """Return the pastes of the last days that have games which count, the newest first."""
    found = (load_paste(paste) for paste in lately(league)[: 4 * MAX_PASTES])
    return [one for one in found if one is not None][:MAX_PASTES]


def lately(league: League) -> QuerySet[PasteBatch]:
    """Return the pastes of the last days, the newest first."""
    return PasteBatch.objects.filter(league=league, recorded_at__gte=timezone.now() - LATELY).order_by(
        "-recorded_at", "-pk"
    )


def load_paste(paste: PasteBatch) -> PastedGames | None:
    """Return a paste with what is left of it, None if no game of it counts."""
    found = Game.objects.filter(
        league=paste.league_id, number__gte=paste.first, number__lte=paste.last, voided_at__isnull=True
    ).aggregate(count=Count("pk"), first=Min("played_at"))
    return PastedGames(paste.key, found["count"], found["first"], paste.recorded_at) if found["count"] else None
