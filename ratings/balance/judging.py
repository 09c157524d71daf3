"""What a system expects of each side of a split, and how even that is.

The expectations are the system's own (``as_one``, ``expected_of_pairs``), as comparisons of players and the laboratory
ask for them, so they have the uncertainty of the ratings. No side has the advantage of the first seat: sides have no
order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ratings.balance.partitions import Splits
from ratings.contract.system import RatingSystem

Figures = NDArray[np.float64]
#: So many pairs of sides are asked for at once: more would take much memory.
PAIRS_AT_ONCE = 50_000


class NoExpectation(ValueError):
    """The system has no sides, or does not predict how they do against each other."""


@dataclass(frozen=True)
class JudgedSplits:
    """Splits (rows) of players (columns); ``expected`` and ``ratings``: splits × sides.

    ``expected``: the mean of the expected scores against the other sides. ``quality``: twice the lowest of them: 1 if
    all are even, 0 if a side cannot win. ``broken``: pairs on one side that should be apart.
    """

    splits: Splits
    expected: Figures
    ratings: Figures
    broken: NDArray[np.int64]

    @property
    def quality(self) -> Figures:
        """Return how even each split is."""
        quality: Figures = np.clip(2.0 * self.expected.min(axis=1), 0.0, 1.0)
        return quality

    def rank(self) -> NDArray[np.int64]:
        """Return the indexes from best to worst: fewest broken wishes, then the most even; what is level by row.

        Where chances are 0 and 1 to the last bit, ratings still tell what is nearer.
        """
        apart = self.ratings.max(axis=1) - self.ratings.min(axis=1)
        # The last bits depend on the order of additions.
        return np.lexsort((np.round(apart, 9), -np.round(self.quality, 12), self.broken))


class SplitJudge:
    """Judges splits of players, given their states (players × state) and who should be apart."""

    def __init__(
        self, system: RatingSystem, states: Figures, sizes: Sequence[int], apart: Sequence[Sequence[int]]
    ) -> None:
        self.system, self.states, self.sizes, self.apart = system, states, tuple(sizes), apart

    def judge(self, splits: Splits) -> JudgedSplits:
        """Return the figures of each split; raises NoExpectation."""
        pairs = list(combinations(range(len(self.sizes)), 2))
        step = max(1, PAIRS_AT_ONCE // len(pairs))
        parts = [self._judge_part(splits[start : start + step], pairs) for start in range(0, len(splits), step)]
        expected, ratings = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return JudgedSplits(splits, expected, ratings, self._count_broken(splits))

    def _judge_part(self, splits: Splits, pairs: Sequence[tuple[int, int]]) -> tuple[Figures, Figures]:
        """Return the expected results and the ratings of the sides of some splits."""
        sides = [self._combine(splits, side) for side in range(len(self.sizes))]
        one, other = (np.concatenate([sides[pair[at]] for pair in pairs]) for at in (0, 1))
        expected = self.system.expected_of_pairs(one, other)
        if expected is None:
            raise NoExpectation(self.system.title)
        points = np.zeros((len(splits), len(sides)))
        for (left, right), share in zip(pairs, expected.reshape(len(pairs), len(splits)), strict=True):
            points[:, left] += share
            points[:, right] += 1.0 - share
        return points / (len(sides) - 1), np.stack([side[:, 0] for side in sides], axis=1)

    def _combine(self, splits: Splits, side: int) -> Figures:
        """Return the player that a side amounts to, for each split."""
        members = np.nonzero(splits == side)[1].reshape(len(splits), self.sizes[side])
        combined = self.system.as_one(self.states[members])
        if combined is None:
            raise NoExpectation(self.system.title)
        return combined

    def _count_broken(self, splits: Splits) -> NDArray[np.int64]:
        broken = np.zeros(len(splits), dtype=np.int64)
        for group in self.apart:
            for one, other in combinations(group, 2):
                broken += splits[:, one] == splits[:, other]
        return broken
