"""Elo for two or more players: every pair of players is compared, K is split over the opponents.

Source: A. Elo, The Rating of Chessplayers, Past and Present (1978), with the pairwise extension to
more than two players that the Durak score uses, too (weight K / (n - 1) a pair).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ratings.parameters import number
from ratings.system import (
    MOST_PLAYERS,
    Figure,
    GameField,
    Law,
    Part,
    RatingSystem,
    Ruling,
    Rows,
    Sheet,
    WorkedExample,
)

K, SCALE, START, PROVISIONAL_GAMES, PROVISIONAL_K = range(5)
RESULT, EXPECTATION = range(2)
MEAN_A, MEAN_E, USED_K = range(3)
A, E = range(2)


def expected(mine: float, theirs: float, scale: float) -> float:
    """Return the expected score of ``mine`` against ``theirs``, between 0 and 1."""
    # Beyond ±300 the power would leave float64; the expectation is 0 or 1 to the last bit long before.
    exponent = min(max((theirs - mine) / scale, -300.0), 300.0)
    return 1.0 / (1.0 + math.pow(10.0, exponent))
