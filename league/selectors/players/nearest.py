"""Where a listed player stands among the others on the board: of how many, and how far from the next one."""

from datetime import datetime
from typing import NamedTuple

from league.figures import rounded
from league.models import League
from league.selectors.leaderboard.listing import listed, listing_of


class Nearest(NamedTuple):
    """``of``: listed players. behind: to the next better score; ahead: of the next worse one; None without one.

    Both as the scores are printed, so that they stand as on the board. level: how many others have the same score.
    """

    of: int
    behind: float | None
    ahead: float | None
    level: int


def nearest_of(league: League, score: float, now: datetime, decimals: int) -> Nearest:
    """Return where a listed player of this score stands."""
    listing = listing_of(league, now)
    board = listed(league, listing)
    above = board.filter(score__gt=score).order_by("score").values_list("score", flat=True).first()
    below = None
    if above is None:
        below = board.filter(score__lt=score).order_by("-score").values_list("score", flat=True).first()
    level = board.filter(score=score).count() - 1
    return Nearest(board.count(), apart(score, above, decimals), apart(score, below, decimals), level)


def apart(one: float, other: float | None, decimals: int) -> float | None:
    """Return how far two scores are apart as they are printed; None where there is no other."""
    return None if other is None else float(abs(rounded(other, decimals) - rounded(one, decimals)))
