"""A league's board on two days beside each other: who entered, who left, who climbed and who fell."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from league.core.db.columns import Column
from league.core.leaderboard.selectors.compared import RankMove, named_moves
from league.core.leaderboard.selectors.listing import listing_of
from league.core.leaderboard.selectors.past import board_at, leaderboard_at
from league.core.leaderboard.selectors.ranks import inactive
from league.models import League
from ratings.columns.rankings import ranks_in_order


@dataclass(frozen=True)
class MoveGroup:
    """People who moved in one way: how many, and the first of them."""

    count: int
    moves: list[RankMove]


@dataclass(frozen=True)
class BoardComparison:
    """In what two days of a board differ; entered: in the later order, left: the earlier, others: the farthest first.

    same: how many keep their rank.
    """

    entered: MoveGroup
    left: MoveGroup
    climbed: MoveGroup
    fallen: MoveGroup
    same: int

    @property
    def any(self) -> bool:
        """Return whether anything differs."""
        return any(kind.count for kind in (self.entered, self.left, self.climbed, self.fallen))


def compare_dates(
    league: League, start: datetime, end: datetime, *, most: int, until_now: bool = False
) -> BoardComparison:
    """Return what a board differs in between two moments, by the games played before each; ``most`` of each kind.

    Who is marked as inactive now is on neither: no one knows since when. until_now: no one asks for that end again.
    """
    gone = inactive(league)
    boards = (
        board_at(league, listing_of(league, start), start),
        (leaderboard_at if until_now else board_at)(league, listing_of(league, end), end),
    )
    # A player's place on a board is -1 where they are not on it, which is that of the value behind the last one.
    there = [~np.isin(board.player, gone) for board in boards]
    players = np.union1d(*(board.player[flags] for board, flags in zip(boards, there, strict=True)))
    places, scores, ranks = [], [], []
    for board, flags in zip(boards, there, strict=True):
        place = np.full(len(players), -1)
        place[np.searchsorted(players, board.player[flags])] = np.arange(np.count_nonzero(flags))
        score = board.score[flags]
        places.append(place)
        scores.append(np.append(score, np.nan)[place])
        ranks.append(np.append(ranks_in_order(score), 0)[place])
    (then, now), steps = places, ranks[0] - ranks[1]

    def kind(flags: Column, *keys: Column) -> MoveGroup:
        found = np.flatnonzero(flags)
        first = found[np.lexsort([key[found] for key in keys])][:most]
        return MoveGroup(
            len(found),
            named_moves(players[first], (scores[0][first], scores[1][first]), (ranks[0][first], ranks[1][first])),
        )

    stay = (then >= 0) & (now >= 0)
    return BoardComparison(
        kind(then < 0, now),
        kind(now < 0, then),
        kind(stay & (steps > 0), now, -steps),
        kind(stay & (steps < 0), now, steps),
        int(np.count_nonzero(stay & (steps == 0))),
    )
