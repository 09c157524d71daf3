"""Rows of a board with the previous rank, the gap to the next score, and a sparkline of recent games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from league.core.db.columns import Column
from league.core.leaderboard.selectors.current_board import BoardRow
from league.core.leaderboard.selectors.movement import Before
from league.core.text.display_formats import format_number
from league.web.public.charts.plots import Sparkline, draw_sparkline
from ratings.texts import round_as_printed


@dataclass(frozen=True)
class Spark:
    """The sparkline of the last games, a description, and its range."""

    line: Sparkline
    words: str
    span: str


@dataclass(frozen=True)
class BoardLine:
    """A row of the board.

    ``before`` is the rank before the last evening, None if the player was not on the board. ``gap`` is the difference
    of the printed scores to the next higher one, ``apart`` the unrounded one; both are None for the highest score.
    """

    row: BoardRow
    why: str
    """The label of the link to the last game's explanation."""
    games: str
    """The number of games, in words."""
    before: int | None
    gap: float | None
    apart: float | None
    spark: Spark | None


def build_board_lines(
    rows: Sequence[BoardRow],
    scores: Column,
    decimals: int,
    previous: Before | None = None,
    last: Mapping[int, Sequence[float]] | None = None,
) -> list[BoardLine]:
    """Return board rows with their extra columns; ``scores`` are all scores of the board in ascending order."""
    higher = np.searchsorted(scores, [row.score for row in rows], side="right").tolist()
    rungs = []
    template = _("Why? Game {number}")
    for row, place in zip(rows, higher, strict=True):
        above = float(scores[place]) if place < len(scores) else None
        gap = (
            None if above is None else float(round_as_printed(row.score, decimals) - round_as_printed(above, decimals))
        )
        difference = None if above is None else row.score - above
        previous_rank = previous.rank_of(row.player) if previous else None
        games = ngettext("{count} game", "{count} games", row.games).format(count=format_number(row.games))
        small = _build_sparkline((last or {}).get(row.player, ()), decimals)
        rungs.append(
            BoardLine(row, template.format(number=row.last_number), games, previous_rank, gap, difference, small)
        )
    return rungs


def _build_sparkline(values: Sequence[float], decimals: int) -> Spark | None:
    """Return the sparkline of the last games, None if there are too few."""
    line = draw_sparkline(values)
    if line is None:
        return None
    games = len(values)
    extremes = (values[0], values[-1], min(values), max(values))
    first, last, low, high = (format_number(value, decimals) for value in extremes)
    template, span = _get_spark_sentences(games, get_language())
    return Spark(
        line, template.format(count=games, first=first, last=last), span.format(count=games, low=low, high=high)
    )


@lru_cache(maxsize=512)
def _get_spark_sentences(games: int, _language: str | None) -> tuple[str, str]:
    """Return the sentences about the last games, looked up once for all rows."""
    return (
        ngettext("{count} game, from {first} to {last}", "{count} games, from {first} to {last}", games),
        ngettext("Last {count} game: {low} to {high}", "Last {count} games: {low} to {high}", games),
    )
