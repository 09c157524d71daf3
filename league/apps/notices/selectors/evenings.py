"""Evenings by a league's clock: every game lies in one, and each ends in the small hours."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.db.models import Count, Max, QuerySet

from league.core.calendar import start_of_day
from league.core.capabilities import load_declared
from league.core.games.selectors.games import evening_end, games_of, of_evening
from league.models import Game, League

#: An evening is told when nothing has been written of it for so long.
QUIET = timedelta(hours=1)
#: Or when so much has passed, where players have reported games that no user has confirmed yet.
PATIENCE = timedelta(days=1)
#: Sheets on which people met; byes are none.
MET = (Game.Kind.PLAYED, Game.Kind.FORFEIT, Game.Kind.FRIENDLY)


def games_of_evening(league: League, day: date) -> QuerySet[Game]:
    """Return the games of an evening that count, the first one first."""
    games = games_of(league).filter(of_evening(league, day, "played_at"), voided_at__isnull=True, kind__in=MET)
    return games.order_by("played_at", "order_key", "number")


def played_evenings(league: League, days: Sequence[date]) -> list[date]:
    """Return those of some evenings, the earliest first, that have games, in one query."""
    if not days:
        return []
    span = (start_of_day(days[0], league.time_zone), evening_end(league, days[-1]))
    counts = {
        f"day_{place}": Count("pk", filter=of_evening(league, day, "played_at")) for place, day in enumerate(days)
    }
    found = Game.objects.filter(league=league, played_at__range=span, voided_at__isnull=True).aggregate(**counts)
    return [day for place, day in enumerate(days) if found[f"day_{place}"]]


def is_written(league: League, day: date, now: datetime) -> bool:
    """Return whether an evening has games, and no user is still writing them down."""
    every = Game.objects.filter(of_evening(league, day, "played_at"), league=league)
    last = every.aggregate(recorded=Max("recorded_at"), voided=Max("voided_at"))
    touched = [at for at in last.values() if at is not None]
    quiet = bool(touched) and max(touched) <= now - QUIET and games_of_evening(league, day).exists()
    if not quiet or now >= evening_end(league, day) + PATIENCE:
        return quiet
    evening = of_evening(league, day, "played_at")
    return not any(list_rows(league).filter(evening).exists() for list_rows in load_declared("unrecorded_games"))
