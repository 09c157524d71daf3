"""Evaluates predictions pair by pair and sums up by evening, the unit of the bootstrap."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratings.laboratory.tables import Pairs, SideTables

#: Probabilities are clipped to this distance from 0 and 1, so that an upset has a finite loss.
SURE = 1e-15
#: Calibration bins from ½ to 1, by the favourite's probability.
BINS = 10
#: Columns of sums per evening: pairs, decided pairs.
PAIRS, DECIDED = range(2)
#: Columns per entrant: correctly ordered pairs, losses, errors of scores and their number, then the bins.
RIGHT, LOSS, BRIER, ERROR, ERRORS, PROMISED = range(6)
CAME, COUNT = PROMISED + BINS, PROMISED + 2 * BINS
COLUMNS = PROMISED + 3 * BINS
#: Groups of pairs by the number of games of the newer player: the last of each group; veterans follow.
GROUPS = (1, 2, 3, 5, 10, 20, 50)

Promise = Callable[[NDArray[np.int64], NDArray[np.int64]], "NDArray[np.float64] | None"]


@dataclass(frozen=True, eq=False)
class Forecast:
    """A forecast: ``rating`` orders the sides (M), ``promise`` gives the probability that the left one is ahead.

    predicted, came: N, predicted and actual scores, None if no score is predicted.
    """

    rating: NDArray[np.float64]
    promise: Promise
    predicted: NDArray[np.float64] | None = None
    came: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of a forecast by evening (E × COLUMNS), and correctly ordered pairs by group of newness."""

    evenings: NDArray[np.float64]
    promises: bool
    newness: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """The evaluated pairs, their numbers by evening (E × 2), and the decided ones by the newer player's newness."""

    blocks: Sequence[Pairs]
    evenings: NDArray[np.float64]
    newness: NDArray[np.float64]


def predict_nothing(left: NDArray[np.int64], right: NDArray[np.int64]) -> None:
    """Give no probability for any pair."""


def _group_by_newness(tables: SideTables, pairs: Pairs) -> NDArray[np.int64]:
    """Return the group of each pair by its newer player's games."""
    game_counts = np.minimum(tables.newest[pairs.left], tables.newest[pairs.right])
    return np.searchsorted(GROUPS, game_counts, side="left")


def select_judged_pairs(tables: SideTables, warm_up: int, chosen: NDArray[np.bool_] | None = None) -> JudgedPairs:
    """Return the pairs of the games from ``warm_up`` on; ``chosen``: whether each game is evaluated (None: all)."""
    blocks = list(tables.pairs(warm_up, tables.played.games))
    if chosen is not None:
        blocks = [pairs.of(chosen[tables.games_of_rows[tables.captains[pairs.left]]]) for pairs in blocks]
    evenings, newness = np.zeros((int(tables.evenings.max()) + 1, 2)), np.zeros(len(GROUPS) + 1)
    for pairs in blocks:
        decided = (pairs.came != 0.5).astype(np.float64)
        evenings[:, PAIRS] += np.bincount(pairs.evening, minlength=len(evenings))
        evenings[:, DECIDED] += np.bincount(pairs.evening, decided, len(evenings))
        newness += np.bincount(_group_by_newness(tables, pairs), decided, len(newness))
    return JudgedPairs(blocks, evenings, newness)


def judge(forecast: Forecast, tables: SideTables, judged: JudgedPairs, warm_up: int) -> Sums:
    """Evaluate a forecast."""
    evenings, newness = np.zeros((len(judged.evenings), COLUMNS)), np.zeros(len(GROUPS) + 1)
    promises = True
    for pairs in judged.blocks:
        lead = np.sign(forecast.rating[pairs.left] - forecast.rating[pairs.right])
        # 1 if the order was correct, ½ if there was none; draws do not count.
        right = np.where(pairs.came == 0.5, 0.0, (1.0 + lead * (2.0 * pairs.came - 1.0)) / 2.0)
        evenings[:, RIGHT] += np.bincount(pairs.evening, right, len(evenings))
        newness += np.bincount(_group_by_newness(tables, pairs), right, len(newness))
        promised = forecast.promise(pairs.left, pairs.right) if promises else None
        promises = promised is not None
        if promised is not None:
            add_promises(evenings, pairs, promised)
    if forecast.predicted is not None and forecast.came is not None:
        add_errors(evenings, tables, forecast.predicted, forecast.came, warm_up)
    return Sums(evenings, promises, newness)


def add_promises(evenings: NDArray[np.float64], pairs: Pairs, promised: NDArray[np.float64]) -> None:
    """Add the losses and calibration of a block of pairs."""
    count = len(evenings)
    sure = np.clip(promised, SURE, 1.0 - SURE)
    loss = -(pairs.came * np.log(sure) + (1.0 - pairs.came) * np.log1p(-sure))
    evenings[:, LOSS] += np.bincount(pairs.evening, loss, count)
    evenings[:, BRIER] += np.bincount(pairs.evening, (promised - pairs.came) ** 2, count)
    favourite = np.maximum(promised, 1.0 - promised)
    outcomes = np.where(promised < 0.5, 1.0 - pairs.came, np.where(promised == 0.5, 0.5, pairs.came))
    cells = pairs.evening * BINS + np.minimum((favourite - 0.5) * (2 * BINS), BINS - 1).astype(np.int64)
    for column, weights in ((PROMISED, favourite), (CAME, outcomes), (COUNT, None)):
        sums = np.bincount(cells, weights, count * BINS).reshape(count, BINS)
        evenings[:, column : column + BINS] += sums


def add_errors(
    evenings: NDArray[np.float64],
    tables: SideTables,
    predicted: NDArray[np.float64],
    actual: NDArray[np.float64],
    warm_up: int,
) -> None:
    """Add the absolute errors of predicted scores; a side's score counts once."""
    rows = tables.captains[tables.edges[warm_up] :]
    error = np.abs(predicted[rows] - actual[rows])
    has_error = ~np.isnan(error)
    evening = tables.evenings[tables.games_of_rows[rows]][has_error]
    evenings[:, ERROR] += np.bincount(evening, error[has_error], len(evenings))
    evenings[:, ERRORS] += np.bincount(evening, minlength=len(evenings))
