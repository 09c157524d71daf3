"""A league's board on two days beside each other: who entered, who left, who climbed and who fell."""

from dataclasses import dataclass
from datetime import datetime

from league.models import Inactive, League
from league.selectors.leaderboard.compared import Move
from league.selectors.leaderboard.listing import listing_of
from league.selectors.leaderboard.past import leaderboard_at
from league.selectors.leaderboard.rows import Row
from ratings.columns.rankings import ranks_in_order


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


def compare_dates(league: League, start: datetime, end: datetime) -> Dates:
    """Return what a board differs in between two moments, by the games played before each.

    Who is marked as inactive now is on neither: nobody knows since when.
    """
    gone = set(Inactive.objects.filter(league=league).values_list("player", flat=True))
    before, after = ranked_at(league, start, gone), ranked_at(league, end, gone)
    both = [move_of(before[player], row) for player, row in after.items() if player in before]
    climbed = [move for move in both if (move.rank_after or 0) < (move.rank_before or 0)]
    fallen = [move for move in both if (move.rank_after or 0) > (move.rank_before or 0)]
    return Dates(
        [move_of(None, row) for player, row in after.items() if player not in before],
        [move_of(row, None) for player, row in before.items() if player not in after],
        sorted(climbed, key=steps, reverse=True),
        sorted(fallen, key=steps, reverse=True),
        len(both) - len(climbed) - len(fallen),
    )


def ranked_at(league: League, moment: datetime, gone: set[int]) -> dict[int, Row]:
    """Return player -> their row of the board at a moment, best first, ranked among those who are still there."""
    rows = [row for row in leaderboard_at(league, listing_of(league, moment), moment) if row.player not in gone]
    ranks = ranks_in_order([row.score for row in rows]).tolist()
    for row, rank in zip(rows, ranks, strict=True):
        row.rank = rank
    return {row.player: row for row in rows}


def move_of(before: Row | None, after: Row | None) -> Move:
    """Return where somebody stood and stands; None where they were not there, which is so on one side at most."""
    row = after or before
    assert row is not None, "nobody is on neither"
    scores = (before.score if before else None, after.score if after else None)
    ranks = (before.rank if before else None, after.rank if after else None)
    return Move(row.player, row.handle, row.name, *scores, *ranks)


def steps(move: Move) -> int:
    """Return by how many ranks somebody moved."""
    return abs((move.rank_before or 0) - (move.rank_after or 0))
