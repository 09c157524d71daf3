"""Glicko-2: a rating, its deviation and its volatility, for games of two.

Source: M. E. Glickman, Example of the Glicko-2 system (2012, revised 2022). Each game is its own rating period:
first the deviation grows by the days since the player's last game, then the game is rated.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ratings.contract.curves import certainty, certainty_of_each, expected_of_each, expected_of_two
from ratings.contract.deviations import (
    DEVIATION_FIELD,
    LAST_DAY_FIELD,
    MAX_DEVIATION,
    MIN_DEVIATION,
    RATING_FIELD,
    GlickoFamily,
    board_choice,
    build_certainty_checks,
    build_glicko_figures,
    build_glicko_parts,
    newcomer_deviation,
    provisional_deviation,
    rating_period,
)
from ratings.contract.orders import has_all_scores
from ratings.contract.parameters import newcomer_rating, number, winner_choice
from ratings.contract.system import (
    ChangePart,
    Check,
    FormulaFigure,
    GameSheet,
    Kernel,
    Rows,
    Ruling,
    StateField,
    WorkedExample,
)
from ratings.contract.wording import Wording, format_plain
from ratings.texts import N_

TAU, PERIOD = range(2)
(DAY,) = range(1)
RATING, DEVIATION, VOLATILITY, LAST_DAY = range(4)
P_RESULT, P_EXPECTATION = range(2)
F_A, F_E, GAIN, GROWN, F_G = range(5)
#: Glicko-2's scale: the points in one unit of the natural logarithm.
SCALE = 173.7178
UNIT = 1.0 / SCALE
LN_SCALE = SCALE * math.log(10.0)
STEADIEST, WILDEST = 0.0001, 1.0
#: A deviation grows at most to a newcomer's in the paper.
GROWS_TO = 350.0


def increase_deviation(deviation: float, volatility: float, periods: float) -> float:
    """Return a deviation (points) after ``periods`` rating periods without a game."""
    if periods == 0.0:
        # Equal to the root of the square, to the last bit.
        return deviation
    away = math.sqrt(deviation * deviation + (SCALE * volatility) * (SCALE * volatility) * periods)
    return max(deviation, min(away, GROWS_TO))


def evaluate_volatility_equation(x: float, phi2: float, v: float, delta2: float, a: float, tau: float) -> float:
    """Return f(x) of step 5, whose zero is the logarithm of the new variance of the volatility."""
    ex = math.exp(x)
    total = phi2 + v + ex
    return ex * (delta2 - total) / (2.0 * total * total) - (x - a) / (tau * tau)


def compute_volatility(volatility: float, phi: float, v: float, delta: float, tau: float) -> float:
    """Return the new volatility (step 5 of the paper).

    phi: the deviation on Glicko-2's scale, v: the variance from the games alone, delta: the improvement they indicate.
    """
    phi2, delta2 = phi * phi, delta * delta
    total, over = phi2 + v, delta2 - phi2 - v
    # f falls everywhere, by at least 1/2 τ², as its rising part is never steeper than 2/27 of this. So it has one zero,
    # and Newton's method finds it from the old volatility, usually in two steps and in at most five for 400,000 random
    # states.
    if over * tau * tau < 6.75 * total:
        grows, log_growth, step, rounds, half = 1.0, 0.0, 1.0, 0, 0.5 * tau * tau
        while abs(step) > 1e-8 and rounds < 20:
            y = volatility * grows
            y *= y
            total_variance = total + y
            cubed = total_variance * total_variance * total_variance
            # −f / f', both multiplied by the old total³ · τ².
            step = (cubed * log_growth - half * y * (over - y) * total_variance) / (
                half * y * (over * total - y * (delta2 + total)) - cubed
            )
            log_growth, rounds = log_growth + step, rounds + 1
            grows = grows + 0.5 * step * grows if abs(step) <= 1e-8 else math.exp(0.5 * log_growth)
        return volatility * grows
    return compute_volatility_by_illinois(volatility, phi2, v, delta2, tau)


def compute_volatility_by_illinois(volatility: float, phi2: float, v: float, delta2: float, tau: float) -> float:
    """Return the same by the paper's own algorithm, the Illinois method.

    After an upset of a thousand points f has more than one zero; the one found here counts.
    """
    a = math.log(volatility * volatility)
    # The paper steps from a − τ by τ until f is at least 0. With τ up to 2 the first step suffices:
    # f(a − τ) is above 1 / τ − 1/2, as the quotient in f is never below −1/2.
    low, high = a, math.log(delta2 - phi2 - v) if delta2 > phi2 + v else a - tau
    at_low, at_high = (
        evaluate_volatility_equation(low, phi2, v, delta2, a, tau),
        evaluate_volatility_equation(high, phi2, v, delta2, a, tau),
    )
    rounds = 0
    while abs(high - low) > 1e-12 and at_high != at_low and rounds < 200:
        x = low + (low - high) * at_low / (at_high - at_low)
        at_x = evaluate_volatility_equation(x, phi2, v, delta2, a, tau)
        if at_x * at_high <= 0.0:
            low, at_low = high, at_high
        else:
            at_low /= 2.0
        high, at_high = x, at_x
        rounds += 1
    return math.exp(low / 2.0)


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Increase both deviations, then rate the game; see ``ratings.contract.system``."""
    scored = has_all_scores(n, results)
    pace = 1.0 / parameters[PERIOD]
    for i in range(n):
        away = max(fields[DAY] - before[i][LAST_DAY], 0.0) if games[i] > 0.0 else 0.0
        figures[i][GROWN] = increase_deviation(before[i][DEVIATION], before[i][VOLATILITY], away * pace)
        figures[1 - i][F_G] = certainty(figures[i][GROWN] * UNIT)
    for i in range(n):
        j = 1 - i
        ahead = results[i][0] - results[j][0] if scored else results[j][1] - results[i][1]
        # Without a branch, as it could not be predicted.
        figures[i][F_A] = 0.5 + 0.5 * ((ahead > 0.0) - (ahead < 0.0))
        g = figures[i][F_G]
        odds = math.exp((before[j][RATING] - before[i][RATING]) * (g * UNIT))
        expectation = 1.0 / (1.0 + odds)
        figures[i][F_E], figures[i][GAIN] = expectation, g * g * odds * expectation * expectation
    # Each step for both seats before the next: a processor executes two independent chains in parallel.
    for i in range(n):
        phi, g = figures[i][GROWN] * UNIT, figures[i][F_G]
        a, expectation, information = figures[i][F_A], figures[i][F_E], figures[i][GAIN]
        v = 1.0 / information
        after[i][VOLATILITY] = min(
            max(
                compute_volatility(before[i][VOLATILITY], phi, v, g * (a - expectation) * v, parameters[TAU]), STEADIEST
            ),
            WILDEST,
        )
        variance = phi * phi / (1.0 + phi * phi * information)
        gain = SCALE * variance * g
        parts[i][P_RESULT], parts[i][P_EXPECTATION] = gain * (a - 0.5), gain * (0.5 - expectation)
        figures[i][GAIN] = gain
        after[i][DEVIATION] = min(max(SCALE * math.sqrt(variance), MIN_DEVIATION), MAX_DEVIATION)
        after[i][LAST_DAY] = fields[DAY]


@dataclass(frozen=True, kw_only=True)
class Glicko2(GlickoFamily):
    """Glicko-2, a game at a time."""

    key: ClassVar[str] = "glicko2"
    title: ClassVar[str] = N_("Glicko-2")
    summary: ClassVar[str] = N_(
        "You win points when you do better than your rating predicts and lose points when "
        "you do worse. How many depends on how certain your rating is: a lot at first and "
        "after a long absence, few when you play often. The deviation shows how certain it "
        "is, and the volatility how consistent your results are."
    )
    headline: ClassVar[str] = N_("Glicko that also measures how consistent your results are.")
    source: ClassVar[str] = N_("M. E. Glickman, Example of the Glicko-2 system (2012, revised 2022)")
    formula: ClassVar[str] = (
        "φ = √(RD² / 173.7178² + σ² · d / 30)\n"
        "g_j = 1 / √(1 + 3 φ_j² / π²), E = 1 / (1 + e^(g_j · (R_j − R) / 173.7178))\n"
        "1 / φ'² = 1 / φ² + g_j² · E · (1 − E), RD' = 173.7178 · φ'\n"
        "R' = R + 173.7178 · φ'² · g_j · (A − E), τ = ½"
    )
    state: ClassVar[tuple[StateField, ...]] = (
        RATING_FIELD,
        DEVIATION_FIELD,
        StateField(
            "volatility",
            "σ",
            N_("Volatility"),
            N_("How inconsistent the player's results are."),
            STEADIEST,
            WILDEST,
            decimals=5,
            detail=True,
        ),
        LAST_DAY_FIELD,
    )
    parts: ClassVar[tuple[ChangePart, ...]] = build_glicko_parts("173.7178 φ'² g")
    figures: ClassVar[tuple[FormulaFigure, ...]] = build_glicko_figures("173.7178 φ'² g", "173.7178 φ")
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R122",
            N_("A game is a rating period"),
            N_(
                "The paper rates games in whole periods; here each game is processed on its own, so "
                "that every change has one cause. First the deviation grows, depending on the "
                "volatility before the game and the days since the player's last one as a fraction "
                "of a period, up to 350; so does the opponent's."
            ),
            "period",
        ),
        Ruling(
            "R123",
            N_("A deviation is shown as of the last game"),
            N_(
                "Boards, ladders and histories show ratings and deviations as of the last game, and "
                "nothing changes without a game; the increase for days of absence is applied with "
                "the next game."
            ),
        ),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("Two newcomers"),
            sheet=GameSheet(scores=(1, 0), places=(None, None)),
            before=(1500, 1500),
            after=(
                (1662.2120014703455, 290.23050778223865, 0.05999967537308714, 0.0),
                (1337.7879985296545, 290.23050778223865, 0.05999967537308714, 0.0),
            ),
            tolerance=1e-9,
            tolerances={"volatility": 1e-12},
            note=N_("Computed independently of this program."),
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        *build_certainty_checks(lambda deviation: deviation / SCALE),
        Check(
            N_("Volatility of the paper's example"),
            lambda: compute_volatility(0.06, 200 / SCALE, 1.7785, -0.4834, 0.5),
            0.05999,
            1e-5,
            printed=True,
        ),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    tau: float = number(
        0.5,
        label=N_("Volatility change τ"),
        low=0.1,
        high=2.0,
        help=N_("How quickly volatility changes; usually 0.3 to 1.2."),
    )
    period: float = rating_period(
        help=N_("Days without a game after which a deviation grows by one volatility."), source="R122"
    )
    board: str = board_choice()
    sure: float = provisional_deviation(110.0, low=0.0, high=MAX_DEVIATION, unit=N_("points"))
    initial: float = newcomer_rating(1500)
    initial_deviation: float = newcomer_deviation(350, low=MIN_DEVIATION, high=MAX_DEVIATION, unit=N_("points"))
    initial_volatility: float = number(
        0.06, label=N_("Starting volatility"), low=STEADIEST, high=WILDEST, help=N_("For a new player.")
    )
    winner: str = winner_choice()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        formula = self.formula.replace("/ 30)", f"/ {format_plain(self.period)})").replace(
            "τ = ½", f"τ = {format_plain(self.tau)}"
        )
        return self.wording_of(formula)

    def start(self) -> list[float]:
        """Return a newcomer's state."""
        return [float(self.initial), float(self.initial_deviation), float(self.initial_volatility), 0.0]

    def expected_of_two(self, mine: Sequence[float], theirs: Sequence[float]) -> float:
        """Return the expected score, given both ratings and deviations."""
        combined_deviation = (
            math.sqrt(mine[DEVIATION] * mine[DEVIATION] + theirs[DEVIATION] * theirs[DEVIATION]) / SCALE
        )
        return expected_of_two(mine[RATING], theirs[RATING], LN_SCALE / certainty(combined_deviation))[0]

    def expected_of_pairs(self, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected scores of columns of pairs."""
        g = certainty_of_each((mine[:, DEVIATION] ** 2 + theirs[:, DEVIATION] ** 2) / (SCALE * SCALE))
        return expected_of_each(mine[:, RATING], theirs[:, RATING], LN_SCALE / g)
