"""A league's board on two days beside each other: who entered, who left, who climbed and who fell."""

from dataclasses import dataclass
from datetime import datetime

from league.models import Inactive, League
from league.selectors.leaderboard.compared import Move
from league.selectors.leaderboard.listing import listing_of
from league.selectors.leaderboard.past import board_at, leaderboard_at
from league.selectors.leaderboard.rows import Row
from ratings.columns.rankings import ranks_in_order

#: A row of a past board, which others read, too, and its rank among some of it.
Ranked = tuple[Row, int]


@dataclass(frozen=True)
class Dates:
    """In what two days of a board differ; entered: in the later order, left: the earlier, others: the farthest first.

    same: how many keep their rank.
    """

    entered: list[Move]
    left: list[Move]
    climbed: list[Move]
    fallen: list[Move]
    same: int

    @property
    def any(self) -> bool:
        """Tell whether anything differs."""
        return bool(self.entered or self.left or self.climbed or self.fallen)


def compare_dates(league: League, start: datetime, end: datetime, *, until_now: bool = False) -> Dates:
    """Return what a board differs in between two moments, by the games played before each.

    Who is marked as inactive now is on neither: nobody knows since when. until_now: nobody asks for that end again.
    """
    gone = set(Inactive.objects.filter(league=league).values_list("player", flat=True))
    before = ranked(board_at(league, listing_of(league, start), start), gone)
    after = ranked((leaderboard_at if until_now else board_at)(league, listing_of(league, end), end), gone)
    both = [move_of(before[player], there) for player, there in after.items() if player in before]
    climbed = [move for move in both if (move.rank_after or 0) < (move.rank_before or 0)]
    fallen = [move for move in both if (move.rank_after or 0) > (move.rank_before or 0)]
    return Dates(
        [move_of(None, there) for player, there in after.items() if player not in before],
        [move_of(there, None) for player, there in before.items() if player not in after],
        sorted(climbed, key=steps, reverse=True),
        sorted(fallen, key=steps, reverse=True),
        len(both) - len(climbed) - len(fallen),
    )


def ranked(rows: list[Row], gone: set[int]) -> dict[int, Ranked]:
    """Return player -> their row of a board, best first, with their rank among those who are still there."""
    there = [row for row in rows if row.player not in gone] if gone else rows
    ranks = ranks_in_order([row.score for row in there]).tolist()
    return {row.player: (row, rank) for row, rank in zip(there, ranks, strict=True)}


def move_of(before: Ranked | None, after: Ranked | None) -> Move:
    """Return where somebody stood and stands; None where they were not there, which is so on one side at most."""
    one = after or before
    assert one is not None, "nobody is on neither"
    row = one[0]
    (first, rank_before), (second, rank_after) = (
        (at[0].score, at[1]) if at else (None, None) for at in (before, after)
    )
    return Move(row.player, row.handle, row.name, first, second, rank_before, rank_after)


def steps(move: Move) -> int:
    """Return by how many ranks somebody moved."""
    return abs((move.rank_before or 0) - (move.rank_after or 0))
