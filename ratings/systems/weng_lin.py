"""Weng–Lin: a mean and a deviation per player, by closed formulas; Plackett–Luce or Bradley–Terry.

Source: R. C. Weng and C.-J. Lin, A Bayesian Approximation Method for Online Ranking, JMLR 12 (2011), algorithms 4
(Plackett–Luce) and 1 (Bradley–Terry, full pairs). Its sums over places are written here as sums over opponents, of the
probability that each of them had been chosen at a player's place. They are equal, as the probabilities of a choice sum
to 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ratings.contract.curves import LN_10, expected_of_each
from ratings.contract.deviations import (
    ACTUAL_FIGURE,
    EXPECTED_FIGURE,
    GAIN_FIGURE,
    HIGHEST,
    LOWEST,
    SURPRISE_FIGURE,
    MeanFamily,
    board_factor,
    board_offset,
    build_mean_figures,
    luck,
    newcomer_deviation,
    provisional_deviation,
    subtracted_deviations,
)
from ratings.contract.orders import actual, has_all_scores, worth
from ratings.contract.parameters import choice, newcomer_rating, number, winner_choice
from ratings.contract.system import (
    FormulaFigure,
    GameSheet,
    Kernel,
    Preset,
    Rows,
    Ruling,
    WorkedExample,
)
from ratings.contract.wording import Wording
from ratings.texts import N_

MODEL, BETA, KAPPA, TAU = range(4)
PLACKETT_LUCE, BRADLEY_TERRY = range(2)
MU, SIGMA = range(2)
P_BEHIND, P_LEVEL, P_AHEAD = range(3)
MEAN_A, MEAN_E, DELTA, SIDE_RATING, SIDE_VARIANCE, SIDE_SIZE = range(6)
A, E, C, SURPRISE, GAIN = range(5)
SIDE = 2
(WEIGHT,) = range(1)
#: Lower limit of the logarithm of a side's strength relative to the strongest; float64 has little below.
MIN_LOG_STRENGTH = -700.0


def chances(difference: float) -> tuple[float, float]:
    """Return the probabilities of finishing ahead for two sides, ``difference`` scales apart."""
    odds = math.exp(min(max(0.0 - difference, MIN_LOG_STRENGTH), 0.0 - MIN_LOG_STRENGTH))
    probability = 1.0 / (1.0 + odds)
    return probability, odds * probability


def add_up_sides(n: int, before: Rows, results: Rows, tau: float, after: Rows, figures: Rows) -> int:
    """Sum up the means and variances of each side, and return the number of sides.

    ``after`` holds a player's variance until the seat has been compared with the others.
    """
    sides = 0
    for i in range(n):
        first = int(results[i][SIDE])
        if first == i:
            figures[i][SIDE_RATING], figures[i][SIDE_VARIANCE], figures[i][SIDE_SIZE] = 0.0, 0.0, 0.0
            sides += 1
        after[i][SIGMA] = before[i][SIGMA] * before[i][SIGMA] + tau * tau
        figures[first][SIDE_RATING] += before[i][MU]
        figures[first][SIDE_VARIANCE] += after[i][SIGMA]
        figures[first][SIDE_SIZE] += 1.0
    if sides < n:
        for i in range(n):
            for column in range(SIDE_RATING, SIDE_SIZE + 1):
                figures[i][column] = figures[int(results[i][SIDE])][column]
    return sides


def note_choices(n: int, results: Rows, beta: float, figures: Rows, pairs: list[Rows]) -> float:
    """Store the choice at each seat's place on the diagonal of ``pairs`` (E, GAIN, A, SURPRISE), and return c.

    E is the strength of the seat's side, GAIN is 1 / the strength of all that could be chosen, A is 1 / the number of
    sides that share the place, SURPRISE is GAIN · A. C already holds the seat's ``worth``.
    """
    best, total = figures[0][SIDE_RATING], 0.0
    for i in range(n):
        best = max(best, figures[i][SIDE_RATING])
        if results[i][SIDE] == i:
            total += figures[i][SIDE_VARIANCE] + beta * beta
    c = math.sqrt(total)
    for i in range(n):
        pairs[i][i][E] = math.exp(max((figures[i][SIDE_RATING] - best) / c, MIN_LOG_STRENGTH))
    for i in range(n):
        available_strength, tied_count, own_worth = 0.0, 0.0, pairs[i][i][C]
        for j in range(n):
            leads, other_worth, strength = results[j][SIDE] == j, pairs[j][j][C], pairs[j][j][E]
            available_strength += strength if leads and own_worth >= other_worth else 0.0
            tied_count += 1.0 if leads and own_worth == other_worth else 0.0
        pairs[i][i][GAIN], pairs[i][i][A] = 1.0 / available_strength, 1.0 / tied_count
        pairs[i][i][SURPRISE] = pairs[i][i][GAIN] * pairs[i][i][A]
    return c


def choose(
    i: int, n: int, c: float, variance: float, results: Rows, parts: Rows, figures: Rows, pairs: list[Rows]
) -> float:
    """Add up a seat's change over the choices at its place and before it (Plackett–Luce); return Σ p (1 − p) / (A c³).

    Two seats each have a surprise if the other could have been chosen at its place and was not. The outcome is
    unpredictable, so values that depend on it are selected without a branch (bench/NOTES.md).
    """
    strength, worth_here, share = pairs[i][i][E], pairs[i][i][C], pairs[i][i][SURPRISE]
    behind, level, ahead, mean_a, mean_e, information, narrow = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 / c
    for j in range(n):
        leads, opponent_strength = results[j][SIDE] == j, pairs[j][j][E]
        won, lost = worth_here > pairs[j][j][C], worth_here < pairs[j][j][C]
        p = strength * pairs[j][j][GAIN]
        term = p * (1.0 - p) * pairs[j][j][A]
        information += 0.0 if won or not leads else term
        if results[j][SIDE] != results[i][SIDE]:
            a, e = 0.5 + 0.5 * (won - lost), strength * (1.0 / (strength + opponent_strength))
            gained, given_up = opponent_strength * share, strength * pairs[j][j][SURPRISE]
            s = (0.0 if lost else gained) - (0.0 if won else given_up)
            size = figures[j][SIDE_SIZE]
            gain = narrow * (variance if size == 1.0 else variance / size)
            change = gain * s
            behind += change if won else 0.0
            level += change if a == 0.5 else 0.0
            ahead += change if lost else 0.0
            mean_a += a if leads else 0.0
            mean_e += e if leads else 0.0
            pairs[i][j][A], pairs[i][j][E], pairs[i][j][C] = a, e, c
            pairs[i][j][SURPRISE], pairs[i][j][GAIN] = s, gain
    parts[i][P_BEHIND], parts[i][P_LEVEL], parts[i][P_AHEAD] = behind, level, ahead
    figures[i][MEAN_A], figures[i][MEAN_E] = mean_a, mean_e
    return information * narrow * narrow * narrow


def compare(i: int, j: int, beta: float, figures: Rows, pairs: list[Rows]) -> None:
    """Compare two seats as if only their sides had played (Bradley–Terry): C, 1 / c (GAIN) and E of both."""
    c = math.sqrt(figures[i][SIDE_VARIANCE] + figures[j][SIDE_VARIANCE] + 2.0 * beta * beta)
    narrow = 1.0 / c
    expectation, opponent_expectation = chances((figures[i][SIDE_RATING] - figures[j][SIDE_RATING]) * narrow)
    pairs[i][j][C], pairs[i][j][GAIN], pairs[i][j][E] = c, narrow, expectation
    pairs[j][i][C], pairs[j][i][GAIN], pairs[j][i][E] = c, narrow, opponent_expectation


def _add_comparisons(
    i: int, n: int, variance: float, results: Rows, parts: Rows, figures: Rows, pairs: list[Rows]
) -> float:
    """Add up a seat's change over its comparisons, each divided among the seats of a side; return Σ p q / c³."""
    parts[i][P_BEHIND], parts[i][P_LEVEL], parts[i][P_AHEAD] = 0.0, 0.0, 0.0
    figures[i][MEAN_A], figures[i][MEAN_E], information = 0.0, 0.0, 0.0
    for j in range(n):
        if results[j][SIDE] != results[i][SIDE]:
            narrow, own_e, opponent_e = pairs[i][j][GAIN], pairs[i][j][E], pairs[j][i][E]
            a = actual(pairs[i][i][C], pairs[j][j][C])
            s = 0.5 * (opponent_e - own_e) if a == 0.5 else opponent_e if a == 1.0 else 0.0 - own_e
            gain = narrow * (variance / figures[j][SIDE_SIZE])
            parts[i][P_BEHIND if a == 1.0 else P_AHEAD if a == 0.0 else P_LEVEL] += gain * s
            if results[j][SIDE] == j:
                figures[i][MEAN_A] += a
                figures[i][MEAN_E] += own_e
                information += own_e * opponent_e * narrow * narrow * narrow
            pairs[i][j][A], pairs[i][j][SURPRISE], pairs[i][j][GAIN] = a, s, gain
    return information


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Move means by surprises and shrink deviations; see ``ratings.contract.system``."""
    scored, model, weight, c = has_all_scores(n, results), parameters[MODEL], fields[WEIGHT], 0.0
    opponents = add_up_sides(n, before, results, parameters[TAU], after, figures) - 1.0
    for i in range(n):
        pairs[i][i][C] = worth(i, scored, results)
    if model == PLACKETT_LUCE:
        c = note_choices(n, results, parameters[BETA], figures, pairs)
    else:
        for i in range(n):
            for j in range(i + 1, n):
                compare(i, j, parameters[BETA], figures, pairs)
    for i in range(n):
        variance = weight * after[i][SIGMA]
        if model == PLACKETT_LUCE:
            information = choose(i, n, c, variance, results, parts, figures, pairs)
        else:
            information = _add_comparisons(i, n, variance, results, parts, figures, pairs)
        figures[i][MEAN_A] /= opponents
        figures[i][MEAN_E] /= opponents
        figures[i][DELTA] = information * (variance * math.sqrt(figures[i][SIDE_VARIANCE]))
    for i in range(n):
        variance_factor = max(1.0 - figures[i][DELTA], parameters[KAPPA])
        after[i][SIGMA] = min(max(math.sqrt(after[i][SIGMA] * variance_factor), LOWEST), HIGHEST)
        for j in range(n):
            if results[i][SIDE] == results[j][SIDE]:
                pairs[i][j][A], pairs[i][j][E] = 0.5, 0.5
                pairs[i][j][C], pairs[i][j][SURPRISE], pairs[i][j][GAIN] = 0.0, 0.0, 0.0


PLACES = (
    "θ = Σ μ, v = Σ σ², c² = Σ (v + β²)\n"
    "p_iq = e^(θ_i / c) / Σ e^(θ_s / c), r_s ≥ r_q\n"
    "change_i = σ_i² / c · (1 / A_i − Σ p_iq / A_q), r_q ≤ r_i\n"
    "Δ_i = σ_i² · √v_i / c³ · Σ p_iq · (1 − p_iq) / A_q, r_q ≤ r_i\n"
)
PAIRS = (
    "θ = Σ μ, v = Σ σ², c_iq² = v_i + v_q + 2 β²\n"
    "p_iq = 1 / (1 + e^((θ_q − θ_i) / c_iq))\n"
    "change_i = σ_i² · Σ (A_iq − p_iq) / c_iq\n"
    "Δ_i = σ_i² · √v_i · Σ p_iq · p_qi / c_iq³\n"
)
SHRINKS = "σ_i² := σ_i² · (1 − Δ_i), Δ_i ≤ 1 − κ"


@dataclass(frozen=True, kw_only=True)
class WengLin(MeanFamily):
    """Weng–Lin, Plackett–Luce or Bradley–Terry."""

    key: ClassVar[str] = "weng_lin"
    title: ClassVar[str] = N_("Weng–Lin")
    summary: ClassVar[str] = N_(
        "A rating has a mean (how well you play) and a deviation (how uncertain that is). "
        "You win points from everyone you beat and lose points to everyone ahead of you; the "
        "less expected the result, the more points. At first ratings change quickly; every "
        "game makes them more certain and the changes smaller."
    )
    headline: ClassVar[str] = N_("A mean and its uncertainty, updated from everyone you beat or lost to.")
    source: ClassVar[str] = N_(
        "R. C. Weng and C.-J. Lin, A Bayesian Approximation Method for Online Ranking, JMLR 12 (2011)"
    )
    formula: ClassVar[str] = PLACES + SHRINKS
    weights: ClassVar[bool] = True
    figures: ClassVar[tuple[FormulaFigure, ...]] = build_mean_figures(N_("Sum of the variances of this team"))
    pairs: ClassVar[tuple[FormulaFigure, ...]] = (
        ACTUAL_FIGURE,
        EXPECTED_FIGURE,
        FormulaFigure("c", "c", N_("Total uncertainty of the game")),
        SURPRISE_FIGURE,
        GAIN_FIGURE,
    )
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R125",
            N_("Ties, as in the paper"),
            N_(
                "Under Plackett–Luce, each of A teams sharing a place was chosen for it with weight "
                "1/A; under Bradley–Terry, a tie is half a win. Beyond that, tied teams' ratings are "
                "not pulled together."
            ),
            "model",
        ),
        Ruling(
            "R126",
            N_("What Weng and Lin leave open"),
            N_(
                "The factor γ is the team's own deviation divided by c. A deviation does not grow "
                "before a game (τ = 0). A game of weight w counts as w such games at once: the "
                "change and the reduction of the variance are multiplied by w."
            ),
            "tau",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("drifting", N_("A deviation grows by 25/300 before each game, as in openskill"), {"tau": 25.0 / 300.0}),
        Preset("pairs", N_("Every pair of teams is compared (Bradley–Terry)"), {"model": "bradley_terry"}),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("Two newcomers"),
            sheet=GameSheet(scores=(1, 0), places=(None, None)),
            before=((25.0, 25.0 / 3.0), (25.0, 25.0 / 3.0)),
            after=((27.63523138347365, 8.065506316323548), (22.36476861652635, 8.065506316323548)),
            tolerance=1e-12,
            note=N_("Calculated by hand."),
        ),
        WorkedExample(
            title=N_("Two against two"),
            sheet=GameSheet(scores=(None,) * 4, places=(1, 1, 2, 2), sides=(1, 1, 2, 2)),
            before=((25.0, 25.0 / 3.0), (32.444, 5.123), (43.381, 2.421), (25.188, 6.211)),
            changes=(3.669648436582808, 1.386869711079802, -0.309725191758026, -2.038496687660939),
            tolerance=1e-12,
            note=N_("Given by the documentation of openskill 1.0.0."),
        ),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    model: str = choice(
        "plackett_luce",
        {
            "plackett_luce": N_("each place is a choice among the remaining teams"),
            "bradley_terry": N_("every pair of teams is compared"),
        },
        label=N_("Model"), help=N_("How results with more than two teams are interpreted."), source="R125",
    )  # fmt: skip
    beta: float = luck()
    kappa: float = number(0.0001, label="κ", low=1e-6, high=1, help=N_("The minimum share that a variance keeps."))
    tau: float = number(
        0, label="τ", low=0, high=1000, help=N_("How much a deviation grows before a game."), source="R126"
    )
    deviations: float = subtracted_deviations()
    factor: float = board_factor()
    offset: float = board_offset()
    sure: float = provisional_deviation(5, low=0, high=10_000)
    initial: float = newcomer_rating(25, low=-100_000, high=100_000)
    initial_sigma: float = newcomer_deviation(25.0 / 3.0, low=LOWEST, high=HIGHEST)
    winner: str = winner_choice()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        return self.wording_of((PLACES if self.model == "plackett_luce" else PAIRS) + SHRINKS)

    def expected_of_two(self, mine: Sequence[float], theirs: Sequence[float]) -> float:
        """Return the probability of finishing ahead of one opponent, the same in both models."""
        variances = mine[SIGMA] * mine[SIGMA] + theirs[SIGMA] * theirs[SIGMA]
        c = math.sqrt(variances + 2.0 * (self.tau * self.tau + self.beta * self.beta))
        return chances((mine[MU] - theirs[MU]) / c)[0]

    def expected_of_pairs(self, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of columns of pairs."""
        variances = mine[:, SIGMA] ** 2 + theirs[:, SIGMA] ** 2
        c = np.sqrt(variances + 2.0 * (self.tau * self.tau + self.beta * self.beta))
        return expected_of_each(mine[:, MU], theirs[:, MU], LN_10 * c)

    def as_one(self, sides: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of means and variances; τ² counts once per player, one of them in ``expected_of_two``."""
        variances = np.sum(sides[:, :, SIGMA] ** 2, axis=1) + (sides.shape[1] - 1) * self.tau * self.tau
        return np.column_stack([np.sum(sides[:, :, MU], axis=1), np.sqrt(variances)])
