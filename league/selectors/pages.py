"""Questions that only pages ask."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from league.db.columns import Column
from league.models import League, Player, Rating, Rule
from league.selectors.leaderboard.choice import rank_rows
from league.selectors.leaderboard.listing import Listing, inactive_in, listed
from league.selectors.leaderboard.rows import FORWARDS, Row, read_rows
from league.selectors.permissions import STRANGER, Viewer
from league.selectors.players.cards import unlisted
from league.selectors.players.find import found_among


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
    rows = read_rows(found_among(listed(league, listing).order_by(*FORWARDS), text, viewer, limit, "player__"), limit)
    rank_rows(league, rows, in_order, rules)
    return rows


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
    found = found_among(off, text, viewer, limit, "player__").select_related("player")[:limit]
    return [Unlisted(one.player, one, unlisted(league, not one.gone, one, listing)) for one in found]
