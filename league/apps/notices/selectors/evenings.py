"""Evenings in a league's time zone; each game belongs to one, and each ends in the small hours."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.db.models import Count, Max

from league.core.calendar import start_of_day
from league.core.capabilities import load_declared
from league.core.games.selectors.games import build_evening_condition, compute_evening_end, find_games
from league.models import Game, League
from league.models.facts import GameQuerySet

#: An evening is announced if nothing was recorded for this time.
QUIET_PERIOD = timedelta(hours=1)
#: Maximum time that an evening waits for unconfirmed reports.
MAX_WAIT = timedelta(days=1)
#: Kinds of games between players, which byes are not.
COUNTED_KINDS = (Game.Kind.PLAYED, Game.Kind.FORFEIT, Game.Kind.FRIENDLY)


def find_games_of_evening(league: League, day: date) -> GameQuerySet:
    """Return the valid games of an evening, earliest first."""
    games = (
        find_games(league).counting().filter(build_evening_condition(league, day, "played_at"), kind__in=COUNTED_KINDS)
    )
    return games.order_by("played_at", "order_key", "number")


def find_played_evenings(league: League, days: Sequence[date]) -> list[date]:
    """Return those of the evenings that have games, in one query."""
    if not days:
        return []
    span = (start_of_day(days[0], league.time_zone), compute_evening_end(league, days[-1]))
    counts = {
        f"day_{index}": Count("pk", filter=build_evening_condition(league, day, "played_at"))
        for index, day in enumerate(days)
    }
    day_counts = Game.objects.counting().filter(league=league, played_at__range=span).aggregate(**counts)
    return [day for index, day in enumerate(days) if day_counts[f"day_{index}"]]


def is_complete(league: League, day: date, now: datetime) -> bool:
    """Return whether an evening has games and is no longer being recorded."""
    games = Game.objects.filter(build_evening_condition(league, day, "played_at"), league=league)
    last = games.aggregate(recorded=Max("recorded_at"), voided=Max("voided_at"))
    timestamps = [timestamp for timestamp in last.values() if timestamp is not None]
    is_quiet = (
        bool(timestamps) and max(timestamps) <= now - QUIET_PERIOD and find_games_of_evening(league, day).exists()
    )
    if not is_quiet or now >= compute_evening_end(league, day) + MAX_WAIT:
        return is_quiet
    evening = build_evening_condition(league, day, "played_at")
    return not any(
        list_rows(league).filter(evening).exists() for list_rows in load_declared(lambda app: app.games.unrecorded)
    )
