"""The leaderboard, who is listed on it, and a player's history."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from league.models import Inactive, League, Player, Rating, RatingChange, Rule
from league.selectors.rules import rule_at, system_of


@dataclass(frozen=True)
class Listing:
    """Who is listed: at least ``min_games`` games, the last one not before ``active_since``."""

    min_games: int
    active_since: datetime | None


def listing_of(
    league: League, now: datetime, min_games: int | None = None, active_since: datetime | None = None
) -> Listing:
    """Return the league's listing rules at a moment, with what the asker wants instead."""
    if active_since is None and league.inactive_after_days is not None:
        active_since = now - timedelta(days=league.inactive_after_days)
    return Listing(league.min_games if min_games is None else min_games, active_since)


def inactive_in(league: League, player: str = "player_id") -> Exists:
    """Return the condition that the player of a row, whose key is there, is inactive in a league."""
    return Exists(Inactive.objects.filter(league=league, player=OuterRef(player)))


def listed(league: League, listing: Listing) -> QuerySet[Rating]:
    """Return the ratings that are on the leaderboard, unordered."""
    ratings = Rating.objects.filter(~inactive_in(league), league=league, games__gte=listing.min_games)
    if listing.active_since is not None:
        ratings = ratings.filter(last_at__gte=listing.active_since)
    return ratings


#: The same as ``listed``, as plain text: building it by the ORM takes longer than the answer.
LISTED = """
  FROM league_rating r JOIN league_player p ON p.id = r.player_id
 WHERE r.league_id = %s AND r.games >= %s
   AND NOT EXISTS (SELECT 1 FROM league_inactive i WHERE i.league_id = r.league_id AND i.player_id = r.player_id)"""


def listed_sql(league: League, listing: Listing) -> tuple[str, list[Any]]:
    """Return FROM and WHERE of the ratings ``r`` and players ``p`` that are on the leaderboard, and the parameters."""
    parameters: list[Any] = [league.pk, listing.min_games]
    if listing.active_since is None:
        return LISTED, parameters
    since = connection.ops.adapt_datetimefield_value(listing.active_since)
    return f"{LISTED} AND r.last_at >= %s", [*parameters, since]


def history(
    league: League, player: Player, start: datetime | None = None, end: datetime | None = None
) -> QuerySet[RatingChange]:
    """Return a player's lines of the rating history, the earliest first, between two moments if given."""
    lines = RatingChange.objects.filter(league=league, player=player).order_by("at", "order_key", "step")
    if start is not None:
        lines = lines.filter(at__gte=start)
    return lines if end is None else lines.filter(at__lt=end)


@dataclass(frozen=True)
class Moved:
    """What the pool has moved a player since their last game, as of a moment."""

    before: float
    after: float
    at: datetime
    games: int
    state: tuple[float, ...]


def unsettled(
    league: League, player: Player, start: datetime | None = None, end: datetime | None = None
) -> Moved | None:
    """Return what the pool has moved a player since their last game, where that falls between the moments given."""
    rating = Rating.objects.filter(league=league, player=player).first()
    if rating is None or rating.rating == rating.settled:
        return None
    newest = RatingChange.objects.filter(league=league).order_by("-at", "-order_key").values_list("at", flat=True)
    at = newest[0]
    if (start is not None and at < start) or (end is not None and at >= end):
        return None
    state = (rating.rating, rating.state_1, rating.state_2, rating.state_3)
    return Moved(rating.settled, rating.rating, at, rating.games, state)


def league_summaries(leagues: Sequence[League], now: datetime) -> list[dict[str, Any]]:
    """Return, per league: the league, its rule in force and system; two queries in all."""
    rules: dict[int, list[Rule]] = {}
    for rule in Rule.objects.filter(league__in=leagues).order_by("starts_at"):
        rules.setdefault(rule.league_id, []).append(rule)
    summaries = []
    for league in leagues:
        current = rule_at(rules.get(league.pk, []), now)
        summaries.append({"league": league, "rule": current, "system": system_of(current) if current else None})
    return summaries
