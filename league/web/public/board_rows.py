"""The rows of a board as the page shows them: with the previous rank, the gap to the next row, and recent games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.db.columns import Column
from league.core.leaderboard.selectors.movement import Before
from league.core.leaderboard.selectors.rows import BoardRow
from league.core.text.numbers import number, rounded
from league.web.public.charts.plots import spark_of


@dataclass(frozen=True)
class Spark:
    """A small line of the last games: the path, where it ends, what it says in words, and its range."""

    path: str
    end: str
    words: str
    span: str


@dataclass(frozen=True)
class BoardLine:
    """A row of the board.

    before: the rank before the last evening; None if they were not on the board. gap: how far the next higher score
    is, as the two are printed; None for the highest, ``apart`` is the unrounded gap.
    """

    row: BoardRow
    why: str
    """The question to which the sum of the last game answers."""
    games: str
    """How many games, in words."""
    before: int | None
    gap: float | None
    apart: float | None
    spark: Spark | None


def rungs_of(
    rows: Sequence[BoardRow],
    scores: Column,
    decimals: int,
    before: Before | None = None,
    last: Mapping[int, Sequence[float]] | None = None,
) -> list[BoardLine]:
    """Return board rows with their extra columns; ``scores`` are those of the whole board, the lowest first."""
    higher = np.searchsorted(scores, [row.score for row in rows], side="right").tolist()
    rungs = []
    why = _("Why? Game {number}")
    for row, place in zip(rows, higher, strict=True):
        above = float(scores[place]) if place < len(scores) else None
        gap = None if above is None else float(rounded(row.score, decimals) - rounded(above, decimals))
        apart = None if above is None else row.score - above
        was = before.rank_of(row.player) if before else None
        games = ngettext("{count} game", "{count} games", row.games).format(count=number(row.games))
        small = small_line((last or {}).get(row.player, ()), decimals)
        rungs.append(BoardLine(row, why.format(number=row.last_number), games, was, gap, apart, small))
    return rungs


def small_line(values: Sequence[float], decimals: int) -> Spark | None:
    """Return the small line of the last games, None if they are too few for one."""
    path = spark_of(values)
    if not path:
        return None
    end, games = " ".join(path.rsplit(" ", 2)[1:]), len(values)
    figures = (values[0], values[-1], min(values), max(values))
    first, last, low, high = (number(value, decimals) for value in figures)
    words = ngettext("{count} game, from {first} to {last}", "{count} games, from {first} to {last}", games)
    span = ngettext("Last {count} game: {low} to {high}", "Last {count} games: {low} to {high}", games)
    return Spark(
        path, end, words.format(count=games, first=first, last=last), span.format(count=games, low=low, high=high)
    )
