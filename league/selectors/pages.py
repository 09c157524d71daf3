"""Questions that only pages ask."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Q, QuerySet

from league.db.columns import Column
from league.models import League, Player, Rating, Rule
from league.names import key_of
from league.selectors.leaderboard.listing import Listing, inactive_in, listed
from league.selectors.leaderboard.rows import Row, complete, read_rows
from league.selectors.permissions import STRANGER, Viewer
from league.selectors.player_states import system_shown
from league.selectors.players.cards import unlisted
from league.selectors.players.find import named, spelled_by


def search_board(
    league: League,
    listing: Listing,
    text: str,
    limit: int,
    rules: Sequence[Rule],
    in_order: Column,
    viewer: Viewer = STRANGER,
) -> list[Row]:
    """Return the rows of players whose handle, name or a spelling holds the text, with their rank on the whole board.

    in_order: the scores of the whole board, the lowest first. A spelling that ``viewer`` may not know finds nobody.
    """
    board = listed(league, listing).order_by("-score", "-rating", "player__handle")
    found = called(board, text, limit, viewer).order_by().values("pk")
    sql, values = found.query.sql_with_params()
    rows = read_rows(league, listing, limit, f" AND r.id IN ({sql})", values)
    if rows:
        better = len(in_order) - np.searchsorted(in_order, [row.score for row in rows], side="right")
        complete(system_shown(league, rules), rows, (better + 1).tolist())
    return rows


def called(ratings: QuerySet[Any], text: str, limit: int, viewer: Viewer) -> QuerySet[Any]:
    """Return those ratings whose player's handle, name or a spelling that ``viewer`` may know holds a text."""
    key = key_of(text)
    spelled = Q(player__handle__icontains=key) | spelled_by(key, viewer, "player_id")
    return ratings.filter(named(ratings, "player__", key, limit) | spelled)


@dataclass(frozen=True)
class Unlisted:
    """Somebody who has played and is not on the board, and why."""

    player: Player
    rating: Rating
    why: str


def search_unlisted(
    league: League, listing: Listing, text: str, limit: int, viewer: Viewer = STRANGER
) -> list[Unlisted]:
    """Return players who have played but are not on the board, as ``search_board`` finds those who are."""
    ratings = Rating.objects.filter(league=league).annotate(gone=inactive_in(league))
    reasons = Q(gone=True) | Q(games__lt=listing.min_games)
    if listing.active_since is not None:
        reasons |= Q(last_at__lt=listing.active_since)
    off = ratings.filter(reasons).order_by("-last_at", "player_id")
    found = called(off, text, limit, viewer).select_related("player")[:limit]
    return [Unlisted(one.player, one, unlisted(league, not one.gone, one, listing)) for one in found]
