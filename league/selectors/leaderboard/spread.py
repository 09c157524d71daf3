"""How the scores of a board are spread, and of how many of the others somebody stands ahead."""

from dataclasses import dataclass

import numpy as np

from league.db.columns import Column

#: With fewer people a spread says nothing.
FEWEST = 10


@dataclass(frozen=True)
class Share:
    """Of how many of the others on a board somebody stands ahead; who is level is not counted."""

    ahead_of: int
    others: int

    @property
    def per_cent(self) -> int:
        """Return the share in whole per cents, never more than it is."""
        return 100 * self.ahead_of // self.others


def share_of(in_order: Column, score: float) -> Share | None:
    """Return of how many of the others a listed score stands ahead; ``in_order``: all scores, the lowest first."""
    if len(in_order) < FEWEST:
        return None
    return Share(int(np.searchsorted(in_order, score, side="left")), len(in_order) - 1)


def counted_between(in_order: Column, edges: Column) -> list[int]:
    """Return how many scores stand between each two neighbours of some edges, the lower one included."""
    counts: list[int] = np.diff(np.searchsorted(in_order, edges, side="left")).tolist()
    return counts
