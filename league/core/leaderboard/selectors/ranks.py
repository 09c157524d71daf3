"""The scores of a league as cached columns, and exact ranks for any listing.

A rank is one more than the number of players with a higher score (1-2-2-4), counted by the database; consecutive rows
are ranked by ``ratings.columns.rankings``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from league.core.db.bounded_cache import cached
from league.core.db.columns import Column, Columns, Floats, Keys, Moments, Truths, Wholes
from league.core.leaderboard.selectors.listing import Listing, listed_ratings
from league.core.leaderboard.selectors.rows import Key, before_key
from league.core.leaderboard.selectors.versions import State, board_state
from league.models import Inactive, League, Rating


@dataclass(frozen=True)
class BoardScores(Columns):
    """The columns of ratings for listing and sorting."""

    player: Keys
    score: Floats
    games: Wholes
    last_at: Moments
    change: Floats


@dataclass(frozen=True)
class LeagueBoard:
    """The scores of a league by player, for one state of its data."""

    state: State
    scores: BoardScores
    active: Truths

    def eligible(self, listing: Listing) -> Truths:
        """Return flags of the listed players."""
        flags: Truths = self.active & listing.flags(self.scores.games, self.scores.last_at)
        return flags

    def in_order(self, listing: Listing) -> Column:
        """Return the scores of listed players, ascending."""
        return np.sort(self.scores.score[self.eligible(listing)])


def count_better(league: League, listing: Listing, score: float) -> int:
    """Return the number of listed players with a higher score."""
    # Unordered, as the model's default order would look up each player.
    return listed_ratings(league, listing).filter(score__gt=score).order_by().count()


def ranks_of(league: League, listing: Listing, scores: Sequence[float]) -> list[int]:
    """Return the exact ranks of listed players' scores; several from the columns, one by a count."""
    if len(scores) < 2:
        return [count_better(league, listing, score) + 1 for score in scores]
    order = board_now(league).in_order(listing)
    ranks: list[int] = (len(order) - np.searchsorted(order, scores, side="right") + 1).tolist()
    return ranks


def count_level(league: League, listing: Listing, key: Key) -> int:
    """Return the exact number of listed players with the same score before a key."""
    return listed_ratings(league, listing).filter(before_key(key), score=key[0]).order_by().count()


def board_now(league: League) -> LeagueBoard:
    """Return the current scores of a league, cached by state."""
    state = board_state(league.slug)
    assert state is not None, "the league is there"
    return cached("scores", state, lambda: load(league, state))


def load(league: League, state: State) -> LeagueBoard:
    """Read the scores of a league."""
    rows = BoardScores.read(Rating.objects.filter(league=league).order_by())
    # After a replay they are nearly sorted, which a stable sort exploits.
    rows = rows.of(np.argsort(rows.player, kind="stable"))
    return LeagueBoard(state, rows, ~np.isin(rows.player, inactive(league)))


def inactive(league: League) -> Column:
    """Return the inactive players of a league."""
    found = Inactive.objects.filter(league=league)
    return np.array(list(found.order_by().values_list("player", flat=True)), dtype=np.int64)
