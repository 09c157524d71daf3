"""Durak: soft pairwise Elo with inflation, whole changes by largest remainders, and an evidence penalty on the board.

Source: "How the Durak score works".
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ratings.contract.curves import evidence_penalty, expected_of_two
from ratings.contract.parameters import newcomer_rating, number, winner_choice
from ratings.contract.rounding import round_half_up
from ratings.contract.system import (
    MAX_PLAYERS,
    ChangePart,
    Check,
    CurveCase,
    CurveKind,
    FormulaFigure,
    GameSheet,
    Kernel,
    Law,
    Preset,
    RatingSystem,
    Rows,
    Ruling,
    Use,
    WorkedExample,
)
from ratings.contract.wording import Wording, build_expectation_part, format_plain
from ratings.texts import N_, localize_text, say, say_many

INFLATION, K, SCALE, ORDER_STRENGTH, ORDER_POWER, DURAK_STRENGTH = range(6)
P_INFLATION, P_ORDER, P_DURAK, P_EXPECTATION, P_ROUNDING = range(5)
W, MEAN_A, MEAN_E, RAW, FLOOR, REMAINDER, GIVEN = range(7)
A, E = range(2)
#: Columns used as scratch space until their own number is known: the seat at each finishing position,
#: and the difference between A and ½ at each distance.
SEAT, EDGE = P_ROUNDING, REMAINDER
#: Raw changes are rounded to nine decimals before they are floored and compared.
BILLION = 10**9


def _compute_edge(distance: int, n: int, parameters: list[float]) -> float:
    """Return the difference between A_ij and ½ for two players ``distance`` positions apart, neither the Durak."""
    slots = max(n - 2, 1)
    return parameters[ORDER_STRENGTH] * math.pow(distance / slots, parameters[ORDER_POWER])


def compare(n: int, before: Rows, parameters: list[float], parts: Rows, figures: Rows, pairs: list[Rows]) -> None:
    """Fill in A and E of every pair, and each player's sums of A − ½ and E; see ``kernel`` for the scratch columns."""
    for ahead in range(n):
        i = int(parts[ahead][SEAT])
        for behind in range(ahead + 1, n):
            j = int(parts[behind][SEAT])
            column = P_DURAK if behind == n - 1 else P_ORDER
            edge = parameters[DURAK_STRENGTH] if behind == n - 1 else figures[behind - ahead][EDGE]
            expectation, opponent_expectation = expected_of_two(before[i][0], before[j][0], parameters[SCALE])
            pairs[i][j][A], pairs[i][j][E] = 0.5 + edge, expectation
            pairs[j][i][A], pairs[j][i][E] = 0.5 - edge, opponent_expectation
            parts[i][column] += edge
            parts[j][column] -= edge
            figures[i][MEAN_E] += expectation
            figures[j][MEAN_E] += opponent_expectation


def give_points(n: int, target: float, parts: Rows, figures: Rows) -> None:
    """Floor every raw change and give the points missing from ``target`` to the largest remainders."""
    remaining = target
    for i in range(n):
        # In whole billionths: numbers equal to nine decimals are ties, whatever their last bits.
        billionths = math.floor(figures[i][RAW] * BILLION + 0.5)
        floor = billionths // BILLION
        figures[i][FLOOR] = float(floor)
        figures[i][REMAINDER] = (billionths - floor * BILLION) / BILLION
        figures[i][GIVEN] = 0.0
        remaining -= floor
    # First the column counts the players who come before; of equal remainders the earlier finisher comes first.
    for ahead in range(n):
        i = int(parts[ahead][SEAT])
        for behind in range(ahead + 1, n):
            j = int(parts[behind][SEAT])
            precedes = 1.0 if figures[i][REMAINDER] >= figures[j][REMAINDER] else 0.0
            figures[j][GIVEN] += precedes
            figures[i][GIVEN] += 1.0 - precedes
    for i in range(n):
        figures[i][GIVEN] = 1.0 if figures[i][GIVEN] < remaining else 0.0


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Compare every pair softly, inflate, round; see ``ratings.contract.system``."""
    # Sums in finishing order do not depend on the seats, even in the last bit.
    for i in range(n):
        parts[int(results[i][1]) - 1][SEAT] = float(i)
        parts[i][P_ORDER], parts[i][P_DURAK], figures[i][MEAN_E] = 0.0, 0.0, 0.0
        pairs[i][i][A], pairs[i][i][E] = 0.5, 0.5
    for distance in range(1, n - 1):
        figures[distance][EDGE] = _compute_edge(distance, n, parameters)
    compare(n, before, parameters, parts, figures, pairs)
    opponents = n - 1.0
    weight = parameters[K] / opponents
    for i in range(n):
        figures[i][W] = weight
        figures[i][MEAN_A] = 0.5 + (parts[i][P_ORDER] + parts[i][P_DURAK]) / opponents
        parts[i][P_INFLATION] = parameters[INFLATION]
        parts[i][P_ORDER] *= weight
        parts[i][P_DURAK] *= weight
        parts[i][P_EXPECTATION] = weight * (0.5 * opponents - figures[i][MEAN_E])
        figures[i][MEAN_E] /= opponents
        figures[i][RAW] = parts[i][P_INFLATION] + parts[i][P_ORDER] + parts[i][P_DURAK] + parts[i][P_EXPECTATION]
    give_points(n, round_half_up(parameters[INFLATION] * n), parts, figures)
    for i in range(n):
        # The two numbers differ by at most about 1, so float64 subtracts them without rounding:
        # the parts sum exactly to the whole change.
        parts[i][P_ROUNDING] = figures[i][FLOOR] + figures[i][GIVEN] - figures[i][RAW]


def fixed_total(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether the changes are whole and sum to the table's inflation."""
    are_integers = all(change == math.floor(change) for change in changes)
    return are_integers and sum(changes) == round_half_up(system.inflation * len(changes))


def _compute_board_score(games: int) -> float:
    """Return the leaderboard score of a rating of 1000 after ``games`` games."""
    return Durak().display([1000.0], games)


@dataclass(frozen=True, kw_only=True)
class Durak(RatingSystem):
    """The Durak score."""

    key: ClassVar[str] = "durak"
    title: ClassVar[str] = N_("Durak")
    summary: ClassVar[str] = localize_text(
        "The last player left is the Durak and loses most. Players who get out earlier gain "
        "a little on those who get out later, and results are compared with the result "
        "expected from the ratings. Each game adds 2 points per player. The leaderboard "
        "subtracts a penalty that shrinks as you play more, so that new players do not lead "
        "at once.",
        lambda: " ".join(Durak().sentences()),
    )
    headline: ClassVar[str] = N_("The last player loses most; getting out earlier earns a little more.")
    source: ClassVar[str] = N_("“How the Durak score works”")
    formula: ClassVar[str] = (
        "finishing order 0 … n − 1, the last is the Durak; w = 40 / (n − 1), slots = max(n − "
        "2, 1)\nA_ij = ½ + ½ if j is the Durak; ½ − ½ if i is; otherwise ½ ± 0.25 · (|i − j| "
        "/ slots)^1.15, + for the earlier one\nE_ij = 1 / (1 + 10^((R_j − R_i) / 400))\nraw_i "
        "= 2 + Σ_j w · (A_ij − E_ij)\nwhole changes: every raw_i is rounded down; the points "
        "missing from 2 · n go to the largest remainders\nleaderboard: ⌊R − 180 / √games + ½⌋"
    )
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = MAX_PLAYERS
    score: ClassVar[Use] = "optional"
    place: ClassVar[Use] = "required"
    ties: ClassVar[bool] = False
    parts: ClassVar[tuple[ChangePart, ...]] = (
        ChangePart(
            "inflation",
            "2",
            N_("Inflation"),
            N_("Points that every player gets per game."),
            N_("inflation"),
            unearned=True,
        ),
        ChangePart(
            "order",
            N_("Σ w(A − ½), no Durak"),
            N_("Order of getting out"),
            N_("Pairs without the Durak."),
            N_("order of getting out"),
        ),
        ChangePart(
            "durak", N_("Σ w(A − ½), Durak"), N_("Durak result"), N_("Pairs with the Durak."), N_("Durak result")
        ),
        build_expectation_part("Σ w(½ − E)"),
        ChangePart(
            "rounding",
            N_("rounding"),
            N_("Rounding"),
            N_("To whole points, largest remainders first."),
            N_("rounding"),
        ),
    )
    figures: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("w", "w", N_("Weight of one opponent")),
        FormulaFigure("mean_a", N_("mean A"), N_("Actual score, mean over the opponents")),
        FormulaFigure("mean_e", N_("mean E"), N_("Expected score, mean over the opponents")),
        FormulaFigure("raw", "raw", N_("Change before rounding")),
        FormulaFigure("floor", "⌊raw⌋", N_("Change rounded down")),
        FormulaFigure("remainder", "raw − ⌊raw⌋", N_("Remainder")),
        FormulaFigure("given", "+1", N_("Point for a large remainder")),
    )
    pairs: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("a", "A_ij", N_("Actual score against the opponent")),
        FormulaFigure("e", "E_ij", N_("Expected score against the opponent")),
    )
    performance: ClassVar[str] = "mean_a"
    performance_label: ClassVar[str] = N_("Mean A")
    expectation: ClassVar[str] = "mean_e"
    filled: ClassVar[str] = "inflation + k × (mean_a − mean_e) + rounding?"
    told: ClassVar[str] = N_(
        "With a rating of {rating:0} the expected result at this table is {mean_e:%}. {name} "
        "reached {mean_a:%}, {mean_a−mean_e:%}."
    )
    supposed: ClassVar[str] = N_(
        "With a rating of {rating:0} the expected result at this table is {mean_e:%}. {name} "
        "would reach {mean_a:%}, {mean_a−mean_e:%}."
    )
    score_label: ClassVar[str] = N_("Score")
    score_difference: ClassVar[str] = N_("Penalty for few games")
    score_help: ClassVar[str] = localize_text(
        "The rating minus a penalty of 180 / √games, rounded to whole points.",
        lambda: Durak().wording().score_help,
    )
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R9",
            N_("Rating scale"),
            N_("The formula line says 800, the settings card 400; only 400 gives the printed example."),
            "scale",
        ),
        Ruling(
            "R10",
            N_("Ties and games without a Durak"),
            N_("The source does not define them, so they are rejected with an error message."),
        ),
        Ruling(
            "R118",
            N_("Two points per player and game"),
            N_(
                "The source's card gives an inflation of 2. We read it as points for each player in "
                "each game, whatever the number of players, so that a game of n adds 2 · n, with "
                "halves rounded up if a league chose a fraction."
            ),
            "inflation",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("formula_line", N_("Scale 800, as printed in the formula"), {"scale": 800}),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("Four players in finishing order"),
            note=N_("The source gives ratings, changes, mean A and mean E; the changes before rounding are computed."),
            printed=True,
            sheet=GameSheet(scores=(None,) * 4, places=(1, 2, 3, 4)),
            before=(1000, 1150, 900, 1200),
            after=(1018, 1153, 914, 1173),
            changes=(18, 3, 14, -27),
            figures={
                "raw": (17.809643, 2.796806, 14.463291, -27.069740),
                "mean_a": (0.788, 0.667, 0.546, 0.0),
                "mean_e": (0.392, 0.647, 0.234, 0.727),
            },
            figure_tolerance=5e-4,
            figure_tolerances={"raw": 5e-7},
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        Check(
            N_("Leaderboard score of a rating of 1000 after 1 game"), lambda: _compute_board_score(1), 820, printed=True
        ),
        Check(N_("The same after 4 games"), lambda: _compute_board_score(4), 910, printed=True),
        Check(N_("The same after 9 games"), lambda: _compute_board_score(9), 940, printed=True),
        Check(N_("The same after 25 games"), lambda: _compute_board_score(25), 964, printed=True),
        Check(N_("The same after 100 games"), lambda: _compute_board_score(100), 982, printed=True),
    )
    laws: ClassVar[tuple[Law, ...]] = (
        Law(
            "fixed_total",
            N_(
                "The changes are whole numbers and sum to the total inflation, rounded: by default "
                "two points per player."
            ),
            fixed_total,
        ),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    inflation: float = number(
        2,
        label=N_("Inflation"),
        low=0,
        high=100,
        unit=N_("points"),
        help=N_("Points that every player gets for a game."),
    )
    k: float = number(40, label="k", low=0, high=400, unit=N_("points"), help=N_("Split evenly over the opponents."))
    scale: float = number(
        400,
        label=N_("Rating scale"),
        low=1,
        high=10_000,
        unit=N_("points"),
        help=N_("A difference of this many points means odds of ten to one."),
        source="R9",
    )
    order_strength: float = number(
        0.25, label=N_("Order strength"), low=0, high=0.5, help=N_("How much getting out earlier counts.")
    )
    order_power: float = number(
        1.15, label=N_("Order power"), low=0.1, high=10, help=N_("How the distance in the order counts.")
    )
    durak_strength: float = number(
        0.5, label=N_("Durak strength"), low=0, high=0.5, help=N_("How much being the Durak costs.")
    )
    evidence_penalty: float = number(
        180,
        label=N_("Penalty for few games"),
        low=0,
        high=10_000,
        unit=N_("points"),
        help=N_("This number divided by √games is subtracted from the rating on the leaderboard."),
    )
    initial: float = newcomer_rating(1000, whole=True)
    winner: str = winner_choice(help=N_("Ratings depend on places alone. This orders the scores on ladders and pages."))

    def start(self) -> list[float]:
        """Return a newcomer's state."""
        return [float(self.initial)]

    def curve_cases(self, kind: CurveKind) -> tuple[CurveCase, ...]:
        """Return a player as strong as the others, a stronger and a weaker one."""
        half, start = self.scale / 2.0, float(self.initial)
        return (
            CurveCase(say("equal")),
            CurveCase(say("{points} stronger", points=format_plain(half)), state=(start + half,)),
            CurveCase(say("{points} weaker", points=format_plain(half)), state=(start - half,)),
        )

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        durak, order, power = (
            format_plain(self.durak_strength),
            format_plain(self.order_strength),
            format_plain(self.order_power),
        )
        gift, penalty = format_plain(self.inflation), format_plain(self.evidence_penalty)
        formula = "\n".join(
            [
                say(
                    "finishing order 0 … n − 1, the last is the Durak; w = {k} / (n − 1), slots = max(n − 2, 1)",
                    k=format_plain(self.k),
                ),
                say(
                    "A_ij = ½ + {durak} if j is the Durak; ½ − {durak} if i is; otherwise ½ ± {order} · "
                    "(|i − j| / slots)^{power}, + for the earlier one",
                    durak=durak,
                    order=order,
                    power=power,
                ),
                f"E_ij = 1 / (1 + 10^((R_j − R_i) / {format_plain(self.scale)}))",
                f"raw_i = {gift} + Σ_j w · (A_ij − E_ij)",
                say(
                    "whole changes: every raw_i is rounded down; the points missing from {gift} · n go "
                    "to the largest remainders",
                    gift=gift,
                ),
                say("leaderboard: ⌊R − {penalty} / √games + ½⌋", penalty=penalty),
            ]
        )
        inflation, *parts = self.parts
        return replace(
            super().wording(),
            summary=" ".join(self.sentences()),
            formula=formula,
            score_help=say(
                "The rating minus a penalty of {penalty} / √games, rounded to whole points.", penalty=penalty
            ),
            parts=(replace(inflation, symbol=gift), *parts),
        )

    def sentences(self) -> list[str]:
        """Return the summary's sentences."""
        return [
            say("The last player left is the Durak and loses most."),
            say(
                "Players who get out earlier gain a little on those who get out later, and results "
                "are compared with the result expected from the ratings."
            ),
            say_many(
                "Each game adds {count} point per player.",
                "Each game adds {count} points per player.",
                self.inflation,
                count=format_plain(self.inflation),
            ),
            *[
                say(
                    "The leaderboard subtracts a penalty that shrinks as you play more, so that new "
                    "players do not lead at once."
                )
            ]
            * (self.evidence_penalty != 0),
        ]

    def points_of_pair(self, figures: Mapping[str, float], pair: Mapping[str, float]) -> float | None:
        """Return w (A − E); their sum is the change before inflation and rounding."""
        return figures["w"] * (pair["a"] - pair["e"])

    def display(self, state: Sequence[float], games: int) -> float:
        """Return the rating less the evidence penalty, rounded half up."""
        return round_half_up(state[0] - evidence_penalty(self.evidence_penalty, games)) + 0.0
