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


def compute_ratings_at(run: Run, tables: SideTables, game: int) -> NDArray[np.float64]:
    """Return everyone's rating after ``game`` games, NaN for players without games."""
    rows = int(tables.played.offsets[game])
    last = np.full(tables.played.count, -1)
    # A player's last result wins.
    last[tables.played.players[:rows]] = np.arange(rows)
    shift = run.shift[rows - 1] if rows else 0.0
    return np.where(last >= 0, run.after[last] + (shift - run.shift[last]), np.nan)


def compute_stability(run: Run, tables: SideTables) -> Stability | None:
    """Return how much the order changed over the last quarter of the games."""
    # Imported here: only laboratories need it, and it is large.
    from scipy.stats import rankdata, spearmanr

    games = tables.played.games
    middle = games - games // 4
    rows = int(tables.played.offsets[middle])
    has_enough_games = np.bincount(tables.played.players[:rows], minlength=tables.played.count) >= GAMES_BEFORE
    if has_enough_games.sum() < MIN_PLAYERS:
        return None
    before, after = (
        compute_ratings_at(run, tables, middle)[has_enough_games],
        compute_ratings_at(run, tables, games)[has_enough_games],
    )
    if np.ptp(before) == 0.0 or np.ptp(after) == 0.0:
        return None
    mean_rank_change = np.abs(rankdata(before) - rankdata(after)).mean()
    return Stability(float(mean_rank_change), float(spearmanr(before, after).statistic), int(has_enough_games.sum()))


def compute_inflation(run: Run, tables: SideTables) -> tuple[LevelPoint, ...]:
    """Return the mean rating of those who played in each part of the games."""
    dataset, points = tables.played, []
    edges = np.unique(np.linspace(0, dataset.games, PARTS + 1).astype(np.int64)).tolist()
    for first, last in pairwise(edges):
        active = np.unique(dataset.players[dataset.offsets[first] : dataset.offsets[last]])
        mean = compute_ratings_at(run, tables, last)[active].mean()
        points.append(LevelPoint(float(dataset.days[last - 1]), float(mean), len(active)))
    return tuple(points)


def compute_newcomer_accuracy(right: NDArray[np.float64], decided: NDArray[np.float64]) -> tuple[Newness, ...]:
    """Return order accuracy by the number of games of the newer player."""
    firsts, lasts = (1, *(last + 1 for last in GROUPS)), (*GROUPS, 0)
    return tuple(
        Newness(first, last, float(hits / pairs) if pairs >= MIN_PAIRS else None, int(pairs))
        for first, last, hits, pairs in zip(firsts, lasts, right.tolist(), decided.tolist(), strict=True)
    )


def find_games_to_be_known(groups: tuple[Newness, ...]) -> int | None:
    """Return the game from which newcomers are ordered as accurately as veterans; None if unknown."""
    veterans = groups[-1].accuracy
    if veterans is None:
        return None
    game_count = None
    for group in reversed(groups[:-1]):
        if group.accuracy is None:
            return game_count
        if group.accuracy < veterans - AS_WELL:
            return group.last + 1
        game_count = group.first
    return game_count
