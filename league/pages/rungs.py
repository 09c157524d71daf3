"""The rows of a board as the page shows them: with where they stood, how far the next rung is, and the last games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from league.db.columns import Column
from league.figures import rounded
from league.pages.plots import spark_of
from league.selectors.leaderboard.movement import Before
from league.selectors.leaderboard.rows import Row


@dataclass(frozen=True)
class Spark:
    """A small line of the last games: the path, where it ends, and what it says in words."""

    path: str
    end: str
    games: int
    first: float
    last: float
    low: float
    high: float


@dataclass(frozen=True)
class Rung:
    """A row of the board.

    before: the rank before the last evening; None where they were not on the board. gap: how far the next higher score
    is, as the two are printed; None for the highest, ``apart`` in full.
    """

    row: Row
    before: int | None
    gap: float | None
    apart: float | None
    spark: Spark | None

    @property
    def climbed(self) -> int:
        """Return by how many ranks they stand higher than before; 0 where they were not there."""
        return self.before - self.row.rank if self.before else 0

    @property
    def steps(self) -> int:
        """Return by how many ranks they moved, either way."""
        return abs(self.climbed)


def rungs_of(
    rows: Sequence[Row],
    scores: Column,
    decimals: int,
    before: Before | None = None,
    last: Mapping[int, Sequence[float]] | None = None,
) -> list[Rung]:
    """Return rows with what stands beside them; ``scores`` are those of the whole board, the lowest first."""
    higher = np.searchsorted(scores, [row.score for row in rows], side="right").tolist()
    rungs = []
    for row, place in zip(rows, higher, strict=True):
        above = float(scores[place]) if place < len(scores) else None
        gap = None if above is None else float(rounded(row.score, decimals) - rounded(above, decimals))
        apart = None if above is None else row.score - above
        was = before.rank_of(row.player) if before else None
        rungs.append(Rung(row, was, gap, apart, spark((last or {}).get(row.player, ()))))
    return rungs


def spark(values: Sequence[float]) -> Spark | None:
    """Return the small line of the last games, None where they are too few for one."""
    path = spark_of(values)
    if not path:
        return None
    end = " ".join(path.rsplit(" ", 2)[1:])
    return Spark(path, end, len(values), values[0], values[-1], min(values), max(values))
