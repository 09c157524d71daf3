"""The behaviour of a system's ratings, apart from prediction: order of players, mean level and newcomers."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ratings.laboratory.judging import GROUPS
from ratings.laboratory.report import LevelPoint, Newness, Stability
from ratings.laboratory.running import Run
from ratings.laboratory.tables import SideTables

#: Number of parts of the games for the mean rating.
PARTS = 12
#: Fewest games before the last quarter of a player whose rank is compared, and fewest such players.
GAMES_BEFORE, MIN_PLAYERS = 5, 5
#: Fewest decided pairs for an order accuracy.
MIN_PAIRS = 100
#: Newcomers are predicted as well as veterans if their accuracy is this close.
AS_WELL = 0.02


def ratings_at(run: Run, tables: SideTables, game: int) -> NDArray[np.float64]:
    """Return everyone's rating after ``game`` games, NaN for players without games."""
    rows = int(tables.played.offsets[game])
    last = np.full(tables.played.count, -1)
    # A player's last result wins.
    last[tables.played.players[:rows]] = np.arange(rows)
    shift = run.shift[rows - 1] if rows else 0.0
    return np.where(last >= 0, run.after[last] + (shift - run.shift[last]), np.nan)


def stability(run: Run, tables: SideTables) -> Stability | None:
    """Return how much the order changed over the last quarter of the games."""
    # Imported here: only laboratories need it, and it is large.
    from scipy.stats import rankdata, spearmanr

    games = tables.played.games
    middle = games - games // 4
    rows = int(tables.played.offsets[middle])
    known = np.bincount(tables.played.players[:rows], minlength=tables.played.count) >= GAMES_BEFORE
    if known.sum() < MIN_PLAYERS:
        return None
    before, after = ratings_at(run, tables, middle)[known], ratings_at(run, tables, games)[known]
    if np.ptp(before) == 0.0 or np.ptp(after) == 0.0:
        return None
    moved = np.abs(rankdata(before) - rankdata(after)).mean()
    return Stability(float(moved), float(spearmanr(before, after).statistic), int(known.sum()))


def inflation(run: Run, tables: SideTables) -> tuple[LevelPoint, ...]:
    """Return the mean rating of those who played in each part of the games."""
    played, found = tables.played, []
    edges = np.unique(np.linspace(0, played.games, PARTS + 1).astype(np.int64)).tolist()
    for first, last in pairwise(edges):
        active = np.unique(played.players[played.offsets[first] : played.offsets[last]])
        mean = ratings_at(run, tables, last)[active].mean()
        found.append(LevelPoint(float(played.days[last - 1]), float(mean), len(active)))
    return tuple(found)


def newcomers(right: NDArray[np.float64], decided: NDArray[np.float64]) -> tuple[Newness, ...]:
    """Return order accuracy by the number of games of the newer player."""
    firsts, lasts = (1, *(last + 1 for last in GROUPS)), (*GROUPS, 0)
    return tuple(
        Newness(first, last, float(hits / pairs) if pairs >= MIN_PAIRS else None, int(pairs))
        for first, last, hits, pairs in zip(firsts, lasts, right.tolist(), decided.tolist(), strict=True)
    )


def games_to_be_known(found: tuple[Newness, ...]) -> int | None:
    """Return the game from which newcomers are ordered as accurately as veterans; None if unknown."""
    veterans = found[-1].accuracy
    if veterans is None:
        return None
    known = None
    for one in reversed(found[:-1]):
        if one.accuracy is None:
            return known
        if one.accuracy < veterans - AS_WELL:
            return one.last + 1
        known = one.first
    return known
