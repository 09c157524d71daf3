"""A league's board on two days beside each other: who entered, who left, who climbed and who fell."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from league.db.columns import Column
from league.models import League
from league.selectors.leaderboard.compared import Move, named_moves
from league.selectors.leaderboard.listing import listing_of
from league.selectors.leaderboard.past import PastBoard, board_at, leaderboard_at
from league.selectors.leaderboard.ranks import inactive
from ratings.columns.rankings import ranks_in_order


@dataclass(frozen=True)
class Kind:
    """People who moved in one way: how many, and the first of them."""

    count: int
    moves: list[Move]


@dataclass(frozen=True)
class Dates:
    """In what two days of a board differ; entered: in the later order, left: the earlier, others: the farthest first.

    same: how many keep their rank.
    """

    entered: Kind
    left: Kind
    climbed: Kind
    fallen: Kind
    same: int

    @property
    def any(self) -> bool:
        """Tell whether anything differs."""
        return any(kind.count for kind in (self.entered, self.left, self.climbed, self.fallen))


@dataclass(frozen=True)
class Ranked:
    """A board without some people, the best first, with the ranks among those who are on it."""

    player: Column
    score: Column
    rank: Column

    def found(self, players: Column) -> Column:
        """Return the places of some players, -1 for those who are not on it."""
        if not len(self.player):
            return np.full(len(players), -1)
        order = np.argsort(self.player)
        places = np.minimum(np.searchsorted(self.player, players, sorter=order), len(order) - 1)
        found: Column = np.where(self.player[order[places]] == players, order[places], -1)
        return found

    def at(self, places: Column) -> tuple[Column, Column]:
        """Return the scores (NaN: none) and ranks (0: none) at some places, -1 being none."""
        there = places >= 0
        score, rank = np.full(len(places), np.nan), np.zeros(len(places), dtype=np.int64)
        score[there], rank[there] = self.score[places[there]], self.rank[places[there]]
        return score, rank


def compare_dates(league: League, start: datetime, end: datetime, *, most: int, until_now: bool = False) -> Dates:
    """Return what a board differs in between two moments, by the games played before each; ``most`` of each kind.

    Who is marked as inactive now is on neither: nobody knows since when. until_now: nobody asks for that end again.
    """
    gone = inactive(league)
    before = ranked(board_at(league, listing_of(league, start), start), gone)
    after = ranked((leaderboard_at if until_now else board_at)(league, listing_of(league, end), end), gone)
    then = before.found(after.player)
    stay = np.flatnonzero(then >= 0)
    steps = before.rank[then[stay]] - after.rank[stay]
    farthest = stay[np.argsort(-np.abs(steps), kind="stable")]
    climb = before.rank[then[farthest]] - after.rank[farthest]

    def kind(players: Column) -> Kind:
        first = players[:most]
        one, two = before.at(before.found(first)), after.at(after.found(first))
        return Kind(len(players), named_moves(first, (one[0], two[0]), (one[1], two[1])))

    return Dates(
        kind(after.player[then < 0]),
        kind(before.player[after.found(before.player) < 0]),
        kind(after.player[farthest[climb > 0]]),
        kind(after.player[farthest[climb < 0]]),
        int(np.count_nonzero(climb == 0)),
    )


def ranked(board: PastBoard, gone: Column) -> Ranked:
    """Return a board without whom is gone, with the ranks among those who are still there."""
    there = ~np.isin(board.player, gone)
    score = board.score[there]
    return Ranked(board.player[there], score, ranks_in_order(score))
