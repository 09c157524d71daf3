"""Lines of rated games that a replay has in its hands, behind those that stand in the history before its position."""

from collections.abc import Sequence

import numpy as np
from django.db.models import Q

from league.db.columns import Column
from league.models import League, Period
from league.selectors.ladders.ladders import method_of
from league.selectors.ladders.rated_games import NAMES, read_lines
from league.services.replay.history import GameLog, Position, at_or_after

#: The columns of rated games that the log of games has.
SHEET = ("score", "place")


def earlier_lines(league: League, position: Position, periods: Sequence[Period]) -> dict[str, Column]:
    """Read the lines of the history in periods before a position, as ``rated_games_of`` takes them."""
    start = min([position[0], *(period.starts_at for period in periods)])
    scores = any(method_of(period.rule).reads_scores for period in periods)
    # The plain bound is what an index can use.
    where = ~at_or_after(position, "at")
    return read_lines(league, start, scores=scores, where=where & Q(at__lte=position[0]))


def joined(earlier: dict[str, Column], lines: dict[str, Column], log: GameLog) -> dict[str, Column]:
    """Return the lines before a position and those computed from there on as the columns of rated games.

    ``lines`` without a ``step`` are of games only.
    """
    if "step" in lines:
        rated = lines["step"] == 1
        lines = {name: lines[name][rated] for name in NAMES}
    whole = {name: np.concatenate([earlier[name], lines[name]]) for name in NAMES}
    first = len(log.results) - len(lines["at"])  # games before the first rule are not rated
    for name, values in zip(SHEET, log.results[first:].T, strict=True):
        whole[name] = np.concatenate([earlier[name], values])
    return whole
