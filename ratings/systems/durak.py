"""Durak: soft pairwise Elo with inflation, largest-remainder rounding and an evidence penalty on the board.

Source: "How the Durak score works".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ratings.parameters import number
from ratings.rounding import half_up
from ratings.system import (
    MOST_PLAYERS,
    Check,
    Figure,
    Kernel,
    Law,
    Part,
    Preset,
    RatingSystem,
    Refusal,
    Rows,
    Ruling,
    Sheet,
    StateField,
    Use,
    WorkedExample,
)

INFLATION, K, SCALE, ORDER, POWER, DURAK, START, PENALTY = range(8)
P_INFLATION, P_ORDER, P_DURAK, P_EXPECTATION, P_ROUNDING = range(5)
MEAN_A, MEAN_E, RAW, FLOOR, REMAINDER, GIVEN = range(6)
A, E = range(2)


def expected(mine: float, theirs: float, scale: float) -> float:
    """Return the expected score of ``mine`` against ``theirs``, between 0 and 1."""
    # Beyond ±300 the power would leave float64; the expectation is 0 or 1 to the last bit long before.
    exponent = min(max((theirs - mine) / scale, -300.0), 300.0)
    return 1.0 / (1.0 + math.pow(10.0, exponent))


def actual(mine: float, theirs: float, n: int, parameters: list[float]) -> float:
    """Return A_ij of two places (1 is first, n is the Durak)."""
    if theirs == n:
        return 0.5 + parameters[DURAK]
    if mine == n:
        return 0.5 - parameters[DURAK]
    slots = max(n - 2, 1)
    share = parameters[ORDER] * math.pow(abs(mine - theirs) / slots, parameters[POWER])
    return 0.5 + share if mine < theirs else 0.5 - share


def largest_remainders(n: int, results: Rows, figures: Rows, target: float) -> None:
    """Floor every raw change and give the missing points to the largest remainders."""
    missing = target
    for i in range(n):
        snapped = round(figures[i][RAW] * 1e9) / 1e9
        figures[i][FLOOR] = math.floor(snapped)
        figures[i][REMAINDER] = snapped - figures[i][FLOOR]
        figures[i][GIVEN] = 0.0
        missing -= figures[i][FLOOR]
    while missing > 0.0:
        chosen = -1
        for i in range(n):
            if figures[i][GIVEN] > 0.0:
                continue
            if chosen < 0 or ahead(i, chosen, results, figures):
                chosen = i
        figures[chosen][GIVEN] = 1.0
        missing -= 1.0


def ahead(i: int, chosen: int, results: Rows, figures: Rows) -> bool:
    """Tell whether player i comes before the chosen one when points are given: ties to the earlier finisher."""
    difference = figures[i][REMAINDER] - figures[chosen][REMAINDER]
    # The remainders stand on a grid of 1e-9; what is less than half of it apart is equal.
    if abs(difference) < 5e-10:
        return results[i][1] < results[chosen][1]
    return difference > 0.0


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
    """Compare every pair softly, inflate, round; see the contract in ``ratings.system``."""
    weight = parameters[K] / (n - 1)
    for i in range(n):
        order = 0.0
        durak = 0.0
        expectation = 0.0
        for j in range(n):
            pairs[i][j][A] = 0.5
            pairs[i][j][E] = 0.5
            if i == j:
                continue
            a = actual(results[i][1], results[j][1], n, parameters)
            e = expected(before[i][0], before[j][0], parameters[SCALE])
            pairs[i][j][A] = a
            pairs[i][j][E] = e
            expectation += 0.5 - e
            if results[i][1] == n or results[j][1] == n:
                durak += a - 0.5
            else:
                order += a - 0.5
        parts[i][P_INFLATION] = parameters[INFLATION]
        parts[i][P_ORDER] = weight * order
        parts[i][P_DURAK] = weight * durak
        parts[i][P_EXPECTATION] = weight * expectation
        figures[i][MEAN_A] = 0.5 + (order + durak) / (n - 1)
        figures[i][MEAN_E] = 0.5 - expectation / (n - 1)
        figures[i][RAW] = parts[i][0] + parts[i][1] + parts[i][2] + parts[i][3]
    largest_remainders(n, results, figures, half_up(parameters[INFLATION] * n))
    for i in range(n):
        parts[i][P_ROUNDING] = figures[i][FLOOR] + figures[i][GIVEN] - figures[i][RAW]


def fixed_total(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Tell whether the whole changes sum to the inflation of the table."""
    whole = all(change == int(change) for change in changes)
    return whole and sum(changes) == half_up(system.inflation * len(changes))


def board(rating: float, games: int) -> float:
    """Return the leaderboard score of a rating with the standard penalty."""
    return Durak().display([rating], games)


@dataclass(frozen=True, kw_only=True)
class Durak(RatingSystem):
    """The Durak score."""

    key: ClassVar[str] = "durak"
    title: ClassVar[str] = "Durak"
    summary: ClassVar[str] = (
        "The last player left is the Durak and pays most; those who got out earlier gain a little on those who got out "
        "later, and everybody is measured against what the ratings promised. Every game adds two points a player. "
        "The leaderboard takes a penalty off that shrinks as you play more: it asks for evidence."
    )
    source: ClassVar[str] = "“How the Durak score works”"
    formula: ClassVar[str] = (
        "w = k / (n − 1), slots = max(n − 2, 1), finishing order 0 … n − 1\n"
        "A_ij = 1 if j is the Durak; 0 if i is; else ½ ± 0.25 · (|i − j| / slots)^1.15, + for the earlier\n"
        "E_ij = 1 / (1 + 10^((R_j − R_i) / scale))\n"
        "raw_i = 2 + Σ_j w · (A_ij − E_ij)\n"
        "rounded: floor every raw_i, the missing points go to the largest remainders\n"
        "leaderboard = ⌊R − 180 / √games + ½⌋"
    )
    fewest_players: ClassVar[int] = 2
    most_players: ClassVar[int] = MOST_PLAYERS
    score: ClassVar[Use] = "optional"
    place: ClassVar[Use] = "required"
    ties: ClassVar[bool] = False
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", "Rating"),)
    parts: ClassVar[tuple[Part, ...]] = (
        Part("inflation", "2", "Inflation", "What everybody gets for a game."),
        Part("order", "Σ w(A−½), no Durak", "Order of getting out", "Pairs without the Durak."),
        Part("durak", "Σ w(A−½), Durak", "Durak result", "Pairs with the Durak."),
        Part("expectation", "Σ w(½−E)", "Rating expectation", "What the ratings promised beforehand."),
        Part("rounding", "round", "Rounding", "To whole points, the largest remainders first."),
    )
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("mean_a", "A", "Actual score, mean over the opponents"),
        Figure("mean_e", "E", "Expected score, mean over the opponents"),
        Figure("raw", "raw", "Change before rounding"),
        Figure("floor", "⌊raw⌋", "Floor of the change"),
        Figure("remainder", "raw − ⌊raw⌋", "Remainder, on a grid of 10⁻⁹"),
        Figure("given", "+1", "Point given to a large remainder"),
    )
    pairs: ClassVar[tuple[Figure, ...]] = (
        Figure("a", "A_ij", "Actual score against the opponent"),
        Figure("e", "E_ij", "Expected score against the opponent"),
    )
    performance: ClassVar[str] = "mean_a"
    performance_label: ClassVar[str] = "Mean A"
    score_label: ClassVar[str] = "Score"
    score_help: ClassVar[str] = "The rating less an evidence penalty of 180 / √games, rounded."
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R9",
            "Scale",
            "The formula line says 800, the settings card 400; only 400 gives the printed example.",
            "scale",
        ),
        Ruling(
            "R10",
            "Ties and games without a Durak",
            "The source does not define them; they are refused with a sentence.",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("formula_line", "Scale 800, as the formula line prints it", {"scale": 800.0}),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title="Four players in finishing order",
            sheet=Sheet(scores=(None,) * 4, places=(1, 2, 3, 4)),
            before=(1000, 1150, 900, 1200),
            after=(1018, 1153, 914, 1173),
            changes=(18, 3, 14, -27),
            figures={
                "raw": (17.809643, 2.796806, 14.463291, -27.069740),
                "mean_a": (0.788, 0.667, 0.546, 0.0),
                "mean_e": (0.392, 0.647, 0.234, 0.727),
            },
            figure_tolerance=5e-4,
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        Check("Leaderboard score of rating 1000 after 1 game", lambda: board(1000, 1), 820),
        Check("… after 4 games", lambda: board(1000, 4), 910),
        Check("… after 9 games", lambda: board(1000, 9), 940),
        Check("… after 25 games", lambda: board(1000, 25), 964),
        Check("… after 100 games", lambda: board(1000, 100), 982),
    )
    laws: ClassVar[tuple[Law, ...]] = (
        Law("fixed_total", "The changes are whole and sum to two points a player.", fixed_total),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    inflation: float = number(2.0, label="Inflation", low=0.0, high=100.0, unit="points", help="Everybody's points for a game.")
    k: float = number(40.0, label="k", low=0.0, high=400.0, unit="points", help="Split over the opponents.")
    scale: float = number(
        400.0, label="Scale", low=1.0, high=10_000.0, unit="points", help="So many points apart is ten to one.", source="R9"
    )
    order_strength: float = number(
        0.25, label="Order strength", low=0.0, high=0.5, help="How much getting out earlier counts."
    )
    order_power: float = number(1.15, label="Order power", low=0.1, high=10.0, help="How the distance in order counts.")
    durak_strength: float = number(0.5, label="Durak strength", low=0.0, high=0.5, help="How much being the Durak counts.")
    initial: float = number(1000, label="Start", low=-10_000, high=10_000, unit="points", whole=True, help="A newcomer's rating.")
    evidence_penalty: float = number(
        180.0, label="Evidence penalty", low=0.0, high=10_000.0, unit="points", help="Over √games, off the board's score."
    )

    def start(self) -> list[float]:
        """Return the state of a newcomer."""
        return [float(self.initial)]

    def display(self, state: Sequence[float], games: int) -> float:
        """Return the rating less the evidence penalty, rounded half up."""
        return half_up(state[0] - self.evidence_penalty / math.sqrt(max(games, 1)))

    def check_more(self, sheet: Sheet) -> list[Refusal]:
        """Refuse places that leave a gap; without ties and gaps the last one is the Durak."""
        if sorted(place or 0 for place in sheet.places) == list(range(1, sheet.size + 1)):
            return []
        return [Refusal("places", f"The places must be 1 to {sheet.size}, each once; the last one is the Durak.")]
