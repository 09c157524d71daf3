"""Who plays but is not on the board yet: a newcomer shall find themselves."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from league.db.columns import Column
from league.models import League, Rating
from league.selectors.leaderboard.listing import Listing
from league.selectors.leaderboard.ranks import Board

#: So many newcomers are named.
NAMED = 10


@dataclass(frozen=True)
class Newcomer:
    """Somebody with too few games for the board."""

    handle: str
    name: str
    score: float
    games: int
    last_at: datetime
    last_number: int


@dataclass(frozen=True)
class Newcomers:
    """Who has too few games for the board: those who played last, and how many more."""

    rows: list[Newcomer]
    more: int


def newcomers(league: League, board: Board, listing: Listing) -> Newcomers:
    """Return who would be on the board but for the number of their games, those who played last first."""
    scores = board.scores
    few = np.flatnonzero(board.active & (scores.games < listing.min_games) & recent(board, listing))
    latest = few[np.lexsort((scores.player[few], -scores.last_at[few]))][:NAMED]
    if not len(latest):
        return Newcomers([], 0)
    fields = ("player__handle", "player__name", "score", "games", "last_at", "last_number")
    ratings = Rating.objects.filter(league=league, player__in=scores.player[latest].tolist())
    rows = [Newcomer(*values) for values in ratings.order_by("-last_at", "player_id").values_list(*fields)]
    return Newcomers(rows, len(few) - len(rows))


def recent(board: Board, listing: Listing) -> Column:
    """Return whose last game is recent enough."""
    return Listing(0, listing.active_since).flags(board.scores.games, board.scores.last_at)
