"""The leaderboard, and one player's place in a league."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet, Window
from django.db.models.functions import Rank

from league.models import InitialRating, League, Player, Rating, RatingChange, Rule
from league.selectors.rules import rule_at, rules_of, system_of


@dataclass(frozen=True)
class Listing:
    """Who is listed: at least ``min_games`` games, the last one not before ``active_since``."""

    min_games: int
    active_since: datetime | None


@dataclass(frozen=True)
class Card:
    """Where a player stands in a league; ``rating`` and ``score`` are None without any rule."""

    player: Player
    rating: float | None
    score: float | None
    rank: int | None
    games: int
    peak: float | None
    last_at: datetime | None
    state: tuple[float, ...]
    unlisted: str
    """Why the player is not on the leaderboard; empty where listed."""


def listing_of(
    league: League, now: datetime, min_games: int | None = None, active_since: datetime | None = None
) -> Listing:
    """Return the league's listing rules at a moment, with what the asker wants instead."""
    if active_since is None and league.inactive_after_days is not None:
        active_since = now - timedelta(days=league.inactive_after_days)
    return Listing(league.min_games if min_games is None else min_games, active_since)


def listed(league: League, listing: Listing) -> QuerySet[Rating]:
    """Return the ratings that are on the leaderboard, unordered."""
    ratings = Rating.objects.filter(league=league, games__gte=listing.min_games, player__active=True)
    if listing.active_since is not None:
        ratings = ratings.filter(last_at__gte=listing.active_since)
    return ratings


def leaderboard(league: League, listing: Listing) -> QuerySet[Any, Any]:
    """Return the leaderboard's rows as values, best first; equal scores share a rank (1-2-2-4).

    Keys: rank, handle, name, score, rating, games, change, peak, last_at, last_number.
    """
    rank = Window(Rank(), order_by=F("score").desc())
    rows = listed(league, listing).annotate(rank=rank, handle=F("player__handle"), name=F("player__name"))
    board: QuerySet[Any, Any] = rows.order_by("-score", "-rating", "player__handle").values(
        "rank", "handle", "name", "score", "rating", "games", "change", "peak", "last_at", "last_number"
    )
    return board


def card_of(league: League, player: Player, now: datetime) -> Card:
    """Return where a player stands in a league, also before the first game."""
    rating = Rating.objects.filter(league=league, player=player).first()
    if rating is None:
        return newcomer(league, player)
    listing = listing_of(league, now)
    reason = unlisted(league, player, rating, listing)
    rank = None if reason else listed(league, listing).filter(score__gt=rating.score).count() + 1
    state = (rating.state_1, rating.state_2, rating.state_3)
    return Card(player, rating.rating, rating.score, rank, rating.games, rating.peak, rating.last_at, state, reason)


def unlisted(league: League, player: Player, rating: Rating, listing: Listing) -> str:
    """Return why a player is not on the leaderboard, empty where listed."""
    if not player.active:
        return "The player is marked as inactive."
    if rating.games < listing.min_games:
        missing = listing.min_games - rating.games
        return (
            f"{missing} more game{'s' if missing > 1 else ''} needed: the board lists from {listing.min_games} games."
        )
    if listing.active_since is not None and rating.last_at < listing.active_since:
        return f"No game in the last {league.inactive_after_days} days."
    return ""


def newcomer(league: League, player: Player) -> Card:
    """Return the card of a player without a game in the league."""
    rules = rules_of(league)
    reason = "No game in this league yet."
    if not rules:
        return Card(player, None, None, None, 0, None, None, (), reason)
    system = system_of(rules[0])
    state = system.start()
    initial = InitialRating.objects.filter(league=league, player=player).values_list("rating", flat=True).first()
    state[0] = state[0] if initial is None else initial
    return Card(player, state[0], system.display(state, 0), None, 0, None, None, tuple(state[1:]), reason)


def history(
    league: League, player: Player, start: datetime | None = None, end: datetime | None = None
) -> QuerySet[RatingChange]:
    """Return a player's lines of the rating history, the earliest first, between two moments if given."""
    lines = RatingChange.objects.filter(league=league, player=player).order_by("at", "number", "step")
    if start is not None:
        lines = lines.filter(at__gte=start)
    return lines if end is None else lines.filter(at__lt=end)


@dataclass(frozen=True)
class Moved:
    """What the pool has moved a player since his last game, as of a moment."""

    before: float
    after: float
    at: datetime
    games: int


def unsettled(
    league: League, player: Player, start: datetime | None = None, end: datetime | None = None
) -> Moved | None:
    """Return what the pool has moved a player since his last game, where that falls between the moments given."""
    rating = Rating.objects.filter(league=league, player=player).first()
    if rating is None or rating.rating == rating.settled:
        return None
    newest = RatingChange.objects.filter(league=league).order_by("-at", "-number").values_list("at", flat=True)
    at = newest[0]
    if (start is not None and at < start) or (end is not None and at >= end):
        return None
    return Moved(rating.settled, rating.rating, at, rating.games)


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
