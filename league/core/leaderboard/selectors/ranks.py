"""The scores of a league as columns, and how many stand before a player: exactly, by whatever is listed.

A rank is one more than the players who have a higher score (1-2-2-4): the database counts them; rows that follow each
other are ranked by ``ratings.columns.rankings``.
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
    """What of ratings tells who is listed, and where, in each order of the board."""

    player: Keys
    score: Floats
    games: Wholes
    last_at: Moments
    change: Floats


@dataclass(frozen=True)
class LeagueBoard:
    """The scores of a league by player, as of a state of its books."""

    state: State
    scores: BoardScores
    active: Truths

    def eligible(self, listing: Listing) -> Truths:
        """Return who is listed, as flags."""
        flags: Truths = self.active & listing.flags(self.scores.games, self.scores.last_at)
        return flags

    def in_order(self, listing: Listing) -> Column:
        """Return the scores of who is listed, the lowest first."""
        return np.sort(self.scores.score[self.eligible(listing)])


def count_better(league: League, listing: Listing, score: float) -> int:
    """Return how many listed players have a higher score."""
    # Without an order: by the model's own one each player would be looked up.
    return listed_ratings(league, listing).filter(score__gt=score).order_by().count()


def ranks_of(league: League, listing: Listing, scores: Sequence[float]) -> list[int]:
    """Return the ranks of listed players' scores, exactly; of several from the columns, of one by a count."""
    if len(scores) < 2:
        return [count_better(league, listing, score) + 1 for score in scores]
    order = board_now(league).in_order(listing)
    ranks: list[int] = (len(order) - np.searchsorted(order, scores, side="right") + 1).tolist()
    return ranks


def count_level(league: League, listing: Listing, key: Key) -> int:
    """Return how many listed players of the same score stand before a place on the board, exactly."""
    return listed_ratings(league, listing).filter(before_key(key), score=key[0]).order_by().count()


def board_now(league: League) -> LeagueBoard:
    """Return the scores of a league as its state tells them now."""
    state = board_state(league.slug)
    assert state is not None, "the league is there"
    return cached("scores", state, lambda: load(league, state))


def load(league: League, state: State) -> LeagueBoard:
    """Read the scores of a league."""
    rows = BoardScores.read(Rating.objects.filter(league=league).order_by())
    # They stand nearly in this order where a replay has written them: a stable sort knows runs.
    rows = rows.of(np.argsort(rows.player, kind="stable"))
    return LeagueBoard(state, rows, ~np.isin(rows.player, inactive(league)))


def inactive(league: League) -> Column:
    """Return the players who are inactive in a league."""
    found = Inactive.objects.filter(league=league)
    return np.array(list(found.order_by().values_list("player", flat=True)), dtype=np.int64)
