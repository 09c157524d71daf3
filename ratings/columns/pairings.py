"""Games of two as columns: opponents and results, and the rating at which a table expects a given score.

All sums are of whole numbers, so their order does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratings.columns.tallies import Floats, Records, Wholes


@dataclass(frozen=True)
class Pairings:
    """M games of two from one side: of, the record; opponent, the opponent's record; half_points, 0 to 2."""

    of: Wholes
    opponent: Wholes
    half_points: Wholes

    def which(self, mask: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> "Pairings":
        """Return the selected pairings."""
        return Pairings(self.of[mask], self.opponent[mask], self.half_points[mask])


def find_pairings(records: Records, score: Floats) -> Pairings:
    """Return the lines of games with exactly one other player's line, both with a result.

    score: N, higher is better.
    """
    lines, size = records.lines, len(records.of)
    starts, game = records.tables()
    # A player with several seats at a table has several lines.
    _, pair = np.unique(game * max(len(records), 1) + records.of, return_inverse=True)
    own_counts, table_counts = np.bincount(pair), np.bincount(game)
    rows = np.flatnonzero(table_counts[game] - own_counts[pair] == 1)
    index = np.arange(size)
    # The sum of the table's positions less that of the player's own lines is the opponent's position.
    index_sums = np.add.reduceat(index, starts) if size else index
    own_index_sums = np.zeros(len(own_counts), dtype=np.int64)
    np.add.at(own_index_sums, pair, index)
    opponent_rows = index_sums[game[rows]] - own_index_sums[pair[rows]]
    # The lower place or the higher score wins; places decide if both have one.
    placed = ~(np.isnan(lines.place[rows]) | np.isnan(lines.place[opponent_rows]))
    ahead = np.where(placed, lines.place[opponent_rows] - lines.place[rows], 0.0)
    own_score, opponent_score = score[rows], score[opponent_rows]
    with np.errstate(invalid="ignore"):
        scored = (own_score > opponent_score).astype(np.int64) - (own_score < opponent_score)
    result = np.where(placed, np.sign(ahead).astype(np.int64), scored) + 1
    has_result = placed | ~(np.isnan(own_score) | np.isnan(opponent_score))
    return Pairings(records.of[rows], records.of[opponent_rows], result).which(has_result)


def compute_rounded_means(total: Wholes, count: Wholes) -> Wholes:
    """Return means of whole numbers, rounded half up on exact rationals; no count may be 0."""
    means: Wholes = (2 * total + count) // (2 * count)
    return means


def find_lowest_ratings(
    ratings: Wholes, starts: Wholes, targets: Wholes, expected: Sequence[int], low: Wholes, high: Wholes
) -> Wholes:
    """Return for each stretch of ratings the lowest whole rating from ``low`` to ``high`` that expects ``targets``.

    A stretch begins at each of ``starts``. ``expected``: the higher side's expected score by difference; the last entry
    also holds for larger ones. The lower side's is the complement to 100.
    """
    table, low, high = np.array(expected, dtype=np.int64), low.copy(), high.copy()
    sizes = np.diff(np.append(starts, len(ratings)))
    while (low < high).any():
        middle = (low + high) // 2
        difference = np.repeat(middle, sizes) - ratings
        higher = table[np.minimum(np.abs(difference), len(table) - 1)]
        reached = np.add.reduceat(np.where(difference >= 0, higher, 100 - higher), starts) >= targets
        high = np.where(reached, middle, high)
        low = np.where(reached | (low >= high), low, middle + 1)
    return low
