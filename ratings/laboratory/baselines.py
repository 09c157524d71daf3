"""What every system is held against: nobody known (always even), and points per game."""

import numpy as np
from numpy.typing import NDArray

from ratings.laboratory.judging import Forecast, no_promise
from ratings.laboratory.tables import Tables


def even(tables: Tables) -> Forecast:
    """Return the forecast that every pair is even."""
    return Forecast(np.zeros(len(tables.captains)), lambda left, _: np.full(len(left), 0.5))


def points_per_game(tables: Tables) -> Forecast:
    """Return the forecast by the mean share of points in the games before; it orders, and promises nothing.

    A game's share is that of the other sides that a side left behind, level ones counting half; who has not played
    stands at ½, and a side has the mean of its players.
    """
    share = shares(tables)[tables.of]
    played = tables.nth - 1.0
    mean = np.where(played > 0.0, tables.earlier(share) / np.maximum(played, 1.0), 0.5)
    rating = np.bincount(tables.of, mean) / np.bincount(tables.of)
    return Forecast(rating, no_promise)


def shares(tables: Tables) -> NDArray[np.float64]:
    """Return the share of points of each side in its game: M; ½ where nothing is known."""
    count = len(tables.captains)
    points, met = np.zeros(count), np.zeros(count)
    for pairs in tables.pairs(0, tables.played.games):
        points += np.bincount(pairs.left, pairs.came, count) + np.bincount(pairs.right, 1.0 - pairs.came, count)
        met += np.bincount(pairs.left, minlength=count) + np.bincount(pairs.right, minlength=count)
    return np.where(met > 0.0, points / np.maximum(met, 1.0), 0.5)
