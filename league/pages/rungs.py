"""The rows of a board as the page shows them: with where they stood, how far the next rung is, and the last games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.db.columns import Column
from league.figures import Hand, number, rounded
from league.pages.plots import spark_of
from league.selectors.leaderboard.movement import Before
from league.selectors.leaderboard.rows import Row


@dataclass(frozen=True)
class Spark:
    """A small line of the last games: the path, where it ends, what it says in words, and between which figures."""

    path: str
    end: str
    words: str
    span: str


@dataclass(frozen=True)
class Rung:
    """A row of the board.

    before: the rank before the last evening; None where they were not on the board. gap: how far the next higher score
    is, as the two are printed; None for the highest, ``apart`` in full.
    """

    row: Row
    why: str
    """The question to which the sum of the last game answers."""
    games: str
    """How many games, in words."""
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
    why, spark = _("Why? Game {number}"), Sparks(decimals).of
    for row, place in zip(rows, higher, strict=True):
        above = float(scores[place]) if place < len(scores) else None
        gap = None if above is None else float(rounded(row.score, decimals) - rounded(above, decimals))
        apart = None if above is None else row.score - above
        was = before.rank_of(row.player) if before else None
        games = ngettext("{count} game", "{count} games", row.games).format(count=number(row.games))
        small = spark((last or {}).get(row.player, ()))
        rungs.append(Rung(row, why.format(number=row.last_number), games, was, gap, apart, small))
    return rungs


class Sparks:
    """Makes the small lines of a page, most of which tell of as many games."""

    def __init__(self, decimals: int) -> None:
        self.decimals, self.hand = decimals, Hand()
        self.sentences: dict[int, tuple[str, str]] = {}

    def of(self, values: Sequence[float]) -> Spark | None:
        """Return the small line of the last games, None where they are too few for one."""
        path = spark_of(values)
        if not path:
            return None
        end, games = " ".join(path.rsplit(" ", 2)[1:]), len(values)
        figures = (values[0], values[-1], min(values), max(values))
        first, last, low, high = (self.hand.number(value, self.decimals) for value in figures)
        words, span = self.said(games)
        words = words.format(count=games, first=first, last=last)
        return Spark(path, end, words, span.format(count=games, low=low, high=high))

    def said(self, games: int) -> tuple[str, str]:
        """Return the sentences for so many games."""
        if games not in self.sentences:
            self.sentences[games] = (
                ngettext("{count} game, from {first} to {last}", "{count} games, from {first} to {last}", games),
                ngettext("Last {count} game: {low} to {high}", "Last {count} games: {low} to {high}", games),
            )
        return self.sentences[games]
