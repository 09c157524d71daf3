"""Base classes of the systems with a deviation: Glicko and Glicko-2, and the two that rate by means.

Parameters are declared in each system's file: the kernel reads them in that order.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from ratings.contract.curves import certainty
from ratings.contract.parameters import choice, number
from ratings.contract.system import (
    MAX_PLAYERS,
    ChangePart,
    Check,
    CurveCase,
    CurveKind,
    FormulaFigure,
    Preset,
    RatingSystem,
    StateField,
    Use,
)
from ratings.contract.wording import Wording, build_expectation_part, format_plain
from ratings.texts import N_, localize_text, say

#: The deviations of a curve's lines, as multiples of the largest one that is not provisional.
DEVIATION_FACTORS = (1.0, 2.0, 0.5)
#: Bounds of a deviation in points, and of one on the scale of the two that rate by means.
MIN_DEVIATION, MAX_DEVIATION = 1.0, 500.0
LOWEST, HIGHEST = 0.001, 10_000.0
RATING_FIELD = StateField("rating", "R", N_("Rating"))
DEVIATION_FIELD = StateField(
    "deviation", "RD", N_("Deviation"), N_("How uncertain the rating is."), MIN_DEVIATION, MAX_DEVIATION, 1
)
LAST_DAY_FIELD = StateField(
    "last_day", "t", N_("Day of the last game"), N_("Counted from 1970."), -1e6, 4e6, 2, inner=True
)
ACTUAL_FIGURE = FormulaFigure("a", "A_ij", N_("Actual score against the opponent"))
EXPECTED_FIGURE = FormulaFigure("e", "E_ij", N_("Expected score against the opponent"))
SURPRISE_FIGURE = FormulaFigure("surprise", "S_ij", N_("Surprise: how far the result exceeded the expectation"))
GAIN_FIGURE = FormulaFigure(
    "gain", "g_ij", N_("Change by a complete surprise: variance / c, divided among the opposing team")
)
SHOWN_MEAN = N_("The leaderboard shows the mean minus a margin for uncertainty: {board}.")


def list_deviation_cases(start: Sequence[float], provisional_above: float) -> tuple[CurveCase, ...]:
    """Return players with the deviation at which a rating is no longer provisional, its double and its half.

    start: the state of a new player, with the deviation in its second field; no deviation is larger.
    """
    factors = [factor for factor in DEVIATION_FACTORS if 0.0 < factor * provisional_above < start[1]]
    cases = [
        CurveCase(
            say("deviation {deviation}", deviation=format_plain(round(factor * provisional_above, 2))),
            state=(start[0], factor * provisional_above, *start[2:]),
        )
        for factor in factors
    ]
    if len(cases) < len(DEVIATION_FACTORS):
        cases.append(CurveCase(say("new player"), state=tuple(start)))
    return tuple(cases)


def provisional_deviation(default: float, *, low: float, high: float, unit: str = "") -> Any:
    """Declare the parameter ``sure`` of a system."""
    help = N_("A rating with a larger deviation is provisional.")
    return number(default, label=N_("Provisional above"), low=low, high=high, unit=unit, help=help)


def newcomer_deviation(default: float, *, low: float, high: float, unit: str = "") -> Any:
    """Declare the parameter of a new player's deviation."""
    label, help = N_("Starting deviation"), N_("For a new player.")
    return number(default, label=label, low=low, high=high, unit=unit, help=help)


def rating_period(*, help: str, source: str) -> Any:
    """Declare the parameter ``period`` of Glicko and Glicko-2."""
    label, unit = N_("Rating period"), N_("days")
    return number(30.0, label=label, low=0.1, high=3650.0, unit=unit, help=help, source=source)


def board_choice() -> Any:
    """Declare the parameter ``board`` of Glicko and Glicko-2."""
    options = {"rating": N_("the rating"), "cautious": N_("the rating minus two deviations")}
    return choice("rating", options, label=N_("Board"), help=N_("Order of the leaderboard."))


def luck() -> Any:
    """Declare the parameter ``beta`` of a system that rates by means."""
    return number(25.0 / 6.0, label="β", low=LOWEST, high=HIGHEST, help=N_("How much luck there is in a single game."))


def subtracted_deviations() -> Any:
    """Declare the parameter ``deviations`` of a system that rates by means."""
    help = N_("Number of deviations subtracted from the mean on the board.")
    return number(3, label=N_("Board: deviations"), low=0, high=10, help=help)


def board_factor() -> Any:
    """Declare the parameter ``factor`` of a system that rates by means."""
    help = N_("Board scores are multiplied by this.")
    return number(1, label=N_("Board: factor"), low=0.001, high=10_000, help=help)


def board_offset() -> Any:
    """Declare the parameter ``offset`` of a system that rates by means."""
    return number(0, label=N_("Board: offset"), low=-1e6, high=1e6, help=N_("This is then added."))


class GlickoFamily(RatingSystem):
    """Games of two; the deviation, in points, measures the uncertainty of the rating."""

    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 2
    score: ClassVar[Use] = "either"
    place: ClassVar[Use] = "either"
    ties: ClassVar[bool] = True
    timed: ClassVar[bool] = True
    lowest_rating: ClassVar[float] = -10_000.0
    highest_rating: ClassVar[float] = 10_000.0
    deviates: ClassVar[bool] = True
    performance: ClassVar[str] = "a"
    performance_label: ClassVar[str] = N_("A")
    expectation: ClassVar[str] = "e"
    filled: ClassVar[str] = "gain × (a − e)"
    told: ClassVar[str] = N_(
        "With a rating of {rating:1}, {name} was expected to score {e:%} of the points, and scored {a:%}: {a−e:%}. "
        "With a deviation of {grown:1}, a difference of 100 percentage points changes the rating by {gain:1}."
    )
    supposed: ClassVar[str] = N_(
        "With a rating of {rating:1}, {name} is expected to score {e:%} of the points, and would score {a:%}: "
        "{a−e:%}. With a deviation of {grown:1}, a difference of 100 percentage points changes the rating by {gain:1}."
    )
    score_label: ClassVar[str] = N_("Rating")
    score_help: ClassVar[str] = N_("The leaderboard shows the rating as of each player's last game.")
    score_difference: ClassVar[str] = N_("Two deviations")
    decimals: ClassVar[int] = 1
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("cautious", N_("The board shows the rating minus two deviations"), {"board": "cautious"}),
    )
    board: str
    sure: float

    def wording_of(self, formula: str) -> Wording:
        """Return the texts for these parameters, with ``formula``."""
        cautious = N_("The leaderboard shows the rating minus two deviations, as of each player's last game.")
        if self.board != "cautious":
            return replace(super().wording(), formula=formula)
        return replace(super().wording(), formula=f"{formula}\nR' − 2 RD'", score_help=cautious)

    def curve_cases(self, kind: CurveKind) -> tuple[CurveCase, ...]:
        """Return three levels of the deviation."""
        return list_deviation_cases(self.start(), self.sure)

    def display(self, state: Sequence[float], games: int) -> float:
        """Return the rating, or the rating less two deviations."""
        return state[0] - 2.0 * state[1] if self.board == "cautious" else state[0]

    def sure_deviation(self) -> float:
        """Return the parameter of the system."""
        return self.sure


def build_glicko_parts(gain: str) -> tuple[ChangePart, ...]:
    """Return the parts of a change; ``gain`` is the symbol of the points that a full surprise would move."""
    result = N_("The result of the game: a win, a draw or a loss.")
    return (
        ChangePart("result", f"{gain} (A − ½)", N_("From the result"), result, N_("result")),
        build_expectation_part(f"{gain} (½ − E)"),
    )


def build_glicko_figures(gain: str, grown: str) -> tuple[FormulaFigure, ...]:
    """Return the figures of a change; ``grown`` is the symbol of the deviation before the game."""
    return (
        FormulaFigure("a", "A", N_("Actual score")),
        FormulaFigure("e", "E", N_("Expected score")),
        FormulaFigure("gain", gain, N_("Points that a complete surprise would change")),
        FormulaFigure("grown", grown, N_("Deviation before the game, increased by the days without one")),
        FormulaFigure("g", "g_j", N_("Weight of the result, given the opponent's deviation")),
    )


def build_certainty_checks(scale: Callable[[float], float]) -> tuple[Check, ...]:
    """Return checks of the paper's values of g; ``scale`` converts a deviation in points."""
    return (
        Check(N_("g of a deviation of 30"), lambda: certainty(scale(30)), 0.9955, 5e-5, printed=True),
        Check(N_("g of a deviation of 100"), lambda: certainty(scale(100)), 0.9531, 5e-5, printed=True),
        Check(N_("g of a deviation of 300"), lambda: certainty(scale(300)), 0.7242, 5e-5, printed=True),
    )


class MeanFamily(RatingSystem):
    """Sides or free-for-all, rated by mean and deviation; the board shows the mean less some deviations."""

    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = MAX_PLAYERS
    score: ClassVar[Use] = "either"
    place: ClassVar[Use] = "either"
    ties: ClassVar[bool] = True
    sides: ClassVar[bool] = True
    state: ClassVar[tuple[StateField, ...]] = (
        StateField("mu", "μ", N_("Mean")),
        StateField("sigma", "σ", N_("Deviation"), N_("How uncertain the rating is."), 0.001, 10_000.0, 3),
    )
    deviates: ClassVar[bool] = True
    parts: ClassVar[tuple[ChangePart, ...]] = (
        ChangePart(
            "behind",
            "Σ g S, A = 1",
            N_("Players behind"),
            N_("Won from players who finished behind."),
            N_("from players behind"),
        ),
        ChangePart(
            "level", "Σ g S, A = ½", N_("Tied players"), N_("Won or lost through ties."), N_("from tied players")
        ),
        ChangePart(
            "ahead",
            "Σ g S, A = 0",
            N_("Players ahead"),
            N_("Lost to players who finished ahead."),
            N_("to players ahead"),
        ),
    )
    performance: ClassVar[str] = "mean_a"
    performance_label: ClassVar[str] = N_("Mean A")
    expectation: ClassVar[str] = "mean_e"
    filled: ClassVar[str] = "Σ(gain × surprise)"
    told: ClassVar[str] = N_(
        "With a rating of {side_rating:1}, {name} was expected to score {mean_e:%} of the points, and scored "
        "{mean_a:%}: {mean_a−mean_e:%}."
    )
    supposed: ClassVar[str] = N_(
        "With a rating of {side_rating:1}, {name} is expected to score {mean_e:%} of the points, and would score "
        "{mean_a:%}: {mean_a−mean_e:%}."
    )
    score_label: ClassVar[str] = N_("Score")
    score_help: ClassVar[str] = localize_text(
        "The leaderboard shows the mean minus a margin for uncertainty: μ − 3 · σ.",
        lambda: say(SHOWN_MEAN, board="μ − 3 · σ"),
    )
    score_difference: ClassVar[str] = N_("Uncertainty")
    decimals: ClassVar[int] = 2
    tau: float
    deviations: float
    factor: float
    offset: float
    sure: float
    initial: float
    initial_sigma: float

    def wording_of(self, formula: str) -> Wording:
        """Return the texts for these parameters; the growth of the deviation precedes ``formula``."""
        grows = f"σ² := σ² + τ², τ = {format_plain(self.tau)}\n" if self.tau else ""
        board = f"μ − {format_plain(self.deviations)} · σ" if self.deviations else "μ"
        if self.factor != 1 or self.offset:
            board = f"{format_plain(self.offset)} + {format_plain(self.factor)} · ({board})"
        return replace(super().wording(), formula=grows + formula, score_help=say(SHOWN_MEAN, board=board))

    def start(self) -> list[float]:
        """Return a newcomer's state."""
        return [float(self.initial), float(self.initial_sigma)]

    def curve_cases(self, kind: CurveKind) -> tuple[CurveCase, ...]:
        """Return three levels of the deviation."""
        return list_deviation_cases(self.start(), self.sure)

    def display(self, state: Sequence[float], games: int) -> float:
        """Return the mean less some deviations, on the board's scale."""
        return self.offset + self.factor * (state[0] - self.deviations * state[1]) + 0.0

    def sure_deviation(self) -> float:
        """Return the parameter of the system."""
        return self.sure


def build_mean_figures(variance: str) -> tuple[FormulaFigure, ...]:
    """Return the figures of a change; ``variance`` is the label of a side's variance."""
    return (
        FormulaFigure("mean_a", N_("mean A"), N_("Actual score, mean over the opponents")),
        FormulaFigure("mean_e", N_("mean E"), N_("Expected score, mean over the opponents")),
        FormulaFigure("delta", "Δ", N_("Share of the variance removed by the game")),
        FormulaFigure("side_rating", "θ", N_("Sum of the means of this team"), of_sides=True),
        FormulaFigure("side_variance", "v", variance, of_sides=True),
        FormulaFigure("side_size", "m", N_("Players in this team"), of_sides=True),
    )
