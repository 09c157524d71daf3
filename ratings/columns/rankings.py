"""Rankings by columns: order, ranks and what decided them. The rule 1-2-2-4 is here, and nowhere else.

``ranks_in_order`` has it, for lines that are in their order. Ladders come to it by ``ranks_of``, tables of tallies
by ``ratings.contract.method.rank_players``; rows of the leaderboard with what
``league.core.leaderboard.selectors.ranks`` has counted before the first of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratings.columns.records import Floats, Truths, Wholes


@dataclass(frozen=True)
class Ranks:
    """A ranking of K tallies.

    order: K, positions of the tallies, best first, the unqualified at the end. rank: K, by tally; 0 for
    who is not qualified. decided_by: K, by tally; n where the n-th tie-break put it above or below
    another of the same score, 0 if the score alone did.
    """

    order: Wholes
    rank: Wholes
    decided_by: Wholes


def ranks_of(score: Floats, chain: Sequence[Floats], unqualified: Truths, last: Wholes) -> Ranks:
    """Return the ranking of K tallies by score, then by the tie-breaks; NaN is no value and comes last.

    score, each of ``chain`` and unqualified: K. last: K, orders those who share a rank, the lowest first.
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
    """Return the ranks of K lines by what they are ranked by, best first: equal ones share a rank (1-2-2-4).

    Where they are not the first of a ranking, ``better`` lines above are better than their first one, and ``level``
    more above are equal to it.
    """
    column = np.asarray(values)
    rank = better + level + np.arange(1, len(column) + 1)
    rank[:1] = better + 1
    rank[1:][column[1:] == column[:-1]] = 0
    return np.maximum.accumulate(rank)


def ranks_among(in_order: Floats, scores: Floats) -> Wholes:
    """Return the ranks of scores among those of a board, which are given from the lowest up."""
    ranks: Wholes = len(in_order) - np.searchsorted(in_order, scores, side="right") + 1
    return ranks


def parted_at(figures: Sequence[Floats]) -> Wholes:
    """Return for each line of a ranking which figure parts it from the line before (the first: 0), -1: none."""
    steps = np.full(len(figures[0]), -1, dtype=np.int64)
    for step, values in reversed(list(enumerate(figures))):
        one, other = values[1:], values[:-1]
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        steps[1:][~same] = step
    steps[0] = 0
    return steps


def deciders(steps: Wholes) -> Wholes:
    """Return for each level the earliest tie-break that parts it from a level next to it, 0 if only scores do.

    ``steps``: what parts each level from the one above, 0 for the first.
    """
    below = np.append(steps[1:], 0)
    most = np.iinfo(np.int64).max
    found = np.minimum(np.where(steps > 0, steps, most), np.where(below > 0, below, most))
    return np.where(found == most, 0, found)
