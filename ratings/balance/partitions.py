"""Ways to split units (people, or parties that stay together) into sides of given sizes.

A split is a row with the side of each unit. Sides of one size have no names, so each split is listed once: the first of
two such sides has the earlier first unit.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

#: Up to so many splits are all compared; two sides of 11 and 9 have 167,960.
MAX_SPLITS = 200_000

Splits = NDArray[np.int8]


def list_splits(units: Sequence[int], sizes: Sequence[int]) -> Splits | None:
    """Return every split of units of these sizes; None if there are more than ``MAX_SPLITS``."""
    rows = np.zeros((1, 0), dtype=np.int8)
    left = np.array([sizes], dtype=np.int64)
    twins = find_twins(sizes)
    for unit in units:
        taken = [np.flatnonzero(_may_take(side, unit, left, sizes, twins)) for side in range(len(sizes))]
        if sum(map(len, taken)) > MAX_SPLITS:
            return None
        chosen = np.repeat(np.arange(len(sizes)), [len(indexes) for indexes in taken])
        before = np.concatenate(taken)
        rows = np.column_stack([rows[before], chosen.astype(np.int8)])
        left = left[before]
        left[np.arange(len(left)), chosen] -= unit
    return rows


def find_twins(sizes: Sequence[int]) -> list[int | None]:
    """Return for each side the last side of the same size before it."""
    return [
        max((other for other in range(side) if sizes[other] == size), default=None) for side, size in enumerate(sizes)
    ]


def _may_take(
    side: int, unit: int, left: NDArray[np.int64], sizes: Sequence[int], twins: Sequence[int | None]
) -> NDArray[np.bool_]:
    """Return for which rows a side has room for a unit, and no empty side of the same size comes first."""
    has_room: NDArray[np.bool_] = left[:, side] >= unit
    twin = twins[side]
    return has_room if twin is None else has_room & (left[:, twin] < sizes[twin])


def name_sides_in_order(splits: Splits, sizes: Sequence[int]) -> Splits:
    """Return the splits with sides of one size in the order of their first units."""
    firsts = np.stack([np.argmax(splits == side, axis=1) for side in range(len(sizes))], axis=1)
    names = np.zeros_like(firsts)
    for size in set(sizes):
        sides = [side for side, other in enumerate(sizes) if other == size]
        ranks = np.argsort(np.argsort(firsts[:, sides], axis=1), axis=1)
        names[:, sides] = np.array(sides)[ranks]
    named: Splits = np.take_along_axis(names, splits.astype(np.int64), axis=1).astype(np.int8)
    return named


class SideFiller:
    """Finds one split in which every unit has a place, also where few have."""

    def __init__(self, units: Sequence[int], sizes: Sequence[int]) -> None:
        self.units, self.sizes = units, sizes
        # Large units first: they fit in the fewest places.
        self.order = sorted(range(len(units)), key=lambda unit: (-units[unit], unit))
        self.dead_ends: set[tuple[int, tuple[int, ...]]] = set()

    def fill(self, prefer: Callable[[int, Sequence[int]], Sequence[int]]) -> list[int] | None:
        """Return the side of each unit, None if the units do not fit.

        ``prefer``: from a unit and the sides so far (-1: none yet), all sides in the order to try.
        """
        placed = [-1] * len(self.units)
        return placed if self._place(0, list(self.sizes), placed, prefer) else None

    def _place(
        self, at: int, left: list[int], placed: list[int], prefer: Callable[[int, Sequence[int]], Sequence[int]]
    ) -> bool:
        if at == len(self.order):
            return True
        state = at, tuple(sorted(left))
        if state in self.dead_ends:
            return False
        unit = self.order[at]
        for side in prefer(unit, placed):
            if left[side] >= self.units[unit]:
                left[side] -= self.units[unit]
                placed[unit] = side
                if self._place(at + 1, left, placed, prefer):
                    return True
                left[side] += self.units[unit]
        placed[unit] = -1
        self.dead_ends.add(state)
        return False
