"""Elo for two or more players: every pair of players is compared, K is split over the opponents.

Source: A. E. Elo, The Rating of Chessplayers, Past and Present (1978); for more than two players the
pairwise extension that the Durak score uses, too (weight K / (n - 1) a pair).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ratings.parameters import number
from ratings.system import (
    MOST_PLAYERS,
    Figure,
    Kernel,
    Law,
    Part,
    Preset,
    RatingSystem,
    Rows,
    Ruling,
    Sheet,
    StateField,
    Use,
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


def better(mine: list[float], theirs: list[float], by_score: bool) -> float:
    """Return 1, 0.5 or 0: the actual score of one result (score, place) against another."""
    left = mine[0] if by_score else theirs[1]
    right = theirs[0] if by_score else mine[1]
    if left == right:
        return 0.5
    return 1.0 if left > right else 0.0


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
    """Compare every pair; see the contract in ``ratings.system``."""
    by_score = True
    for i in range(n):
        # A missing score is NaN, the only number that differs from itself.
        if results[i][0] != results[i][0]:
            by_score = False
    for i in range(n):
        k = parameters[PROVISIONAL_K] if games[i] < parameters[PROVISIONAL_GAMES] else parameters[K]
        actual = 0.0
        expectation = 0.0
        for j in range(n):
            pairs[i][j][A] = 0.5
            pairs[i][j][E] = 0.5
            if i != j:
                pairs[i][j][A] = better(results[i], results[j], by_score)
                pairs[i][j][E] = expected(before[i][0], before[j][0], parameters[SCALE])
                actual += pairs[i][j][A] - 0.5
                expectation += 0.5 - pairs[i][j][E]
        weight = k / (n - 1)
        parts[i][RESULT] = weight * actual
        parts[i][EXPECTATION] = weight * expectation
        figures[i][MEAN_A] = 0.5 + actual / (n - 1)
        figures[i][MEAN_E] = 0.5 - expectation / (n - 1)
        figures[i][USED_K] = k


def zero_sum(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Tell whether the changes sum to nothing; two K at one table need not."""
    return system.provisional_games > 0 or abs(math.fsum(changes)) < 1e-9


@dataclass(frozen=True, kw_only=True)
class Elo(RatingSystem):
    """Elo, pairwise, for two or more players."""

    key: ClassVar[str] = "elo"
    title: ClassVar[str] = "Elo"
    summary: ClassVar[str] = (
        "You win points when you do better than your rating and your opponents' ratings promised, and lose points when "
        "you do worse. What one player wins, the others lose. With more than two players, each pair is compared."
    )
    source: ClassVar[str] = (
        "A. E. Elo, The Rating of Chessplayers, Past and Present (1978); more than two players: pairwise, K / (n − 1) a pair."
    )
    formula: ClassVar[str] = (
        "E_ij = 1 / (1 + 10^((R_j − R_i) / scale))\n"
        "A_ij = 1 for a win, ½ for a draw, 0 for a loss\n"
        "change_i = K / (n − 1) · Σ_j (A_ij − E_ij)"
    )
    fewest_players: ClassVar[int] = 2
    most_players: ClassVar[int] = MOST_PLAYERS
    score: ClassVar[Use] = "either"
    place: ClassVar[Use] = "either"
    ties: ClassVar[bool] = True
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", "Rating"),)
    parts: ClassVar[tuple[Part, ...]] = (
        Part("result", "K/(n−1) Σ(A−½)", "Result", "Points for winning, drawing and losing."),
        Part("expectation", "K/(n−1) Σ(½−E)", "Rating expectation", "What the ratings promised beforehand."),
    )
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("mean_a", "A", "Actual score, mean over the opponents"),
        Figure("mean_e", "E", "Expected score, mean over the opponents"),
        Figure("k", "K", "K that was used"),
    )
    pairs: ClassVar[tuple[Figure, ...]] = (
        Figure("a", "A_ij", "Actual score against the opponent"),
        Figure("e", "E_ij", "Expected score against the opponent"),
    )
    performance: ClassVar[str] = "mean_a"
    performance_label: ClassVar[str] = "Score against the table"
    score_label: ClassVar[str] = "Rating"
    score_help: ClassVar[str] = "The leaderboard shows the rating itself."
    rulings: ClassVar[tuple[Ruling, ...]] = ()
    presets: ClassVar[tuple[Preset, ...]] = ()
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title="Two equal players, K = 32",
            sheet=Sheet(scores=(1, 0), places=(None, None)),
            before=(1500, 1500),
            parameters={"k": 32},
            after=(1516, 1484),
            changes=(16, -16),
            figures={"mean_a": (1, 0), "mean_e": (0.5, 0.5)},
        ),
        WorkedExample(
            title="400 points apart: ten to one",
            sheet=Sheet(scores=(1, 0), places=(None, None)),
            before=(1900, 1500),
            parameters={"k": 32},
            # 1 - 10/11 = 1/11; 32/11 = 2.909090909...
            after=(1902.909090909091, 1497.090909090909),
            tolerance=1e-9,
            figures={"mean_e": (0.9090909090909091, 0.09090909090909091)},
        ),
        WorkedExample(
            title="A draw between three equal players costs nobody anything",
            sheet=Sheet(scores=(None, None, None), places=(1, 1, 1)),
            before=(1500, 1500, 1500),
            after=(1500, 1500, 1500),
            changes=(0, 0, 0),
        ),
    )
    laws: ClassVar[tuple[Law, ...]] = (
        Law("zero_sum", "Without provisional games, what one player wins the others lose.", zero_sum),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    k: float = number(20.0, label="K", low=0.0, high=400.0, unit="points", help="The most that a game can move a rating.")
    scale: float = number(
        400.0, label="Scale", low=1.0, high=10_000.0, unit="points", help="So many points apart is ten to one."
    )
    initial: float = number(1500.0, label="Start", low=-10_000.0, high=10_000.0, unit="points", help="A newcomer's rating.")
    provisional_games: float = number(
        0, label="Provisional games", low=0, high=1000, unit="games", whole=True, help="A player's first games use another K."
    )
    provisional_k: float = number(
        40.0, label="Provisional K", low=0.0, high=400.0, unit="points", help="K of a player's provisional games."
    )

    def start(self) -> list[float]:
        """Return the state of a newcomer."""
        return [float(self.initial)]
