"""The predictions of a system for every game, from the states before it.

Also the baselines: always even, and points per game.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ratings.contract.system import RatingSystem
from ratings.laboratory.judging import Forecast, predict_nothing
from ratings.laboratory.running import Run, Step, run_games
from ratings.laboratory.tables import SideTables


def compute_forecast(
    system: RatingSystem, tables: SideTables, step: Step, *, compiled: bool, times: int = 1
) -> tuple[Forecast, Run]:
    """Run a system that can rate all these games, and return its predictions; see ``run_games``."""
    run = run_games(system, tables, step, compiled=compiled, times=times)
    states, can_predict = _compute_side_states(system, tables, run.before)
    promise = partial(_predict_probabilities, system, states) if can_predict else predict_nothing
    return Forecast(np.ascontiguousarray(states[:, 0]), promise, run.predicted, run.came), run


def _predict_probabilities(
    system: RatingSystem, states: NDArray[np.float64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Return the system's probability that the left side of each pair comes out ahead."""
    return system.expected_of_pairs(states[left], states[right])


def _compute_side_states(
    system: RatingSystem, tables: SideTables, states_before: NDArray[np.float64]
) -> tuple[NDArray[np.float64], bool]:
    """Return each side's state before its game (M × S), and whether all of them allow predictions.

    A side of several players is represented as the system defines (``as_one``); if undefined, by its players' mean
    rating, which orders sides but gives no probabilities.
    """
    if not tables.partners:
        return states_before, True
    states, can_predict = states_before[tables.captains].copy(), True
    sizes = np.bincount(tables.of)
    order = np.argsort(tables.of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    for size in np.unique(sizes[sizes > 1]).tolist():
        selected = np.flatnonzero(sizes == size)
        rows = states_before[order[starts[selected][:, None] + np.arange(size)]]
        combined = system.as_one(rows)
        if combined is None:
            states[selected, 0], can_predict = rows[:, :, 0].mean(axis=1), False
        else:
            states[selected] = combined
    return states, can_predict


def build_even_forecast(tables: SideTables) -> Forecast:
    """Return the forecast that every pair is even."""
    return Forecast(np.zeros(len(tables.captains)), lambda left, _: np.full(len(left), 0.5))


def build_points_forecast(tables: SideTables) -> Forecast:
    """Return the forecast by the mean share of points in earlier games; it orders sides, without probabilities.

    A game's share is the share of the other sides that a side beat, ties counting half. Players without games have ½,
    and a side has the mean of its players.
    """
    share = _compute_point_shares(tables)[tables.of]
    earlier_games = tables.nth - 1.0
    mean = np.where(earlier_games > 0.0, tables.earlier(share) / np.maximum(earlier_games, 1.0), 0.5)
    rating = np.bincount(tables.of, mean) / np.bincount(tables.of)
    return Forecast(rating, predict_nothing)


def _compute_point_shares(tables: SideTables) -> NDArray[np.float64]:
    """Return each side's share of points in its game (M), ½ if unknown."""
    count = len(tables.captains)
    points, met = np.zeros(count), np.zeros(count)
    for pairs in tables.pairs(0, tables.played.games):
        points += np.bincount(pairs.left, pairs.came, count) + np.bincount(pairs.right, 1.0 - pairs.came, count)
        met += np.bincount(pairs.left, minlength=count) + np.bincount(pairs.right, minlength=count)
    return np.where(met > 0.0, points / np.maximum(met, 1.0), 0.5)
