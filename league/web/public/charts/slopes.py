"""The slope chart of two boards: each player's rank on the first day, and on the second."""

from collections.abc import Sequence
from dataclasses import dataclass

from league.core.leaderboard.selectors.compared import RankMove
from league.web.public.charts.plots import abbreviate, shorten

#: Maximum number of ranks drawn, and of letters of a name.
MAX_RANKS, MAX_NAME_LENGTH = 24, 16
#: Height of a rank, and of the line with the days, in pixels.
ROW, HEAD = 26, 34


@dataclass(frozen=True)
class Slope:
    """A player's line, with its heights in pixels; a rank is None at an end below the ranks drawn."""

    name: str
    words: str
    brief: str
    kind: str
    start: float
    end: float
    rank_before: int | None
    rank_after: int | None


@dataclass(frozen=True)
class SlopeChart:
    """The lines of a slope chart, unchanged ranks first, so that others are drawn over them."""

    slopes: list[Slope]
    height: int


def draw_slopes(moves: Sequence[RankMove]) -> SlopeChart | None:
    """Draw the first ranks of two boards; None if no rank changed. ``moves`` contains all players of these ranks."""
    before = _place_ranks({move.handle: move.rank_before for move in moves})
    after = _place_ranks({move.handle: move.rank_after for move in moves})
    drawn = [move for move in moves if move.handle in before or move.handle in after]
    if all(move.rank_before == move.rank_after for move in drawn):
        return None
    bottom = HEAD + ROW * max(len(before), len(after))
    slopes = [
        Slope(
            move.name,
            shorten(move.name, MAX_NAME_LENGTH),
            abbreviate(move.name),
            _find_direction(move),
            before.get(move.handle, bottom),
            after.get(move.handle, bottom),
            move.rank_before if move.handle in before else None,
            move.rank_after if move.handle in after else None,
        )
        for move in drawn
    ]
    return SlopeChart(sorted(slopes, key=lambda slope: slope.kind != "same"), bottom)


def _place_ranks(ranks: dict[str, int | None]) -> dict[str, float]:
    """Return the height of each player of the first ranks; ties are below each other."""
    ordered = sorted((rank, handle) for handle, rank in ranks.items() if rank)
    return {handle: HEAD + ROW * (place + 0.5) for place, (_, handle) in enumerate(ordered[:MAX_RANKS])}


def _find_direction(move: RankMove) -> str:
    """Return the CSS class of a move; a player without a rank is below all others."""
    if move.rank_before == move.rank_after:
        return "same"
    if move.rank_after is None:
        return "down"
    return "up" if move.rank_before is None or move.rank_after < move.rank_before else "down"
