"""Where a listed player stands among the others on the board: of how many, and how far from the next one."""

from datetime import datetime
from typing import NamedTuple

from league.models import League
from league.selectors.leaderboard.listing import listed, listing_of


class Nearest(NamedTuple):
    """``of``: listed players. behind: to the next better score; ahead: of the next worse one; None without one."""

    of: int
    behind: float | None
    ahead: float | None


def nearest_of(league: League, score: float, now: datetime) -> Nearest:
    """Return where a listed player of this score stands."""
    board = listed(league, listing_of(league, now))
    above = board.filter(score__gt=score).order_by("score").values_list("score", flat=True).first()
    below = None
    if above is None:
        below = board.filter(score__lt=score).order_by("-score").values_list("score", flat=True).first()
    behind = None if above is None else above - score
    return Nearest(board.count(), behind, None if below is None else score - below)
