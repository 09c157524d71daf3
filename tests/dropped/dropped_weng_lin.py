"""Weng–Lin, Plackett–Luce: as somebody drops it into ``ratings/systems/`` as one file; see ``tests.helpers.dropping``.

Source: R. C. Weng and C.-J. Lin, A Bayesian Approximation Method for Online Ranking, JMLR 12 (2011), algorithm 4.
Its state is a mean and a deviation; no field of it is called rating.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ratings.contract.parameters import number
from ratings.contract.system import (
    ChangePart,
    FormulaFigure,
    GameSheet,
    Kernel,
    RatingSystem,
    Rows,
    StateField,
    Use,
    WorkedExample,
)

BETA, KAPPA, TAU = range(3)
MU, SIGMA = range(2)
P_RESULT, P_EXPECTATION = range(2)
C, OMEGA, DELTA = range(3)
(CHANCE,) = range(1)
LOWEST, HIGHEST = 0.001, 100.0


def squared(value: float) -> float:
    """Return the square."""
    return value * value


def ahead(mine: float, theirs: float) -> float:
    """Return 1.0 where a place is as good as another one or better."""
    return 1.0 if mine <= theirs else 0.0


def level(q: int, n: int, results: Rows) -> float:
    """Return how many players share the place of a seat."""
    count = 0.0
    for s in range(n):
        if results[s][1] == results[q][1]:
            count += 1.0
    return count


def chance(i: int, q: int, n: int, c: float, before: Rows, results: Rows) -> float:
    """Return the chance that a player is chosen first among those who came in with a seat or after it."""
    total = 0.0
    for s in range(n):
        if ahead(results[q][1], results[s][1]) == 1.0:
            # Further apart, and float64 has no number for it: the chance is nothing either way.
            total += math.exp(min((before[s][MU] - before[i][MU]) / c, 700.0))
    return 1.0 / total


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
    """Compare who was chosen at each place with who might have been; see ``ratings.contract.system``."""
    total = 0.0
    for i in range(n):
        total += squared(before[i][SIGMA]) + squared(parameters[TAU]) + squared(parameters[BETA])
    c = math.sqrt(total)
    for i in range(n):
        variance = squared(before[i][SIGMA]) + squared(parameters[TAU])
        expected, delta = 0.0, 0.0
        for q in range(n):
            pairs[i][q][CHANCE] = 0.0
            if ahead(results[q][1], results[i][1]) == 1.0:
                p, shared = chance(i, q, n, c, before, results), level(q, n, results)
                pairs[i][q][CHANCE] = p
                expected += p / shared
                delta += p * (1.0 - p) / shared
        delta *= math.sqrt(variance) / c * variance / (c * c)
        parts[i][P_RESULT] = variance / c / level(i, n, results)
        parts[i][P_EXPECTATION] = 0.0 - variance / c * expected
        figures[i][C] = c
        figures[i][OMEGA] = parts[i][P_RESULT] + parts[i][P_EXPECTATION]
        figures[i][DELTA] = delta
        after[i][SIGMA] = min(max(math.sqrt(variance * max(1.0 - delta, parameters[KAPPA])), LOWEST), HIGHEST)


@dataclass(frozen=True, kw_only=True)
class WengLin(RatingSystem):
    """Plackett–Luce with a deviation."""

    key: ClassVar[str] = "dropped_weng_lin"
    title: ClassVar[str] = "Weng–Lin, dropped in"
    summary: ClassVar[str] = (
        "Every place is a choice among those who were not placed yet; how sure we are stands beside."
    )
    source: ClassVar[str] = "R. C. Weng and C.-J. Lin, JMLR 12 (2011), algorithm 4"
    formula: ClassVar[str] = "c² = Σ (σ² + β²)\nΩ = σ²/c · (1/A − Σ p/A)\nΔ = σ/c · σ²/c² · Σ p(1 − p)/A"
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 12
    score: ClassVar[Use] = "optional"
    place: ClassVar[Use] = "required"
    ties: ClassVar[bool] = True
    lowest_rating: ClassVar[float] = -5000.0
    highest_rating: ClassVar[float] = 5000.0
    state: ClassVar[tuple[StateField, ...]] = (
        StateField("mu", "μ", "Mean"),
        StateField("sigma", "σ", "Deviation", "How far off the mean may be.", LOWEST, HIGHEST, 3),
    )
    parts: ClassVar[tuple[ChangePart, ...]] = (
        ChangePart("result", "σ²/c · 1/A", "Result", "For coming in where you did."),
        ChangePart("expectation", "−σ²/c · Σ p/A", "Expectation", "What the means promised."),
    )
    figures: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("c", "c", "Scale of the table"),
        FormulaFigure("omega", "Ω", "Change of the mean"),
        FormulaFigure("delta", "Δ", "What the variance loses"),
    )
    pairs: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("chance", "p_iq", "Chance to be chosen at the other one's place"),
    )
    score_label: ClassVar[str] = "Score"
    score_help: ClassVar[str] = "The mean less three deviations."
    score_difference: ClassVar[str] = "Doubt"
    decimals: ClassVar[int] = 2
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        # Two newcomers: c² = 2 (σ² + β²), p = 1/2, so Ω = ± σ²/2c and Δ = σ³/4c³; by hand.
        WorkedExample(
            title="Two newcomers",
            sheet=GameSheet(scores=(None, None), places=(1, 2)),
            before=(25.0, 25.0),
            after=((27.63523138347365, 8.065506316323548), (22.36476861652635, 8.065506316323548)),
            tolerance=1e-12,
        ),
        # As above with σ 4 and 2, β 3: c² = 38; exp(-5/√38) against 1 at the first place.
        WorkedExample(
            title="Two of different experience",
            sheet=GameSheet(scores=(None, None), places=(2, 1)),
            before=((30.0, 4.0), (25.0, 2.0)),
            parameters={"beta": 3.0},
            after=((28.20298799845013, 3.88186410791988), (25.44925300038747, 1.9927122609050067)),
            tolerance=1e-12,
            tolerances={"sigma": 1e-13},
        ),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    beta: float = number(25.0 / 6.0, label="β", low=0.1, high=100.0, help="How much a single game says.")
    kappa: float = number(0.0001, label="κ", low=1e-6, high=1.0, help="What a variance keeps at least.")
    tau: float = number(0.0, label="τ", low=0.0, high=10.0, help="What a deviation gains before each game.")
    doubts: float = number(3.0, label="Deviations", low=0.0, high=10.0, help="So many come off the mean on the board.")
    sure: float = number(7.8, label="Sure", low=0.0, high=100.0, help="From a smaller deviation on a rating is sure.")
    initial: float = number(25.0, label="Start", low=-1000.0, high=1000.0, help="A newcomer's mean.")
    initial_sigma: float = number(25.0 / 3.0, label="Start σ", low=LOWEST, high=HIGHEST, help="A newcomer's deviation.")

    def start(self) -> list[float]:
        """Return the state of a newcomer."""
        return [self.initial, self.initial_sigma]

    def display(self, state: Sequence[float], games: int) -> float:
        """Return the mean less some deviations."""
        return state[MU] - self.doubts * state[SIGMA] + 0.0

    def provisional(self, state: Sequence[float], games: int) -> bool:
        """Tell whether the deviation is still large."""
        return state[SIGMA] >= self.sure
