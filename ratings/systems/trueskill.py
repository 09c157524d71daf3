"""TrueSkill: a mean and a deviation per player, computed by message passing.

Source: R. Herbrich, T. Minka and T. Graepel, TrueSkill: A Bayesian Skill Rating System, NIPS 19 (2006). Sides in the
order of the result form a chain. Each link between neighbours states that one finished ahead or that they tied.
Messages are passed along the links until they converge: a mean then moves by the sum of v · σ² / c over its side's two
links.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

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
from ratings.contract.parameters import newcomer_rating, number, winner_choice
from ratings.contract.system import (
    FormulaFigure,
    GameSheet,
    Kernel,
    Preset,
    Rows,
    Ruling,
    WorkedExample,
)
from ratings.contract.truncated import chances, chances_of_each, quantile_of_middle, truncated_above, truncated_between
from ratings.contract.wording import Wording, format_percent
from ratings.texts import N_

BETA, TAU, DRAW_PROBABILITY = range(3)
MU, SIGMA = range(2)
P_BEHIND, P_LEVEL, P_AHEAD = range(3)
MEAN_A, MEAN_E, DELTA, SIDE_RATING, SIDE_VARIANCE, SIDE_SIZE = range(6)
A, E, SURPRISE, GAIN = range(4)
SIDE = 2
# The output buffers are scratch space until the end. A row of ``chain`` (pairs) is a position in the chain: its first
# cell holds the messages from ahead and from behind, each a precision and a pull; its second cell holds its side and
# the link to the next position. A row of ``said`` (parts) is a side: its group of equal sides, and the link to the
# group behind.
AHEAD, AHEAD_PULL, BEHIND, BEHIND_PULL = 0, 1, 2, 3
SEAT, MARGIN, V, NARROW = 0, 1, 2, 3
GROUP, LINK_V, LINK_NARROW = 0, 1, 2
#: Messages are passed until no mean moves by more than this share of its side's deviation, at most MAX_ROUNDS times.
STILL, MAX_ROUNDS = 1e-9, 100


def add_up_sides(n: int, before: Rows, results: Rows, parameters: list[float], after: Rows, figures: Rows) -> int:
    """Sum up each side's performance at its first seat, and return the number of sides.

    ``after`` holds each player's variance until the end.
    """
    sides = 0
    for i in range(n):
        first = int(results[i][SIDE])
        if first == i:
            figures[i][SIDE_RATING], figures[i][SIDE_VARIANCE], figures[i][SIDE_SIZE] = 0.0, 0.0, 0.0
            sides += 1
        after[i][SIGMA] = before[i][SIGMA] * before[i][SIGMA] + parameters[TAU] * parameters[TAU]
        figures[first][SIDE_RATING] += before[i][MU]
        figures[first][SIDE_VARIANCE] += after[i][SIGMA] + parameters[BETA] * parameters[BETA]
        figures[first][SIDE_SIZE] += 1.0
    return sides


def _compare_sides(i: int, j: int, scored: bool, results: Rows, figures: Rows) -> float:
    """Return a positive number if a side precedes another in the chain, 0 if they are tied and equal.

    The better result comes first; of tied sides the stronger, then the one with less variance, then the smaller.
    """
    ahead = worth(i, scored, results) - worth(j, scored, results)
    if ahead == 0.0:
        ahead = figures[i][SIDE_RATING] - figures[j][SIDE_RATING]
    if ahead == 0.0:
        ahead = figures[j][SIDE_VARIANCE] - figures[i][SIDE_VARIANCE]
    return ahead if ahead != 0.0 else figures[j][SIDE_SIZE] - figures[i][SIDE_SIZE]


def _build_chain(
    n: int, sides: int, scored: bool, results: Rows, reach: float, figures: Rows, chain: list[Rows]
) -> None:
    """Order the sides in the chain, without messages; the margin (``reach`` for one player) is negated for a tie."""
    for i in range(n):
        if results[i][SIDE] == i:
            p = 0
            for j in range(n):
                if results[j][SIDE] == j:
                    lead = _compare_sides(j, i, scored, results, figures)
                    p += 1 if lead > 0.0 or (lead == 0.0 and j < i) else 0
            chain[p][1][SEAT], chain[p][1][V], chain[p][1][NARROW] = float(i), 0.0, 0.0
            for column in range(BEHIND_PULL + 1):
                chain[p][0][column] = 0.0
    for p in range(sides - 1):
        i, j = int(chain[p][1][SEAT]), int(chain[p + 1][1][SEAT])
        margin = reach * math.sqrt(figures[i][SIDE_SIZE] + figures[j][SIDE_SIZE])
        tied = worth(i, scored, results) == worth(j, scored, results)
        chain[p][1][MARGIN] = 0.0 - margin if tied else margin


def pass_messages(p: int, figures: Rows, chain: list[Rows]) -> float:
    """Update a link's messages to both its sides; return the relative move of the mean, in the unit of STILL."""
    current, following, link = chain[p][0], chain[p + 1][0], chain[p][1]
    side, other_side = figures[int(link[SEAT])], figures[int(chain[p + 1][1][SEAT])]
    # Both sides without this link.
    a = side[SIDE_VARIANCE] / (1.0 + side[SIDE_VARIANCE] * current[AHEAD])
    b = other_side[SIDE_VARIANCE] / (1.0 + other_side[SIDE_VARIANCE] * following[BEHIND])
    pull, back = a * current[AHEAD_PULL], b * following[BEHIND_PULL]
    c = math.sqrt(a + b)
    narrow = 1.0 / c
    x, margin = (side[SIDE_RATING] - other_side[SIDE_RATING] + pull - back) * narrow, link[MARGIN] * narrow
    v, factor = truncated_between(x, 0.0 - margin) if margin < 0.0 else truncated_above(x - margin)
    w = 1.0 - factor
    to_one, to_other = 1.0 / (b + a * factor), 1.0 / (a + b * factor)
    current[BEHIND], current[BEHIND_PULL] = w * to_one, (w * pull + v * c) * to_one
    following[AHEAD], following[AHEAD_PULL] = w * to_other, (w * back - v * c) * to_other
    change = v * narrow - link[V] * link[NARROW]
    link[V], link[NARROW] = v, narrow
    return change * change * max(side[SIDE_VARIANCE], other_side[SIDE_VARIANCE])


def _pass_messages_until_converged(sides: int, figures: Rows, chain: list[Rows]) -> None:
    """Pass messages down the chain and up again until they converge."""
    rounds, max_change = 0, 1.0
    while max_change > STILL * STILL and rounds < MAX_ROUNDS:
        rounds, max_change = rounds + 1, 0.0
        for p in range(sides - 2):
            max_change = max(max_change, pass_messages(p, figures, chain))
        for p in range(sides - 2, 0, -1):
            max_change = max(max_change, pass_messages(p, figures, chain))
    pass_messages(0, figures, chain)


def sum_up(sides: int, scored: bool, results: Rows, figures: Rows, side_results: Rows, chain: list[Rows]) -> None:
    """Read each side's result from the chain; equal tied sides share theirs."""
    first, group = 0, 0.0
    while first < sides:
        i, last, delta = int(chain[first][1][SEAT]), first, 0.0
        while last + 1 < sides and _compare_sides(i, int(chain[last + 1][1][SEAT]), scored, results, figures) == 0.0:
            last += 1
        for p in range(first, last + 1):
            information = figures[i][SIDE_VARIANCE] * (chain[p][0][AHEAD] + chain[p][0][BEHIND])
            delta += information / (1.0 + information)
        for p in range(first, last + 1):
            i = int(chain[p][1][SEAT])
            figures[i][MEAN_E] = float(last + 1 - first)
            figures[i][DELTA] = delta / figures[i][MEAN_E]
            side_results[i][GROUP], side_results[i][LINK_V], side_results[i][LINK_NARROW] = (
                group,
                chain[last][1][V],
                chain[last][1][NARROW],
            )
        first, group = last + 1, group + 1.0


def compare(
    i: int, j: int, scored: bool, reach: float, results: Rows, after: Rows, side_results: Rows, figures: Rows,
    pairs: list[Rows],
) -> None:  # fmt: skip
    """Fill in the figures of two seats of different sides."""
    side, other_side = int(results[i][SIDE]), int(results[j][SIDE])
    a = actual(worth(i, scored, results), worth(j, scored, results))
    narrow = 1.0 / math.sqrt(figures[side][SIDE_VARIANCE] + figures[other_side][SIDE_VARIANCE])
    margin = reach * math.sqrt(figures[side][SIDE_SIZE] + figures[other_side][SIDE_SIZE])
    expectation, opponent_expectation = chances(
        (figures[side][SIDE_RATING] - figures[other_side][SIDE_RATING]) * narrow, margin * narrow
    )
    pairs[i][j][A], pairs[j][i][A], pairs[i][j][E], pairs[j][i][E] = a, 1.0 - a, expectation, opponent_expectation
    group_difference = side_results[other_side][GROUP] - side_results[side][GROUP]
    ahead, surprise, gain = side if group_difference > 0.0 else other_side, 0.0, 0.0
    if abs(group_difference) == 1.0:
        surprise = (
            group_difference * side_results[ahead][LINK_V] / (figures[side][MEAN_E] * figures[other_side][MEAN_E])
        )
        gain = side_results[ahead][LINK_NARROW]
    pairs[i][j][SURPRISE], pairs[j][i][SURPRISE] = surprise, 0.0 - surprise
    pairs[i][j][GAIN] = gain * after[i][SIGMA] / figures[other_side][SIDE_SIZE]
    pairs[j][i][GAIN] = gain * after[j][SIGMA] / figures[side][SIDE_SIZE]


def move(i: int, n: int, opponents: float, results: Rows, parts: Rows, figures: Rows, pairs: list[Rows]) -> None:
    """Add up a seat's change over its opponents."""
    for column in range(P_AHEAD + 1):
        parts[i][column] = 0.0
    figures[i][MEAN_A], figures[i][MEAN_E] = 0.0, 0.0
    for j in range(n):
        if results[i][SIDE] != results[j][SIDE]:
            a = pairs[i][j][A]
            part = P_BEHIND if a == 1.0 else P_AHEAD if a == 0.0 else P_LEVEL
            parts[i][part] += pairs[i][j][GAIN] * pairs[i][j][SURPRISE]
            if results[j][SIDE] == j:
                figures[i][MEAN_A] += a
                figures[i][MEAN_E] += pairs[i][j][E]
        else:
            pairs[i][j][A], pairs[i][j][E], pairs[i][j][SURPRISE], pairs[i][j][GAIN] = 0.5, 0.5, 0.0, 0.0
    figures[i][MEAN_A] /= opponents
    figures[i][MEAN_E] /= opponents


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Pass messages along the chain of sides, then update all players; see ``ratings.contract.system``."""
    scored = has_all_scores(n, results)
    reach = quantile_of_middle(parameters[DRAW_PROBABILITY] / 100.0) * parameters[BETA]
    sides = add_up_sides(n, before, results, parameters, after, figures)
    _build_chain(n, sides, scored, results, reach, figures, pairs)
    _pass_messages_until_converged(sides, figures, pairs)
    sum_up(sides, scored, results, figures, parts, pairs)
    for i in range(n):
        for j in range(i + 1, n):
            if results[i][SIDE] != results[j][SIDE]:
                compare(i, j, scored, reach, results, after, parts, figures, pairs)
    for i in range(n - 1, -1, -1):
        # A side's first seat is last, as its figures have been the side's until now.
        first = int(results[i][SIDE])
        for column in range(DELTA, SIDE_SIZE + 1):
            figures[i][column] = figures[first][column]
        figures[i][DELTA] *= after[i][SIGMA] / figures[i][SIDE_VARIANCE]
        move(i, n, float(sides - 1), results, parts, figures, pairs)
        after[i][SIGMA] = min(max(math.sqrt(after[i][SIGMA] * (1.0 - figures[i][DELTA])), LOWEST), HIGHEST)


CHAIN = (
    "θ = Σ μ, v = Σ (σ² + β²), c² = v_i + v_j\n"
    "ε = Φ⁻¹((1 + {draws}) / 2) · √(m_i + m_j) · β\n"
    "E_ij = (Φ((θ_i − θ_j + ε) / c) + Φ((θ_i − θ_j − ε) / c)) / 2\n"
    "A_ij = 1: S = φ(x) / Φ(x), x = (θ_i − θ_j − ε) / c\n"
    "A_ij = ½: S = (φ(y) − φ(z)) / (Φ(z) − Φ(y)), y = (θ_j − θ_i − ε) / c, z = y + 2 ε / c\n"
    "change_i = Σ S · σ_i² / c\n"
    "σ_i² := σ_i² · (1 − Δ_i)"
)


@dataclass(frozen=True, kw_only=True)
class TrueSkill(MeanFamily):
    """TrueSkill for sides and free-for-all."""

    key: ClassVar[str] = "trueskill"
    title: ClassVar[str] = N_("TrueSkill")
    summary: ClassVar[str] = N_(
        "A rating has a mean (how well you play) and a deviation (how uncertain that is). "
        "You win points from the player just behind you and lose points to the player just "
        "ahead; the less expected the result, the more points. At first ratings change "
        "quickly; every game makes them more certain and the changes smaller."
    )
    headline: ClassVar[str] = N_("A mean and its uncertainty, updated from your neighbours in the finishing order.")
    source: ClassVar[str] = N_(
        "R. Herbrich, T. Minka and T. Graepel, TrueSkill: A Bayesian Skill Rating System, NIPS 19 (2006)"
    )
    formula: ClassVar[str] = "σ² := σ² + τ², τ = 0.08333333333333333\n" + CHAIN.format(draws="10%")
    figures: ClassVar[tuple[FormulaFigure, ...]] = build_mean_figures(N_("Variance of this team's performance"))
    pairs: ClassVar[tuple[FormulaFigure, ...]] = (ACTUAL_FIGURE, EXPECTED_FIGURE, SURPRISE_FIGURE, GAIN_FIGURE)
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R128",
            N_("Order of tied teams in the chain"),
            N_(
                "The paper compares neighbours in the order of the result and does not say which of "
                "several tied teams comes first. Here it is the stronger one, then the more certain "
                "one, regardless of seats; tied teams equal in both share the changes of their "
                "positions evenly."
            ),
        ),
        Ruling(
            "R129",
            N_("Convergence, and what counts as a tie"),
            N_(
                "Messages are passed until none changes a team's mean by more than a billionth of "
                "its deviation, at most a hundred times down the chain and up; two teams need one "
                "pass. Teams of m players together tie if they are within ε, which grows with √m. "
                "Neither the paper nor this implementation supports weights."
            ),
            "draw_probability",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("steady", N_("The deviation does not grow before a game"), {"tau": 0}),
        Preset("drawish", N_("A quarter of the games between equal players are ties"), {"draw_probability": 25}),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("Four newcomers without teams"),
            sheet=GameSheet(scores=(None,) * 4, places=(1, 2, 3, 4)),
            before=((25.0, 25.0 / 3.0),) * 4,
            after=((33.207, 6.348), (27.401, 5.787), (22.599, 5.787), (16.793, 6.348)),
            tolerance=0.0005,
            note=N_("Given by the tests of the package trueskill."),
            printed=True,
        ),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    beta: float = luck()
    tau: float = number(25.0 / 300.0, label="τ", low=0, high=1000, help=N_("How much a deviation grows before a game."))
    draw_probability: float = number(
        10, label=N_("Ties between equal players"), low=0.01, high=80, unit="%", source="R129",
        help=N_("How often two equal players tie; the more common ties are, the less one says."),
    )  # fmt: skip
    deviations: float = subtracted_deviations()
    factor: float = board_factor()
    offset: float = board_offset()
    sure: float = provisional_deviation(5, low=0, high=10_000)
    initial: float = newcomer_rating(25, low=-100_000, high=100_000)
    initial_sigma: float = newcomer_deviation(25.0 / 3.0, low=LOWEST, high=HIGHEST)
    winner: str = winner_choice()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        return self.wording_of(CHAIN.format(draws=format_percent(self.draw_probability / 100.0)))

    def expected_of_two(self, mine: Sequence[float], theirs: Sequence[float]) -> float:
        """Return the probability of finishing ahead of one opponent, a tie as one half."""
        variances = mine[SIGMA] * mine[SIGMA] + theirs[SIGMA] * theirs[SIGMA]
        narrow = 1.0 / math.sqrt(variances + 2.0 * (self.tau * self.tau + self.beta * self.beta))
        margin = quantile_of_middle(self.draw_probability / 100.0) * self.beta * math.sqrt(2.0)
        return chances((mine[MU] - theirs[MU]) * narrow, margin * narrow)[0]

    def expected_of_pairs(self, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of columns of pairs."""
        variances = mine[:, SIGMA] ** 2 + theirs[:, SIGMA] ** 2
        narrow = 1.0 / np.sqrt(variances + 2.0 * (self.tau * self.tau + self.beta * self.beta))
        margin = quantile_of_middle(self.draw_probability / 100.0) * self.beta * math.sqrt(2.0)
        return chances_of_each((mine[:, MU] - theirs[:, MU]) * narrow, margin * narrow)

    def as_one(self, sides: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one player per side, with the side's total performance; ties are as likely as between two players."""
        added_variance = (sides.shape[1] - 1) * (self.tau * self.tau + self.beta * self.beta)
        deviations = np.sqrt(np.sum(sides[:, :, SIGMA] ** 2, axis=1) + added_variance)
        return np.column_stack([np.sum(sides[:, :, MU], axis=1), deviations])
