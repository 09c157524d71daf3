"""Glicko: a rating and its deviation, for games of two.

Source: M. E. Glickman, Parameter estimation in large dynamic paired comparison experiments, Applied Statistics 48
(1999), and The Glicko system (1999). Each game is its own rating period: first the deviation grows by the days since
the player's last game, then the game is rated.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ratings.contract.curves import LN_10, certainty, certainty_of_each, expected_of_each, expected_of_two
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
from ratings.contract.orders import actual, has_all_scores
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

C, PERIOD = range(2)
(DAY,) = range(1)
RATING, DEVIATION, LAST_DAY = range(3)
P_RESULT, P_EXPECTATION = range(2)
F_A, F_E, GAIN, GROWN, F_G = range(5)
Q = LN_10 / 400.0
#: A deviation grows at most to a newcomer's in the paper.
GROWS_TO = 350.0


def _increase_deviation(deviation: float, c: float, periods: float) -> float:
    """Return a deviation (points) after ``periods`` rating periods without a game."""
    return max(deviation, min(math.sqrt(deviation * deviation + c * c * periods), GROWS_TO))


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Increase both deviations, then rate the game; see ``ratings.contract.system``."""
    scored = has_all_scores(n, results)
    for i in range(n):
        away = max(fields[DAY] - before[i][LAST_DAY], 0.0) if games[i] > 0.0 else 0.0
        figures[i][GROWN] = _increase_deviation(before[i][DEVIATION], parameters[C], away / parameters[PERIOD])
    for i in range(n):
        j = 1 - i
        a = actual(results[i][0], results[j][0]) if scored else actual(results[j][1], results[i][1])
        deviation, g = figures[i][GROWN], certainty(Q * figures[j][GROWN])
        expectation, opponent_expectation = expected_of_two(before[i][RATING], before[j][RATING], 400.0 / g)
        variance = 1.0 / (1.0 / (deviation * deviation) + Q * Q * g * g * expectation * opponent_expectation)
        gain = Q * variance * g
        parts[i][P_RESULT], parts[i][P_EXPECTATION] = gain * (a - 0.5), gain * (0.5 - expectation)
        figures[i][F_A], figures[i][F_E], figures[i][GAIN], figures[i][F_G] = a, expectation, gain, g
        after[i][DEVIATION] = min(max(math.sqrt(variance), MIN_DEVIATION), MAX_DEVIATION)
        after[i][LAST_DAY] = fields[DAY]


@dataclass(frozen=True, kw_only=True)
class Glicko(GlickoFamily):
    """Glicko, a game at a time."""

    key: ClassVar[str] = "glicko"
    title: ClassVar[str] = N_("Glicko")
    summary: ClassVar[str] = N_(
        "You win points when you do better than your rating predicts and lose points when "
        "you do worse. How many depends on how certain your rating is: a lot at first and "
        "after a long absence, few when you play often. The deviation shows how certain it "
        "is."
    )
    headline: ClassVar[str] = N_("Elo with a margin of error: uncertain ratings move faster than settled ones.")
    source: ClassVar[str] = N_("M. E. Glickman, The Glicko system (1999), and Applied Statistics 48 (1999)")
    formula: ClassVar[str] = (
        "RD = √(RD₀² + c² · d / 30), c = 34.6\n"
        "q = ln 10 / 400, g_j = 1 / √(1 + 3 q² RD_j² / π²), E = 1 / (1 + 10^(g_j · (R_j − R) / 400))\n"
        "1 / RD'² = 1 / RD² + q² · g_j² · E · (1 − E)\n"
        "R' = R + q · RD'² · g_j · (A − E)"
    )
    state: ClassVar[tuple[StateField, ...]] = (RATING_FIELD, DEVIATION_FIELD, LAST_DAY_FIELD)
    parts: ClassVar[tuple[ChangePart, ...]] = build_glicko_parts("q RD'² g")
    figures: ClassVar[tuple[FormulaFigure, ...]] = build_glicko_figures("q RD'² g", "RD")
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R124",
            N_("A game is a rating period"),
            N_(
                "The paper rates games in whole periods; here each game is processed on its own, so "
                "that every change has one cause. First the deviation grows, depending on c and the "
                "days since the player's last game as a fraction of a period, up to 350; so does the "
                "opponent's. It is shown as of the last game (R123)."
            ),
            "period",
        ),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("Two newcomers"),
            sheet=GameSheet(scores=(1, 0), places=(None, None)),
            before=(1500, 1500),
            after=((1662.2120026057648, 290.2305060910912, 0.0), (1337.7879973942352, 290.2305060910912, 0.0)),
            tolerance=1e-9,
            note=N_("Computed independently of this program."),
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = build_certainty_checks(lambda deviation: deviation * Q)
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    c: float = number(
        34.6,
        label="c",
        low=0.0,
        high=350.0,
        unit=N_("points"),
        help=N_(
            "A deviation's square grows by c² in a period without a game: with 34.6 it grows "
            "from 50 to 350 in 100 periods."
        ),
    )
    period: float = rating_period(
        help=N_("Days without a game after which the square of a deviation grows by c²."), source="R124"
    )
    board: str = board_choice()
    sure: float = provisional_deviation(110.0, low=0.0, high=MAX_DEVIATION, unit=N_("points"))
    initial: float = newcomer_rating(1500)
    initial_deviation: float = newcomer_deviation(350, low=MIN_DEVIATION, high=MAX_DEVIATION, unit=N_("points"))
    winner: str = winner_choice()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        formula = self.formula.replace("/ 30)", f"/ {format_plain(self.period)})").replace(
            "c = 34.6", f"c = {format_plain(self.c)}"
        )
        return self.wording_of(formula)

    def start(self) -> list[float]:
        """Return a newcomer's state."""
        return [float(self.initial), float(self.initial_deviation), 0.0]

    def expected_of_two(self, mine: Sequence[float], theirs: Sequence[float]) -> float:
        """Return the expected score, given both ratings and deviations."""
        combined_deviation = math.sqrt(mine[DEVIATION] * mine[DEVIATION] + theirs[DEVIATION] * theirs[DEVIATION])
        return expected_of_two(mine[RATING], theirs[RATING], 400.0 / certainty(Q * combined_deviation))[0]

    def expected_of_pairs(self, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected scores of columns of pairs."""
        g = certainty_of_each(Q * Q * (mine[:, DEVIATION] ** 2 + theirs[:, DEVIATION] ** 2))
        return expected_of_each(mine[:, RATING], theirs[:, RATING], 400.0 / g)
