"""Statistics of a player's games: finishes, seats, table sizes, streaks, the best and the worst game."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np

from league.core.db.columns import Column, Truths
from league.core.players.selectors.played_games import HistoryLine, PlayerGames, PlayerHistoryLines


class FinishShare(NamedTuple):
    """The frequency of a finish, or of the finishes ``first`` to ``last``."""

    first: int
    last: int
    games: int
    share: float


class SeatGroup(NamedTuple):
    """Games at one seat, or at tables of one size; finish and change are means, None if unknown.

    ``key``: the seat or size; ``NO_SIDE`` for games of two on neutral ground.
    """

    key: int
    games: int
    won: int
    finish: float | None
    change: float | None


class Streak(NamedTuple):
    """Consecutive wins, with the numbers of the first and the last game."""

    games: int
    first: int
    last: int


@dataclass(frozen=True)
class Profile:
    """Statistics of a player's games that count; ``pairs``: whether all were between two sides.

    ``of_two``: whether all were between two players.
    """

    games: int
    won: int
    drawn: int
    known: int
    pairs: bool
    of_two: bool
    finishes: list[FinishShare]
    seats: list[SeatGroup]
    sizes: list[SeatGroup]
    longest: Streak | None
    current: Streak | None
    best: HistoryLine | None
    worst: HistoryLine | None

    @property
    def lost(self) -> int:
        """Return the number of games with a known result that were neither won nor drawn."""
        return self.known - self.won - self.drawn


#: The key of games in which neither side had a name; it comes after both.
NO_SIDE = 3
#: Maximum number of places listed separately, and of seats or table sizes.
FINISHES, GROUPS = 6, 10


def compute_profile(
    all_games: PlayerGames, lines: PlayerHistoryLines, settled: PlayerHistoryLines, neutral: Sequence[int] = ()
) -> Profile:
    """Return a player's statistics, given all games and all rating changes in order.

    The best and the worst game are among the ``settled`` changes, those after the first games. ``neutral``: the ids of
    games of two whose seats say nothing.
    """
    games = all_games.of(all_games.counts)
    finished_games = games.of(games.known)
    won = games.won
    changes = _compute_changes(games, lines)
    runs = _find_streaks(finished_games.number, won[games.known])
    seats = np.where(np.isin(games.game, neutral) & (games.people == 2), NO_SIDE, games.seat)
    current = runs[-1] if runs and won[games.known][-1] else None
    return Profile(
        games=len(games),
        won=int(np.count_nonzero(won)),
        drawn=int(np.count_nonzero(finished_games.drawn)),
        known=len(finished_games),
        pairs=bool((games.size == 2).all()),
        of_two=bool((games.people == 2).all()),
        finishes=_count_finishes(finished_games),
        seats=group_games(games, changes, won, seats),
        sizes=group_games(games, changes, won, games.people),
        longest=max(runs, key=lambda run: run.games, default=None),
        current=current,
        best=settled[int(np.argmax(settled.change))] if (settled.change > 0).any() else None,
        worst=settled[int(np.argmin(settled.change))] if (settled.change < 0).any() else None,
    )


def _compute_changes(games: PlayerGames, lines: PlayerHistoryLines) -> Column:
    """Return the change of each game, NaN if it is not rated."""
    order = np.argsort(lines.number, kind="stable")
    indices = np.searchsorted(lines.number[order], games.number)
    rated = np.isin(games.number, lines.number)
    changes = np.full(len(games), np.nan)
    changes[rated] = lines.change[order[indices[rated]]]
    return changes


def _count_finishes(games: PlayerGames) -> list[FinishShare]:
    """Return how often the player finished first, second and so on; the last places are combined if there are many."""
    counts = Counter((games.better + 1).tolist())
    worst = max(counts, default=0)
    alone = worst if worst <= FINISHES + 1 else FINISHES
    shares = [share_of(counts, rank, rank, len(games)) for rank in range(1, alone + 1)]
    return shares if alone == worst else [*shares, share_of(counts, alone + 1, worst, len(games))]


def share_of(counts: Mapping[int, int], first: int, last: int, games: int) -> FinishShare:
    """Return the share of the finishes ``first`` to ``last``."""
    count = sum(counts.get(rank, 0) for rank in range(first, last + 1))
    return FinishShare(first, last, count, count / games)


def group_games(games: PlayerGames, changes: Column, won: Truths, key: Column) -> list[SeatGroup]:
    """Group games by seat or size; empty if there is only one group, or too many."""
    keys = np.unique(key).tolist()
    if not 1 < len(keys) <= GROUPS:
        return []
    return [group_of(value, games.of(key == value), changes[key == value], won[key == value]) for value in keys]


def group_of(key: int, games: PlayerGames, changes: Column, won: Truths) -> SeatGroup:
    """Return the statistics of a group of games."""
    finishes, rating_changes = games.better[games.known] + 1, changes[~np.isnan(changes)]
    return SeatGroup(
        key, len(games), int(np.count_nonzero(won)), _compute_mean(finishes), _compute_mean(rating_changes)
    )


def _compute_mean(values: Column) -> float | None:
    """Return the mean, None if empty."""
    return fmean(values.tolist()) if len(values) else None


def _find_streaks(numbers: Column, won: Truths) -> list[Streak]:
    """Return the runs of consecutive wins in order, given the games' numbers in order."""
    turns = np.flatnonzero(np.diff(np.concatenate(([False], won, [False])).astype(np.int8)))
    starts, ends = turns[::2], turns[1::2] - 1
    rows = zip((ends - starts + 1).tolist(), numbers[starts].tolist(), numbers[ends].tolist(), strict=True)
    return [Streak(*row) for row in rows]
