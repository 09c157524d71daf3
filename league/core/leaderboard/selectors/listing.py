"""The rule for who is listed on a leaderboard, for queries, columns and single players."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from league.core.db.columns import Column, to_micros
from league.models import Inactive, League, Rating


@dataclass(frozen=True)
class Listing:
    """Lists active players with at least ``min_games`` games, the last one not before ``active_since``."""

    min_games: int
    active_since: datetime | None

    def enough_games(self, games: int) -> bool:
        """Return whether a number of games is enough."""
        return games >= self.min_games

    def recent_enough(self, last_at: datetime) -> bool:
        """Return whether the time of a last game is recent enough."""
        return self.active_since is None or last_at >= self.active_since

    def flags(self, games: Column, last_at: Column) -> Column:
        """Return which of K players have enough games and a recent one (booleans, K)."""
        flags: Column = games >= self.min_games
        return flags if self.active_since is None else flags & (last_at >= to_micros(self.active_since))


def listing_of(
    league: League, now: datetime, min_games: int | None = None, active_since: datetime | None = None
) -> Listing:
    """Return the league's listing rule at a time, with overrides."""
    if active_since is None and league.inactive_after_days is not None:
        active_since = days_before(now, league.inactive_after_days)
    return Listing(league.min_games if min_games is None else min_games, active_since)


def days_before(moment: datetime, days: int) -> datetime | None:
    """Return the time ``days`` days earlier; None before the calendar begins."""
    try:
        return moment - timedelta(days=days)
    except OverflowError:
        return None


def inactive_in(league: League) -> Exists:
    """Return the condition that a row's player is inactive in a league."""
    return Exists(Inactive.objects.filter(league=league, player=OuterRef("player_id")))


def listed_ratings(league: League, listing: Listing) -> QuerySet[Rating]:
    """Return the listed ratings, unordered."""
    ratings = Rating.objects.filter(~inactive_in(league), league=league, games__gte=listing.min_games)
    if listing.active_since is not None:
        ratings = ratings.filter(last_at__gte=listing.active_since)
    return ratings
