"""Barbu: a decaying playing strength, adjusted so that the table (or the league) sums to nothing.

Source: "How the rating system works", the online Barbu ladder, with its four earlier regimes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ratings.parameters import choice, number
from ratings.system import (
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

HALF_LIFE, STRENGTH, J, TRANSFORM, NEWCOMER_COUNT, NEWCOMER_GAMES, ZERO_SUM = range(7)
P_SCORE, P_OPPONENTS, P_STRENGTH, P_ADJUSTMENT = range(4)
N_GAMES, DAMPED, OPPONENTS, EXPECTED, SCORED, ADJUSTED, WEIGHT, STAR, LADDER = range(9)
HALVING, RUNNING_MEAN = range(2)
BEFORE, INCLUDING, OFF = range(3)
TABLE, LEAGUE, NOBODY = range(3)


def damping(games: float, parameters: list[float]) -> float:
    """Return how much of a player's strength counts for the opponents: the newcomer's share, 0 to 1."""
    if parameters[NEWCOMER_COUNT] == OFF:
        return 1.0
    counted = games + 1.0 if parameters[NEWCOMER_COUNT] == INCLUDING else games
    return min(counted, parameters[NEWCOMER_GAMES]) / parameters[NEWCOMER_GAMES]


def strength_after(rating: float, adjusted: float, n: float, parameters: list[float]) -> float:
    """Return R* after the n-th game with this adjusted score."""
    if parameters[STRENGTH] == RUNNING_MEAN:
        j = parameters[J]
        return ((n - 1.0) * rating + j * adjusted) / (n + j - 1.0)
    k = math.pow(0.5, 1.0 / parameters[HALF_LIFE])
    return (k * rating * (1.0 - math.pow(k, n - 1.0)) + (1.0 - k) * adjusted) / (1.0 - math.pow(k, n))


def weight_of(n: float, parameters: list[float]) -> float:
    """Return the weight of the n-th game in R*: R* = R + weight · (S − R)."""
    if parameters[STRENGTH] == RUNNING_MEAN:
        return parameters[J] / (n + parameters[J] - 1.0)
    k = math.pow(0.5, 1.0 / parameters[HALF_LIFE])
    return (1.0 - k) / (1.0 - math.pow(k, n))


def adjust_scores(
    n: int, before: Rows, games: list[float], results: Rows, parameters: list[float], figures: Rows
) -> None:
    """Fill in the adjusted scores S and what they are made of."""
    for i in range(n):
        figures[i][N_GAMES] = games[i] + 1.0
        figures[i][DAMPED] = before[i][0] * damping(games[i], parameters)
    for i in range(n):
        score = results[i][0]
        total = 0.0
        for j in range(n):
            if j != i:
                total += figures[j][DAMPED]
        opponents = total / (n - 1)
        scored = score
        if parameters[TRANSFORM] == 1.0:
            scored = 400.0 * math.erf(score / 400.0)
        figures[i][OPPONENTS] = opponents
        figures[i][EXPECTED] = before[i][0] - opponents
        figures[i][SCORED] = scored
        figures[i][ADJUSTED] = scored + opponents
        # The regime of May 2004 takes a bad score into the ladder as it is.
        figures[i][LADDER] = scored + opponents if score > 0.0 else score + opponents


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
    """Move the strengths towards the adjusted scores; see the contract in ``ratings.system``."""
    adjust_scores(n, before, games, results, parameters, figures)
    gained = 0.0
    for i in range(n):
        rating, adjusted, count = before[i][0], figures[i][ADJUSTED], figures[i][N_GAMES]
        star = strength_after(rating, adjusted, count, parameters)
        weight = weight_of(count, parameters)
        figures[i][WEIGHT] = weight
        figures[i][STAR] = star
        parts[i][P_SCORE] = weight * figures[i][SCORED]
        parts[i][P_OPPONENTS] = weight * figures[i][OPPONENTS]
        parts[i][P_STRENGTH] = star - rating - parts[i][P_SCORE] - parts[i][P_OPPONENTS]
        gained += star - rating
    share = 0.0
    if parameters[ZERO_SUM] == TABLE:
        share = gained / n
    elif parameters[ZERO_SUM] == LEAGUE:
        share = gained / pool[1]
        pool[0] -= share
    for i in range(n):
        parts[i][P_ADJUSTMENT] = 0.0 - share


def zero_sum(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Tell whether the changes of the table sum to nothing, where the regime says so."""
    size = max(map(abs, after), default=0.0) + 1.0
    return system.zero_sum != "table" or abs(math.fsum(changes)) <= 1e-12 * size


def games_factor(games: float) -> float:
    """Return erf(g / 20), by which the ladder multiplies a mean of adjusted scores over g games."""
    return math.erf(games / 20.0)


def shown(mean: float, games: int) -> float:
    """Return what the ladder shows for a mean adjusted score over so many games."""
    return mean * games_factor(games) + 1000.0


def factor_of_april_2005(games: int) -> float:
    """Return the games factor of April 2005 as ruling R6 reads it."""
    return math.sqrt(games) / (4.0 * math.pow(0.05, -1.0 / games))


def one_game(ratings: Sequence[float], scores: Sequence[float], column: int) -> float:
    """Return a figure of the first player of a game among players of long standing."""
    from ratings.replay import rate_game

    sheet = Sheet(scores=scores, places=(None,) * len(scores))
    return rate_game(Barbu(), [[rating] for rating in ratings], [100] * 4, sheet).figures[0][column]


@dataclass(frozen=True, kw_only=True)
class Barbu(RatingSystem):
    """Decaying playing strength."""

    key: ClassVar[str] = "barbu"
    title: ClassVar[str] = "Barbu"
    summary: ClassVar[str] = (
        "Your strength is a mean of your scores, each adjusted by how strong your opponents were; a game "
        "counts half after "
        "a hundred more games. What the table gains together is taken off again in equal shares, so that "
        "strengths sum to "
        "nothing."
    )
    source: ClassVar[str] = "“How the rating system works”, the online Barbu ladder"
    formula: ClassVar[str] = (
        "K = 0.5^(1/half-life), n counts this game\n"
        "a_j = R_j · min(n_j, 5) / 5, n_j games before this one\n"
        "S_i = score_i + mean of a_j over the three opponents\n"
        "R*_i = (K · R_i · (1 − K^(n−1)) + (1 − K) · S_i) / (1 − K^n)\n"
        "R_i := R*_i − Σ_k (R*_k − R_k) / 4"
    )
    fewest_players: ClassVar[int] = 4
    most_players: ClassVar[int] = 4
    score: ClassVar[Use] = "required"
    place: ClassVar[Use] = "optional"
    ties: ClassVar[bool] = True
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", "Strength"),)
    parts: ClassVar[tuple[Part, ...]] = (
        Part("score", "w · score", "Your score", "The weight of this game times your score."),
        Part(
            "opponents", "w · mean a", "Opponents' strength", "The weight times the mean of your opponents' strengths."
        ),
        Part("strength", "−w · R", "Your strength so far", "What you were expected to bring."),
        Part("adjustment", "−Σ(R*−R)/n", "Zero-sum adjustment", "Your share of what the table gained together."),
    )
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("n", "n", "Your games, this one counted"),
        Figure("damped", "a", "Your strength as it counts for the others"),
        Figure("opponents", "mean a_j", "Opponents' mean strength"),
        Figure("expected", "R − mean a_j", "Expected score"),
        Figure("scored", "score", "Score as it counts for the strength"),
        Figure("adjusted", "S", "Adjusted score"),
        Figure("weight", "w", "Weight of this game: (1 − K)/(1 − K^n)"),
        Figure("star", "R*", "Strength before the zero-sum adjustment"),
        Figure("ladder", "S (ladder)", "Adjusted score as it counts for the ladder"),
    )
    performance: ClassVar[str] = "ladder"
    performance_label: ClassVar[str] = "Adjusted score"
    score_label: ClassVar[str] = "Strength"
    score_help: ClassVar[str] = "The leaderboard shows the playing strength; 0 is the league's mean."
    decimals: ClassVar[int] = 2
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R4", "Decay", "The printed “0.51/100” is 0.5^(1/100): a game counts half after 100 games.", "half_life"
        ),
        Ruling(
            "R5",
            "Newcomers",
            "The damping counts the games before this one: min(n, 5)/5. Counting this one, too, or no damping "
            "are parameters.",
            "newcomer_count",
        ),
        Ruling(
            "R6",
            "The ladder of April 2005",
            "The formula is garbled in the source; read as mean · √g / (4 · 0.05^(−1/g)) + 1000.",
        ),
        Ruling(
            "R7",
            "Negative means",
            "The ladder's games factor raises a negative mean although the prose says that it reduces; the "
            "formula stands.",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("2004-01", "January 2004: running mean", {"strength": "running_mean", "zero_sum": "none"}, "2004-01-01"),
        Preset(
            "2004-05",
            "May 2004: half-life 20, scores through erf",
            {"half_life": 20.0, "score_transform": "erf", "zero_sum": "none"},
            "2004-05-01",
        ),
        Preset("2005-04", "April 2005: half-life 100, everybody shares", {"zero_sum": "league"}, "2005-04-01"),
        Preset("2005-06", "June 2005: the same, ladder by erf", {"zero_sum": "league"}, "2005-06-01"),
        Preset("2013-01", "January 2013: the table shares", {}, "2013-01-01"),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title="A first game: strength is the score, less the table's mean",
            sheet=Sheet(scores=(100, 20, -40, -80), places=(None,) * 4),
            before=(0, 0, 0, 0),
            games=(0, 0, 0, 0),
            after=(100, 20, -40, -80),
            figures={"adjusted": (100, 20, -40, -80), "weight": (1, 1, 1, 1)},
            tolerance=1e-9,
            note="Scores that sum to nothing leave nothing to adjust.",
        ),
        WorkedExample(
            title="+300 against −60, −40 and +10 is an adjusted score of 270",
            sheet=Sheet(scores=(300, -100, -100, -100), places=(None,) * 4),
            before=(0, -60, -40, 10),
            games=(100, 100, 100, 100),
            figures={"adjusted": (270, -110, -350 / 3, -400 / 3)},
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        Check("erf multiplier after 1 game", lambda: games_factor(1), 0.056371977797017, 5e-16),
        Check("… after 5 games", lambda: games_factor(5), 0.276326390168237, 5e-16),
        Check("… after 10 games", lambda: games_factor(10), 0.520499877813047, 5e-16),
        Check("… after 20 games", lambda: games_factor(20), 0.842700792949715, 5e-16),
        Check("… after 40 games", lambda: games_factor(40), 0.995322265018953, 5e-16),
        Check("+50 over 40 games shows", lambda: shown(50, 40), 1049.766113250948, 5e-13),
        Check("+80 over 10 games shows less", lambda: shown(80, 10), 1041.639990225044, 5e-13),
        Check("April 2005 factor after 1 game", lambda: factor_of_april_2005(1), 0.0125, 1e-12),
        Check("… after 20 games", lambda: factor_of_april_2005(20), 0.963, 5e-4),
        Check("… after 40 games", lambda: factor_of_april_2005(40), 1.467, 5e-4),
        Check("+20 expects +20 against 10, 0, −10", lambda: one_game((20, 10, 0, -10), (0,) * 4, EXPECTED), 20, 1e-12),
        Check(
            "+20 expects −10 against 20, 80, −10", lambda: one_game((20, 20, 80, -10), (0,) * 4, EXPECTED), -10, 1e-12
        ),
    )
    laws: ClassVar[tuple[Law, ...]] = (
        Law("zero_sum", "Where the table shares, the changes of a game sum to nothing.", zero_sum),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    half_life: float = number(
        100.0,
        label="Half-life",
        low=1.0,
        high=10_000.0,
        unit="games",
        help="After so many games a game counts half.",
        source="R4",
    )
    strength: str = choice(
        "halving",
        {"halving": "older games decay by the half-life", "running_mean": "a running mean with J (January 2004)"},
        label="Strength",
        help="How the strength remembers.",
    )
    j: float = number(1.04, label="J", low=0.01, high=100.0, help="Weight of the newest game in the running mean.")
    score_transform: str = choice(
        "none",
        {"none": "scores count as they are", "erf": "400 · erf(score / 400) (May 2004)"},
        label="Scores",
        help="How a score counts for the strength.",
    )
    newcomer_count: str = choice(
        "before",
        {"before": "games before this one", "including": "this game counts, too", "off": "no damping"},
        label="Newcomers' games",
        help="Which games count for the damping of a newcomer's strength.",
        source="R5",
    )
    newcomer_games: float = number(
        5,
        label="Newcomer for",
        low=1,
        high=1000,
        unit="games",
        whole=True,
        help="From then on a strength counts in full.",
    )
    zero_sum: str = choice(
        "table",
        {"table": "the players of the game", "league": "every player with a game so far", "none": "nobody"},
        label="Who shares the adjustment",
        help="Who pays, in equal shares, what a game adds to the sum of all strengths.",
    )
    demand_total: str = choice(
        "no",
        {"no": "scores may have any sum", "yes": "the scores must have the total below"},
        label="Demand a total",
        help="Whether a sheet with another sum of scores is refused.",
    )
    total: float = number(
        0.0, label="Total", low=-1e6, high=1e6, unit="points", help="The sum that the scores must have."
    )

    def start(self) -> list[float]:
        """Return the state of a newcomer."""
        return [0.0]

    def moves_everybody(self) -> bool:
        """Tell whether players who are not at the table share the adjustment."""
        return self.zero_sum == "league"

    def check_more(self, sheet: Sheet) -> list[Refusal]:
        """Refuse scores of another sum than the league demands."""
        total = math.fsum(score for score in sheet.scores if score is not None)
        if self.demand_total == "no" or abs(total - self.total) < 1e-9:
            return []
        return [Refusal("total", f"The scores must sum to {self.total:g}; these sum to {total:g}.")]
