"""Rankings of columns: order, ranks and deciding tie-breaks. Only this module implements the rule 1-2-2-4.

``ranks_in_order`` implements it for sorted lines. Ladders call ``ranks_of``, tables of tallies
``ratings.contract.method.rank_players``; the leaderboard adds the counts that
``league.core.leaderboard.selectors.current_board`` computes for the rows above.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratings.columns.records import Floats, Truths, Wholes


@dataclass(frozen=True)
class Ranks:
    """A ranking of K tallies.

    order: K, positions of the tallies, best first, unqualified ones last. rank: K, by tally; 0 if
    unqualified. decided_by: K, by tally; n if the n-th tie-break ranked it above or below
    another with the same score, 0 if the score decided.
    """

    order: Wholes
    rank: Wholes
    decided_by: Wholes


def ranks_of(score: Floats, chain: Sequence[Floats], unqualified: Truths, last: Wholes) -> Ranks:
    """Return the ranking of K tallies by score, then by the tie-breaks; NaN means no value and sorts last.

    score, each of ``chain`` and unqualified: K. last: K, sorts tallies that share a rank, lowest first.
    """
    figures = [score, *chain]
    keys = [unqualified]
    for values in figures:
        absent = np.isnan(values)
        keys += [absent, np.where(absent, 0.0, -values)]
    order: Wholes = np.lexsort((last, *reversed(keys)))
    rank, decided = np.zeros(len(order), dtype=np.int64), np.zeros(len(order), dtype=np.int64)
    count = int((~unqualified).sum())
    if count:
        steps = parted_at([values[order[:count]] for values in figures])
        level = np.cumsum(steps >= 0) - 1
        rank[order[:count]] = ranks_in_order(level)
        decided[order[:count]] = deciders(steps[steps >= 0])[level]
    return Ranks(order, rank, decided)


def ranks_in_order(values: Floats | Wholes | Sequence[float], better: int = 0, level: int = 0) -> Wholes:
    """Return the ranks of K sorted values, best first: equal values share a rank (1-2-2-4).

    If other lines precede them, ``better`` of those are better than the first value and ``level`` are equal to it.
    """
    column = np.asarray(values)
    rank = better + level + np.arange(1, len(column) + 1)
    rank[:1] = better + 1
    rank[1:][column[1:] == column[:-1]] = 0
    return np.maximum.accumulate(rank)


def ranks_among(in_order: Floats, scores: Floats) -> Wholes:
    """Return the ranks of scores among a board's scores, which are sorted ascending."""
    ranks: Wholes = len(in_order) - np.searchsorted(in_order, scores, side="right") + 1
    return ranks


def parted_at(figures: Sequence[Floats]) -> Wholes:
    """Return for each line of a ranking the first figure that differs from the line before (first line: 0), or -1."""
    steps = np.full(len(figures[0]), -1, dtype=np.int64)
    for step, values in reversed(list(enumerate(figures))):
        one, other = values[1:], values[:-1]
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        steps[1:][~same] = step
    steps[0] = 0
    return steps


def deciders(steps: Wholes) -> Wholes:
    """Return for each level the earliest tie-break that separates it from an adjacent level, 0 if the score does.

    ``steps``: the figure that separates each level from the one above, 0 for the first.
    """
    below = np.append(steps[1:], 0)
    most = np.iinfo(np.int64).max
    found = np.minimum(np.where(steps > 0, steps, most), np.where(below > 0, below, most))
    return np.where(found == most, 0, found)
