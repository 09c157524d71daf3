"""Compares a league's board on two days: players who entered, left, climbed or fell."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from league.core.db.columns import Column
from league.core.leaderboard.selectors.compared import RankMove, load_named_moves
from league.core.leaderboard.selectors.current_board import build_listing, load_inactive_players
from league.core.leaderboard.selectors.past import compute_leaderboard_at, load_past_board
from league.models import League
from ratings.columns.tallies import rank_sorted_values


@dataclass(frozen=True)
class MoveGroup:
    """Players with the same kind of change: their number, and the first of them."""

    count: int
    moves: list[RankMove]


@dataclass(frozen=True)
class BoardComparison:
    """The differences between two days of a board; entered: in the later order, left: in the earlier, others by size.

    same: the number of players with unchanged rank; top: the first players of either day, if requested.
    """

    entered: MoveGroup
    left: MoveGroup
    climbed: MoveGroup
    fallen: MoveGroup
    same: int
    top: list[RankMove]

    @property
    def any(self) -> bool:
        """Return whether there are any differences."""
        return any(kind.count for kind in (self.entered, self.left, self.climbed, self.fallen))


def compare_dates(
    league: League, start: datetime, end: datetime, *, max_rows: int, until_now: bool = False, top: int = 0
) -> BoardComparison:
    """Return the differences of a board between two times, from the games before each; ``max_rows`` of each kind.

    Currently inactive players are on neither, as the date is not recorded. until_now: do not cache the end. top: also
    return the first players of either day, changed or not.
    """
    inactive_players = load_inactive_players(league)
    boards = (
        load_past_board(league, build_listing(league, start), start),
        (compute_leaderboard_at if until_now else load_past_board)(league, build_listing(league, end), end),
    )
    # Index -1, for players who are not on a board, selects the value appended at the end.
    is_active = [~np.isin(board.player, inactive_players) for board in boards]
    players = np.union1d(*(board.player[flags] for board, flags in zip(boards, is_active, strict=True)))
    places, scores, ranks = [], [], []
    for board, flags in zip(boards, is_active, strict=True):
        place = np.full(len(players), -1)
        place[np.searchsorted(players, board.player[flags])] = np.arange(np.count_nonzero(flags))
        score = board.score[flags]
        places.append(place)
        scores.append(np.append(score, np.nan)[place])
        ranks.append(np.append(rank_sorted_values(score), 0)[place])
    (place_before, place_after), steps = places, ranks[0] - ranks[1]

    def load(indices: Column) -> list[RankMove]:
        return load_named_moves(
            players[indices], (scores[0][indices], scores[1][indices]), (ranks[0][indices], ranks[1][indices])
        )

    def kind(flags: Column, *keys: Column) -> MoveGroup:
        indices = np.flatnonzero(flags)
        return MoveGroup(len(indices), load(indices[np.lexsort([key[indices] for key in keys])][:max_rows]))

    stay = (place_before >= 0) & (place_after >= 0)
    return BoardComparison(
        kind(place_before < 0, place_after),
        kind(place_after < 0, place_before),
        kind(stay & (steps > 0), place_after, -steps),
        kind(stay & (steps < 0), place_after, steps),
        int(np.count_nonzero(stay & (steps == 0))),
        load(np.flatnonzero(_is_among_first(place_before, top) | _is_among_first(place_after, top))) if top else [],
    )


def _is_among_first(place: Column, count: int) -> Column:
    """Return a mask of the first places of a board; -1 is none."""
    flags: Column = (place >= 0) & (place < count)
    return flags
