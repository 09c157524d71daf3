"""Players' histories, and leagues with their current rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from league.core.rules.selectors.rules import build_rule_system, find_rule_at, load_rules_by_league
from league.models import League, Player, RatingChange
from league.models.contexts import changes_of, ratings_of


def find_history(
    league: League, player: Player, start: datetime | None = None, end: datetime | None = None
) -> QuerySet[RatingChange]:
    """Return a player's lines of the rating history in order, between two times if given."""
    lines = changes_of(league).filter(player=player).order_by("at", "order_key", "step")
    if start is not None:
        lines = lines.filter(at__gte=start)
    return lines if end is None else lines.filter(at__lt=end)


@dataclass(frozen=True)
class PoolMove:
    """The pool's change of a player's rating since their last game."""

    before: float
    after: float
    at: datetime
    games: int
    state: tuple[float, ...]


def find_unsettled_move(
    league: League, player: Player, start: datetime | None = None, end: datetime | None = None
) -> PoolMove | None:
    """Return the pool's change of a player's rating since their last game, if it is between the given times."""
    rating = ratings_of(league).filter(player=player).first()
    if rating is None or rating.rating == rating.settled:
        return None
    latest = changes_of(league).order_by("-at", "-order_key").values_list("at", flat=True)
    last_at = latest[0]
    if (start is not None and last_at < start) or (end is not None and last_at >= end):
        return None
    state = (rating.rating, rating.state_1, rating.state_2, rating.state_3)
    return PoolMove(rating.settled, rating.rating, last_at, rating.games, state)


def index_pool_moves_by_game(league: League, player: Player, numbers: Sequence[int]) -> dict[int, RatingChange]:
    """Return game number -> the pool line before it, for some games of a player."""
    lines = changes_of(league).filter(player=player, step=0, number__in=numbers)
    return {line.number: line for line in lines}


def load_league_summaries(leagues: Sequence[League], now: datetime) -> list[dict[str, Any]]:
    """Return for each league: the league, its current rule and system, with two queries in total."""
    rules, summaries = load_rules_by_league(leagues), []
    for league in leagues:
        current = find_rule_at(rules.get(league.pk, []), now)
        summaries.append({"league": league, "rule": current, "system": build_rule_system(current) if current else None})
    return summaries
