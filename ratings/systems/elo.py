"""Elo for two or more players: every pair of players is compared, and K is split over the opponents.

Source: A. E. Elo, The Rating of Chessplayers, Past and Present (1978); for more than two players the
pairwise extension that the Durak score also uses (weight K / (n - 1) per pair). A side of several players counts as one
player with their mean rating, whose change each of them gets.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ratings.contract.curves import expected, expected_of_each, expected_of_two
from ratings.contract.orders import actual, has_all_scores
from ratings.contract.parameters import choice, newcomer_rating, number, winner_choice
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
from ratings.texts import N_, say, say_many

#: The sentences about a change if the team of the first seat has points.
TOLD_FIRST_SEAT = N_(
    "With {first_seat} points for the team of the first seat and a rating of {side_rating:1}, {name} was "
    "expected to score {mean_e:%} of the points, and scored {mean_a:%}: {mean_a−mean_e:%}."
)
SUPPOSED_FIRST_SEAT = N_(
    "With {first_seat} points for the team of the first seat and a rating of {side_rating:1}, {name} is "
    "expected to score {mean_e:%} of the points, and would score {mean_a:%}: {mean_a−mean_e:%}."
)

K, SCALE, PROVISIONAL_GAMES, PROVISIONAL_K, INITIAL, TOP_RATING, TOP_K, MARGIN, FIRST_SEAT = range(9)
NONE, LOGARITHM = range(2)
P_RESULT, P_EXPECTATION = range(2)
F_K, MEAN_A, MEAN_E, SIDE_RATING = range(4)
A, E = range(2)
SIDE = 2
(WEIGHT,) = range(1)
#: Maximum rating difference used with margins, so that the quotient stays above 0.
FARTHEST_APART = 1000.0


def side_rating(i: int, n: int, before: Rows, results: Rows) -> float:
    """Return the mean rating of the players on a seat's side."""
    total, count = 0.0, 0.0
    for j in range(n):
        if results[j][SIDE] == results[i][SIDE]:
            total += before[j][0]
            count += 1.0
    return total / count


def _add_comparison(i: int, j: int, a: float, e: float, results: Rows, figures: Rows, pairs: list[Rows]) -> None:
    """Add a seat's actual and expected score against another side; each side counts once."""
    pairs[i][j][A], pairs[i][j][E] = a, e
    if results[j][SIDE] == j:
        figures[i][MEAN_A] += a
        figures[i][MEAN_E] += e


def multiplier(n: int, results: Rows, parameters: list[float], figures: Rows) -> float:
    """Return the factor of K for the margin between two sides, 1 after a draw."""
    other = 0
    for i in range(n):
        if results[i][SIDE] != 0.0:
            other = i
    margin = results[0][0] - results[other][0]
    if margin == 0.0:
        return 1.0
    difference = figures[0][SIDE_RATING] + parameters[FIRST_SEAT] - figures[other][SIDE_RATING]
    difference = min(max(difference if margin > 0.0 else 0.0 - difference, 0.0 - FARTHEST_APART), FARTHEST_APART)
    return math.log(1.0 + abs(margin)) * 2.2 / (0.001 * difference + 2.2)


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Compare every pair of sides; see ``ratings.contract.system``."""
    scored = has_all_scores(n, results)
    opponents = -1.0
    for i in range(n):
        pairs[i][i][A], pairs[i][i][E] = 0.5, 0.5
        figures[i][MEAN_A], figures[i][MEAN_E] = 0.0, 0.0
        figures[i][SIDE_RATING] = side_rating(i, n, before, results)
        if results[i][SIDE] == i:
            opponents += 1.0
    for i in range(n):
        ahead = parameters[FIRST_SEAT] if results[i][SIDE] == 0.0 else 0.0
        for j in range(i + 1, n):
            if results[i][SIDE] != results[j][SIDE]:
                a = actual(results[i][0], results[j][0]) if scored else actual(results[j][1], results[i][1])
                behind = parameters[FIRST_SEAT] if results[j][SIDE] == 0.0 else 0.0
                rating, opponent_rating = figures[i][SIDE_RATING] + ahead, figures[j][SIDE_RATING] + behind
                expectation, opponent_expectation = expected_of_two(rating, opponent_rating, parameters[SCALE])
                _add_comparison(i, j, a, expectation, results, figures, pairs)
                _add_comparison(j, i, 1.0 - a, opponent_expectation, results, figures, pairs)
            else:
                pairs[i][j][A], pairs[i][j][E], pairs[j][i][A], pairs[j][i][E] = 0.5, 0.5, 0.5, 0.5
    factor = fields[WEIGHT]
    if parameters[MARGIN] == LOGARITHM and scored and opponents == 1.0:
        factor *= multiplier(n, results, parameters, figures)
    for i in range(n):
        k = _choose_k(before[i][0], games[i], parameters) * factor
        weight = k / opponents
        parts[i][P_RESULT] = weight * (figures[i][MEAN_A] - 0.5 * opponents)
        parts[i][P_EXPECTATION] = weight * (0.5 * opponents - figures[i][MEAN_E])
        figures[i][F_K] = k
        figures[i][MEAN_A] /= opponents
        figures[i][MEAN_E] /= opponents


def _choose_k(rating: float, games: float, parameters: list[float]) -> float:
    """Return the K of a player with this rating and number of games."""
    if games < parameters[PROVISIONAL_GAMES]:
        return parameters[PROVISIONAL_K]
    return parameters[TOP_K] if 0.0 < parameters[TOP_RATING] <= rating else parameters[K]


def zero_sum(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether the changes sum to zero; with two values of K at one table they need not."""
    return system.provisional_games > 0 or system.top_rating > 0 or abs(math.fsum(changes)) < 1e-9


@dataclass(frozen=True, kw_only=True)
class Elo(RatingSystem):
    """Elo, pairwise, for two or more players."""

    key: ClassVar[str] = "elo"
    title: ClassVar[str] = N_("Elo")
    summary: ClassVar[str] = N_(
        "You win points when you do better than your rating predicts and lose points when "
        "you do worse; what one player wins, the others lose. Beating a strong opponent is "
        "worth more than beating a weak one. With more than two players, every pair is "
        "compared."
    )
    headline: ClassVar[str] = N_("Win more than your rating predicts and it rises; your opponents pay.")
    source: ClassVar[str] = N_(
        "A. E. Elo, The Rating of Chessplayers, Past and Present (1978); for more than two "
        "players pairwise, K / (n − 1) per pair"
    )
    formula: ClassVar[str] = (
        "A_ij = 1 for a win, ½ for a draw, 0 for a loss\n"
        "E_ij = 1 / (1 + 10^((R_j − R_i) / 400))\n"
        "change_i = Σ_j K / (n − 1) · (A_ij − E_ij), K = 20"
    )
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = MAX_PLAYERS
    score: ClassVar[Use] = "either"
    place: ClassVar[Use] = "either"
    ties: ClassVar[bool] = True
    sides: ClassVar[bool] = True
    weights: ClassVar[bool] = True
    seat_order_matters: ClassVar[str] = N_("first_seat adds this many points to the first seat's team in E.")
    parts: ClassVar[tuple[ChangePart, ...]] = (
        ChangePart(
            "result",
            "Σ w(A − ½)",
            N_("From the result"),
            N_("The result of the game: wins, draws and losses."),
            N_("result"),
        ),
        build_expectation_part("Σ w(½ − E)"),
    )
    figures: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("k", "K", N_("K with all multipliers")),
        FormulaFigure("mean_a", N_("mean A"), N_("Actual score, mean over the opponents")),
        FormulaFigure("mean_e", N_("mean E"), N_("Expected score, mean over the opponents")),
        FormulaFigure(
            "side_rating", N_("R of the team"), N_("Average rating of the players in this team"), of_sides=True
        ),
    )
    pairs: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("a", "A_ij", N_("Actual score against the opponent")),
        FormulaFigure("e", "E_ij", N_("Expected score against the opponent")),
    )
    performance: ClassVar[str] = "mean_a"
    performance_label: ClassVar[str] = N_("Mean A")
    expectation: ClassVar[str] = "mean_e"
    filled: ClassVar[str] = "k × (mean_a − mean_e)"
    told: ClassVar[str] = N_(
        "With a rating of {side_rating:1}, {name} was expected to score {mean_e:%} of the points, and scored "
        "{mean_a:%}: {mean_a−mean_e:%}."
    )
    supposed: ClassVar[str] = N_(
        "With a rating of {side_rating:1}, {name} is expected to score {mean_e:%} of the points, and would score "
        "{mean_a:%}: {mean_a−mean_e:%}."
    )
    score_label: ClassVar[str] = N_("Rating")
    score_help: ClassVar[str] = N_("The leaderboard shows the rating itself.")
    decimals: ClassVar[int] = 1
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R105",
            N_("Scores and places on one sheet"),
            N_(
                "If every seat has a score, the scores count, and “winner” determines which is "
                "better; otherwise the places count. A sheet with contradictory scores and places "
                "(even if only one of them is a tie) is rejected."
            ),
        ),
        Ruling(
            "R127",
            N_("Teams"),
            N_(
                "A team counts as one player with the average rating of its members: n is the number "
                "of teams, and each member changes as that player would, with their own K. A game's "
                "weight multiplies K."
            ),
        ),
        Ruling(
            "R130",
            N_("K by games and by rating"),
            N_(
                "Under FIDE's rules (8.3.3) K stays at 10 once a rating has reached 2400, even if it "
                "falls below again. Here the rating before the game decides, so that a rating "
                "depends only on what its game's page shows; provisional games take precedence. "
                "FIDE's special K for juniors, and for many games in a period, is not supported."
            ),
            "top_rating",
        ),
        Ruling(
            "R131",
            N_("Margin of victory, and the first seat"),
            N_(
                "The factor is FiveThirtyEight's. The margin counts in games of two teams with "
                "scores; draws have no margin and count as usual. Rating differences are limited to "
                "1000 here, so that nothing is divided by 0 or less. The first seat's advantage "
                "applies to its whole team, in the expectation and in the factor only."
            ),
            "margin",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("provisional", N_("K is 40 in a player's first 30 games, then 20"), {"provisional_games": 30}),
        Preset("fide", N_("FIDE: K is 40, 20 and 10"), {"provisional_games": 30, "top_rating": 2400}),
        Preset("margin", N_("The margin of victory counts"), {"margin": "logarithm"}),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("Two equal players"),
            sheet=GameSheet(scores=(1, 0), places=(None, None)),
            before=(1500, 1500),
            after=(1510, 1490),
            changes=(10, -10),
            figures={"k": (20, 20), "mean_a": (1, 0), "mean_e": (0.5, 0.5)},
            note=N_("Calculated by hand."),
        ),
        WorkedExample(
            title=N_("400 points apart: ten to one"),
            sheet=GameSheet(scores=(1, 0), places=(None, None)),
            before=(1900, 1500),
            parameters={"k": 33},
            after=(1903, 1497),
            changes=(3, -3),
            figures={"mean_e": (0.9090909090909091, 0.09090909090909091)},
            tolerance=1e-9,
            note=N_("Calculated by hand: the favourite's expected score is 10/11."),
        ),
        WorkedExample(
            title=N_("Three players, the first two share the win"),
            sheet=GameSheet(scores=(None, None, None), places=(1, 1, 3)),
            before=(1600, 1500, 1400),
            after=(1601.0018807354916, 1505, 1393.9981192645084),
            changes=(1.0018807354915707, 5, -6.001880735491571),
            figures={"mean_a": (0.75, 0.75, 0), "mean_e": (0.6999059632254215, 0.5, 0.30009403677457854)},
            tolerance=1e-9,
            note=N_("Computed independently with 40-digit precision."),
        ),
        WorkedExample(
            title=N_("Two against two"),
            sheet=GameSheet(scores=(1, 1, 0, 0), places=(None,) * 4, sides=(1, 1, 2, 2)),
            before=(1800, 1600, 1200, 1400),
            parameters={"k": 33},
            changes=(3, 3, -3, -3),
            figures={"side_rating": (1700, 1700, 1300, 1300)},
            tolerance=1e-9,
            note=N_(
                "Calculated by hand: the teams' averages are 400 points apart, so the favourites' "
                "expected score is 10/11."
            ),
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        Check(N_("Expected score of 1500 against 1500"), lambda: expected(1500, 1500, 400), 0.5),
        Check(N_("Expected score of 1700 against 1500"), lambda: expected(1700, 1500, 400), 0.7597469266479579, 1e-15),
    )
    laws: ClassVar[tuple[Law, ...]] = (
        Law(
            "zero_sum", N_("With one K for all players, what one player wins the others lose."), zero_sum, uneven=False
        ),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    k: float = number(
        20, label="K", low=0, high=400, unit=N_("points"),
        help=N_("The maximum change per game, split evenly over the opponents."),
    )  # fmt: skip
    scale: float = number(
        400,
        label=N_("Rating scale"),
        low=1,
        high=10_000,
        unit=N_("points"),
        help=N_("A difference of this many points means odds of ten to one."),
    )
    provisional_games: float = number(
        0, label=N_("Provisional games"), low=0, high=1000, unit=N_("games"), whole=True,
        help=N_("Number of a player's first games that use a different K."),
    )  # fmt: skip
    provisional_k: float = number(
        40, label=N_("K for first games"), low=0, high=400, unit=N_("points"),
        help=N_("The K used in a player's provisional games."),
    )  # fmt: skip
    initial: float = newcomer_rating(1500)
    top_rating: float = number(
        0, label=N_("High ratings from"), low=0, high=10_000, unit=N_("points"), source="R130",
        help=N_("At or above this rating another K is used; 0: never."),
    )  # fmt: skip
    top_k: float = number(
        10,
        label=N_("K for high ratings"),
        low=0,
        high=400,
        unit=N_("points"),
        help=N_("The K used at or above that rating."),
    )
    margin: str = choice(
        "none", {"none": N_("ignored"), "logarithm": N_("larger wins count more (logarithmically)")},
        label=N_("Margin of victory"), help=N_("How the margin counts in a game of two teams."), source="R131",
    )  # fmt: skip
    first_seat: float = number(
        0, label=N_("First-seat advantage"), low=-1000, high=1000, unit=N_("points"),
        help=N_("Advantage of playing at home or with white, in rating points added to the expectation."),
        source="R131",
    )  # fmt: skip
    winner: str = winner_choice()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        k = f"K = {format_plain(self.k)}"
        if self.provisional_games:
            k = say_many(
                "K = {first_k} in a player's first {count} game, then {k}",
                "K = {first_k} in a player's first {count} games, then {k}",
                self.provisional_games,
                first_k=format_plain(self.provisional_k),
                count=format_plain(self.provisional_games),
                k=format_plain(self.k),
            )
        if self.top_rating:
            top = say("{k} from a rating of {rating}", k=format_plain(self.top_k), rating=format_plain(self.top_rating))
            k = f"{k}, {top}"
        lines = [say("A_ij = 1 for a win, ½ for a draw, 0 for a loss")]
        if self.first_seat:
            lines.append(say("in E the first seat's R is R + {points}", points=format_plain(self.first_seat)))
        lines.append(f"E_ij = 1 / (1 + 10^((R_j − R_i) / {format_plain(self.scale)}))")
        lines.append(f"change_i = Σ_j K / (n − 1) · (A_ij − E_ij), {k}")
        if self.margin == "logarithm":
            template = N_("K is multiplied by ln(1 + margin) · 2.2 / (0.001 · (winner's R − loser's R) + 2.2)")
            lines.append(say(template))
        formula = "\n".join(lines)
        summary = self.summary
        summary_of_two = N_(
            "You win points when you do better than your rating predicts and lose points when you do worse; what one "
            "player wins, the other loses. Beating a strong opponent is worth more than beating a weak one."
        )
        if self.provisional_games or self.top_rating:
            # With two values of K at one table the changes need not sum to zero.
            summary = N_(
                "You win points when you do better than your rating predicts and lose points when "
                "you do worse. Beating a strong opponent is worth more than beating a weak one. With "
                "more than two players, every pair is compared."
            )
            summary_of_two = N_(
                "You win points when you do better than your rating predicts and lose points when you do worse. "
                "Beating a strong opponent is worth more than beating a weak one."
            )
        wording = replace(super().wording(), summary=summary, summary_of_two=summary_of_two, formula=formula)
        if not self.first_seat:
            return wording
        parts = tuple(
            replace(
                part,
                label=N_("Difference of ratings and first seat's points"),
                words=N_("from the difference of ratings and first seat's points"),
            )
            if part.key == "expectation"
            else part
            for part in wording.parts
        )
        return replace(wording, parts=parts, told=TOLD_FIRST_SEAT, supposed=SUPPOSED_FIRST_SEAT)

    def curve_cases(self, kind: CurveKind) -> tuple[CurveCase, ...]:
        """Return the values of K: those in force, or half and double of the only one."""
        if kind == "expectation":
            return (CurveCase(),)
        usual = CurveCase(f"K = {format_plain(self.k)}", games=int(self.provisional_games))
        if not self.provisional_games:
            return usual, *(CurveCase(f"K = {format_plain(k)}", {"k": k}) for k in (self.k * 2.0, self.k / 2.0))
        first = say("at first K = {k}", k=format_plain(self.provisional_k))
        return usual, CurveCase(first, games=0)

    def expected_of_two(self, mine: Sequence[float], theirs: Sequence[float]) -> float:
        """Return E, the curve that rates pairs."""
        return expected(mine[0], theirs[0], self.scale)

    def expected_of_pairs(self, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return E for columns of pairs."""
        return expected_of_each(mine[:, 0], theirs[:, 0], self.scale)

    def as_one(self, sides: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each side's mean rating."""
        means: NDArray[np.float64] = np.mean(sides, axis=1)
        return means

    def start(self) -> list[float]:
        """Return a newcomer's state."""
        return [float(self.initial)]

    def provisional(self, state: Sequence[float], games: int) -> bool:
        """Return whether a player's next game is provisional."""
        return games < self.provisional_games
