"""Rated lines that a replay has in its hands, behind those that stand in the history before its position."""

from collections.abc import Sequence

import numpy as np
from django.db.models import Q

from league.models import League, Period
from league.selectors.ladders.ladders import method_of
from league.selectors.ladders.rated_games import HistoryLines, RatedLines, read_lines
from league.services.replay.history import GameLog, Lines, Position, at_or_after


def earlier_lines(league: League, position: Position, periods: Sequence[Period]) -> RatedLines:
    """Read the lines of the history in periods before a position, as ``rated_games_of`` takes them."""
    start = min([position[0], *(period.starts_at for period in periods)])
    scores = any(method_of(period.rule).reads_scores for period in periods)
    # The plain bound is what an index can use.
    where = ~at_or_after(position, "at")
    return read_lines(league, start, scores=scores, where=where & Q(at__lte=position[0]))


def rated_lines(lines: Lines, log: GameLog) -> RatedLines:
    """Return the lines of games among those computed of a log, beside its sheets; those of the pool are passed over.

    Columns are shared, not copied, where there are no others.
    """
    rated = lines.step == 1
    return beside_sheets(HistoryLines.cut(lines, slice(None) if rated.all() else rated), log)


def beside_sheets(lines: HistoryLines, log: GameLog) -> RatedLines:
    """Return lines of the rated games of a log, one a result, beside its sheets."""
    # Games before the first rule are not rated.
    first = len(log.results) - len(lines)
    score, place = log.results[first:].T
    side = np.full(len(lines), np.nan) if log.sides is None else log.sides[first:]
    return RatedLines(**lines.by_name(), score=score, place=place, side=side)
