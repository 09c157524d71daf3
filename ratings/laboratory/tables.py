"""The sides of every game with their finishes, and the pairs of sides used to evaluate predictions."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ratings.laboratory.report import LaboratoryGames
from ratings.run.replay import find_first_seats

#: Pairs per block; intermediate results fit the processor's cache.
BLOCK = 1 << 17


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of sides (rows of ``SideTables``) with their results and evenings.

    left, right: rows of sides, the earlier seat on the left. came: 1 if the left one is ahead, ½ if tied, 0 if behind.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    came: NDArray[np.float64]
    evening: NDArray[np.int64]

    def of(self, which: NDArray[np.bool_]) -> "Pairs":
        """Return some of the pairs."""
        return Pairs(self.left[which], self.right[which], self.came[which], self.evening[which])


@dataclass(frozen=True, eq=False)
class SideTables:
    """The games by sides: M sides in all; a player without partners is a side.

    edges: G+1, sides of game g are edges[g] … edges[g+1]-1. captains: M, the result that represents a side. of: N, the
    side of each result. worth: M, a side's finish, higher is better, NaN if unknown. scored: G, whether all have
    scores. evenings: G, numbered from 0 in order of time.
    """

    played: LaboratoryGames
    edges: NDArray[np.int64]
    captains: NDArray[np.int64]
    of: NDArray[np.int64]
    worth: NDArray[np.float64]
    scored: NDArray[np.bool_]
    evenings: NDArray[np.int64]

    @cached_property
    def partners(self) -> bool:
        """Whether any side has several players."""
        return len(self.captains) < len(self.of)

    @cached_property
    def games_of_rows(self) -> NDArray[np.int64]:
        """The game of each result (N)."""
        return np.repeat(np.arange(self.played.games), np.diff(self.played.offsets))

    @cached_property
    def nth(self) -> NDArray[np.int64]:
        """The number of the player's games up to each result (N), from 1."""
        return 1 + self.earlier(np.ones(len(self.of))).astype(np.int64)

    @cached_property
    def newest(self) -> NDArray[np.int64]:
        """The fewest games of any player of each side, up to its game (M), from 1."""
        game_counts = np.full(len(self.captains), np.iinfo(np.int64).max)
        np.minimum.at(game_counts, self.of, self.nth)
        return game_counts

    def earlier(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each result the sum of its player's earlier values (N)."""
        order = np.argsort(self.played.players, kind="stable")
        players = self.played.players[order]
        sums = np.cumsum(values[order]) - values[order]
        heads = np.flatnonzero(np.diff(players, prepend=-1))
        sums -= np.repeat(sums[heads], np.diff(heads, append=len(players)))
        totals = np.empty(len(values))
        totals[order] = sums
        return totals

    @cached_property
    def sides_per_game(self) -> NDArray[np.int64]:
        """The number of sides in each game (G)."""
        return np.diff(self.edges)

    def pairs(self, first: int, last: int) -> Iterator[Pairs]:
        """Yield the pairs of games first … last-1 in blocks; those with an unknown result are omitted."""
        sizes = self.sides_per_game[first:last]
        total = np.concatenate([[0], np.cumsum(sizes * (sizes - 1) // 2)])
        start = 0
        while start < len(sizes):
            end = max(int(np.searchsorted(total, total[start] + BLOCK, side="right")) - 1, start + 1)
            yield self.block(first + start, first + end)
            start = end

    def block(self, first: int, last: int) -> Pairs:
        """Return the pairs of games first … last-1."""
        sizes, lefts, rights, games = self.sides_per_game[first:last], [], [], []
        for size in np.unique(sizes).tolist():
            selected = first + np.flatnonzero(sizes == size)
            left_offsets, right_offsets = np.triu_indices(size, 1)
            lefts.append((self.edges[selected][:, None] + left_offsets).ravel())
            rights.append((self.edges[selected][:, None] + right_offsets).ravel())
            games.append(np.repeat(selected, len(left_offsets)))
        left, right, game = np.concatenate(lefts), np.concatenate(rights), np.concatenate(games)
        outcomes = (np.sign(self.worth[left] - self.worth[right]) + 1.0) / 2.0
        has_outcome = ~np.isnan(outcomes)
        if not has_outcome.all():
            left, right, outcomes, game = (
                left[has_outcome],
                right[has_outcome],
                outcomes[has_outcome],
                game[has_outcome],
            )
        return Pairs(left, right, outcomes, self.evenings[game])


def build_side_tables(dataset: LaboratoryGames) -> SideTables:
    """Return the games by sides."""
    starts = np.repeat(dataset.offsets[:-1], np.diff(dataset.offsets))
    captains_of = starts + find_first_seats(dataset.offsets, dataset.sides).astype(np.int64)
    heads = captains_of == np.arange(len(starts))
    numbers = np.cumsum(heads) - 1
    edges = np.concatenate([[0], np.cumsum(np.add.reduceat(heads.astype(np.int64), dataset.offsets[:-1]))])
    scored = np.logical_and.reduceat(~np.isnan(dataset.scores), dataset.offsets[:-1])
    scores = -dataset.scores if dataset.lowest_wins else dataset.scores
    worth = np.where(np.repeat(scored, np.diff(dataset.offsets)), scores, -dataset.places)
    _, first, inverse = np.unique(dataset.evenings, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    captains = np.flatnonzero(heads)
    return SideTables(dataset, edges, captains, numbers[captains_of], worth[captains], scored, order[inverse])
