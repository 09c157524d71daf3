"""A rating system with a pool, and games of it."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ratings.contract.parameters import number
from ratings.contract.system import ChangePart, Kernel, RatingSystem, Rows, StateField, Use, WorkedExample
from ratings.run.replay import Log, Pool


def kernel(
    n: int,
    before: Rows,
    games: list[float],
    results: Rows,
    fields: list[float],
    parameters: list[float],
    pool: list[float],
    parts: Rows,
    after: Rows,
    figures: Rows,
    pairs: list[Rows],
) -> None:
    """Add the score; then everybody who has played pays a share of the sum, also those who are not at the table."""
    total = 0.0
    for i in range(n):
        total += results[i][0]
    share = parameters[0] * total / pool[1]
    pool[0] -= share
    for i in range(n):
        parts[i][0] = results[i][0]
        parts[i][1] = 0.0 - share
        after[i][1] = before[i][1] + 1.0


@dataclass(frozen=True, kw_only=True)
class Levy(RatingSystem):
    """A system with a second float of state, a pool, and no figure of its own."""

    key: ClassVar[str] = "levy"
    title: ClassVar[str] = "Levy"
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 3
    score: ClassVar[Use] = "required"
    place: ClassVar[Use] = "unused"
    ties: ClassVar[bool] = True
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", "Rating"), StateField("seen", "n", "Seen"))
    parts: ClassVar[tuple[ChangePart, ...]] = (ChangePart("score", "s", "Score"), ChangePart("levy", "l", "Levy"))
    examples: ClassVar[tuple[WorkedExample, ...]] = ()
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    levy: float = number(1, label="Levy", low=0, high=1, help="The share of a game's points that all pay together.")

    def start(self) -> list[float]:
        """Return the state of a newcomer."""
        return [0.0, 0.0]


def log_of(games: list[tuple[list[int], list[float]]]) -> Log:
    """Return games of (players, scores) as a log."""
    return Log(
        offsets=np.cumsum([0, *(len(players) for players, _ in games)]).astype(np.int64),
        players=np.array([player for players, _ in games for player in players], dtype=np.int64),
        results=np.array([[score, math.nan] for _, scores in games for score in scores]),
        fields=np.empty((len(games), 0)),
    )


def newcomers(count: int) -> Pool:
    """Return a pool of players without a game."""
    return Pool(np.zeros((count, 2)), np.zeros(count), np.zeros(count))


#: Three games: players 0 and 1; then 1 and 2 while 0 pays along; then all three.
GAMES: list[tuple[list[int], list[float]]] = [([0, 1], [8, 0]), ([1, 2], [6, 0]), ([0, 1, 2], [0, 0, 3])]
