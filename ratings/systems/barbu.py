"""Barbu: a decaying playing strength, adjusted so that the table (or the league) sums to zero.

Source: "How the rating system works", the online Barbu ladder, with its four earlier regimes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ratings.contract.declarations import check_total
from ratings.contract.parameters import choice, number, winner_choice
from ratings.contract.system import (
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
    Refusal,
    Rows,
    Ruling,
    StateField,
    Use,
    WorkedExample,
)
from ratings.contract.wording import Wording, format_plain
from ratings.texts import N_, localize_text, say, say_many

HALF_LIFE, STRENGTH, J, SCORE_TRANSFORM, NEWCOMER_COUNT, NEWCOMER_GAMES, ZERO_SUM = range(7)
P_SCORE, P_OPPONENTS, P_STRENGTH, P_ADJUSTMENT = range(4)
N, DAMPED, OPPONENTS, EXPECTED, SCORED, ADJUSTED, LADDER, DECAY, WEIGHT, STAR, GAINED, SHARERS = range(12)
HALVING, RUNNING_MEAN_J = range(2)
T_NONE, T_ERF_400 = range(2)
BEFORE, INCLUDING, OFF = range(3)
TABLE, LEAGUE, Z_NONE = range(3)

#: Texts by the value of a parameter: the formula of a_j, the formula of the adjustment, and its summary.
SAYS_DAMPED = {
    "before": N_("a_j = R_j · min(n_j, {games}) / {games}, n_j games before this one"),
    "including": N_("a_j = R_j · min(n_j, {games}) / {games}, n_j games, including this one"),
    "off": "a_j = R_j",
}
SAYS_SHARED = {
    "table": N_("R_i := R*_i − Σ_k (R*_k − R_k) / N, N = 4 players share"),
    "league": N_(
        "R_i := R*_i − Σ_k (R*_k − R_k) / N, N = all players with a game so far; players not at the table pay the "
        "same share"
    ),
    "none": "R_i := R*_i",
}
SAYS_GAIN = {
    "table": N_("The total gain of the four players is subtracted in equal shares, so a strength of 0 is average."),
    "league": N_(
        "The total gain of the four players is subtracted in equal shares from everyone with a game so far, so a "
        "strength of 0 is average."
    ),
    "none": N_("The total gain or loss of a game is not corrected."),
}
TOLD_COUNTED = N_(
    "With a strength of {rating:2}, the expected score against these three is "
    "{expected:1}. {name} scored {points}, which counts as {scored:1}, "
    "{scored−expected:1}. This was {name}'s game {n:0}, so it weighs {weight:%}."
)
SUPPOSED_COUNTED = N_(
    "With a strength of {rating:2}, the expected score against these three is "
    "{expected:1}. {name} would score {points}, which would count as {scored:1}, "
    "{scored−expected:1}. This would be {name}'s game {n:0}, so it would weigh {weight:%}."
)

#: Tolerance for a zero sum of changes: the rounding error of the largest scores that a sheet may have.
LAST_BITS = 1e-5


def damping(games: float, parameters: list[float]) -> float:
    """Return the share of a player's strength, 0 to 1, that counts for the opponents; below 1 for newcomers."""
    if parameters[NEWCOMER_COUNT] == OFF:
        return 1.0
    counted = games + 1.0 if parameters[NEWCOMER_COUNT] == INCLUDING else games
    return min(counted, parameters[NEWCOMER_GAMES]) / parameters[NEWCOMER_GAMES]


def decay(parameters: list[float]) -> float:
    """Return K, the factor applied to the weight of older games with each game; 1 without decay."""
    return 1.0 if parameters[STRENGTH] == RUNNING_MEAN_J else math.pow(0.5, 1.0 / parameters[HALF_LIFE])


def _weight_of_game(n: float, k: float, parameters: list[float]) -> float:
    """Return the weight of the n-th game in R*; k is the decay.

    Both regimes are R* = R + weight · (S − R): K · R · (1 − K^(n−1)) + (1 − K) · S is
    (1 − K^n) · R + (1 − K) · (S − R), and (n − 1) · R + J · S is (n + J − 1) · R + J · (S − R).
    """
    if parameters[STRENGTH] == RUNNING_MEAN_J:
        return parameters[J] / (n + parameters[J] - 1.0)
    return (1.0 - k) / (1.0 - math.pow(k, n))


def sharers(n: int, parameters: list[float], pool: list[float]) -> float:
    """Return the number of players who share the zero-sum adjustment; 0 if there is none."""
    if parameters[ZERO_SUM] == TABLE:
        return float(n)
    return pool[1] if parameters[ZERO_SUM] == LEAGUE else 0.0


def adjust_scores(
    n: int, before: Rows, games: list[float], results: Rows, parameters: list[float], figures: Rows
) -> None:
    """Fill in the adjusted scores S and their components."""
    for i in range(n):
        figures[i][N] = games[i] + 1.0
        figures[i][DAMPED] = before[i][0] * damping(games[i], parameters)
    for i in range(n):
        score = results[i][0]
        total = 0.0
        for j in range(n):
            if j != i:
                total += figures[j][DAMPED]
        opponents = total / (n - 1)
        scored = 400.0 * math.erf(score / 400.0) if parameters[SCORE_TRANSFORM] == T_ERF_400 else score
        figures[i][OPPONENTS], figures[i][EXPECTED] = opponents, before[i][0] - opponents
        figures[i][SCORED] = scored
        figures[i][ADJUSTED] = scored + opponents
        # The regime of May 2004 uses a bad score unchanged for the ladder.
        figures[i][LADDER] = scored + opponents if score > 0.0 else score + opponents


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Move strengths towards the adjusted scores; see ``ratings.contract.system``."""
    adjust_scores(n, before, games, results, parameters, figures)
    k, gained = decay(parameters), 0.0
    for i in range(n):
        weight = _weight_of_game(figures[i][N], k, parameters)
        parts[i][P_SCORE] = weight * figures[i][SCORED]
        parts[i][P_OPPONENTS] = weight * figures[i][OPPONENTS]
        parts[i][P_STRENGTH] = 0.0 - weight * before[i][0]
        change = parts[i][P_SCORE] + parts[i][P_OPPONENTS] + parts[i][P_STRENGTH]
        figures[i][DECAY], figures[i][WEIGHT] = k, weight
        figures[i][STAR] = before[i][0] + change
        gained += change
    sharing = sharers(n, parameters, pool)
    share = 0.0 if parameters[ZERO_SUM] == Z_NONE else gained / sharing
    if parameters[ZERO_SUM] == LEAGUE:
        pool[0] -= share
    for i in range(n):
        figures[i][GAINED], figures[i][SHARERS] = gained, sharing
        parts[i][P_ADJUSTMENT] = 0.0 - share


def zero_sum(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether the changes of the table sum to zero, in regimes that require it."""
    # Huge scores cancel, leaving their rounding error in small changes.
    return system.zero_sum != "table" or abs(math.fsum(changes)) <= LAST_BITS


def expected_score(rating: float, opponents: Sequence[float]) -> float:
    """Return the score that would leave a player's strength unchanged, among four experienced players."""
    states = [[rating], *([opponent] for opponent in opponents)]
    figures = [[0.0] * (SHARERS + 1) for _ in states]
    adjust_scores(len(states), states, [100.0] * 4, [[0.0, 0.0]] * 4, Barbu().encoded(), figures)
    return figures[0][EXPECTED]


@dataclass(frozen=True, kw_only=True)
class Barbu(RatingSystem):
    """Decaying playing strength."""

    key: ClassVar[str] = "barbu"
    title: ClassVar[str] = N_("Barbu")
    summary: ClassVar[str] = localize_text(
        "Your strength is an average of your scores, each raised or lowered by the strength "
        "of your opponents. Recent games count most: after 100 more games, a game's weight "
        "is halved. The total gain of the four players is subtracted in equal shares, so a "
        "strength of 0 is average.",
        lambda: " ".join(Barbu().sentences()),
    )
    headline: ClassVar[str] = N_("The average of your scores, adjusted for your opponents; the newest count most.")
    source: ClassVar[str] = N_("“How the rating system works”, the online Barbu ladder")
    formula: ClassVar[str] = (
        "K = 0.5^(1/100), n includes this game\na_j = R_j · min(n_j, 5) / 5, n_j games before "
        "this one\nS_i = score_i + mean of a_j over the three opponents\nR*_i = (K · R_i · (1 "
        "− K^(n−1)) + (1 − K) · S_i) / (1 − K^n)\n     = R_i + w · (S_i − R_i), w = (1 − K) / "
        "(1 − K^n)\nR_i := R*_i − Σ_k (R*_k − R_k) / N, N = 4 players share"
    )
    min_players: ClassVar[int] = 4
    max_players: ClassVar[int] = 4
    score: ClassVar[Use] = "required"
    place: ClassVar[Use] = "optional"
    ties: ClassVar[bool] = True
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", N_("Strength")),)
    parts: ClassVar[tuple[ChangePart, ...]] = (
        ChangePart(
            "score", "w · score", N_("Score"), N_("The weight of this game times the score."), N_("score")
        ),
        ChangePart("opponents", N_("w · mean a_j"), N_("Opponents' strength"),
             N_("The weight times the average strength of the opponents."), N_("opponents' strength")),
        ChangePart("strength", "−w · R", N_("Strength so far"),
             N_("The weight times the strength before the game, subtracted."), N_("strength so far")),
        ChangePart("adjustment", "−Σ(R* − R)/N", N_("Zero-sum correction"),
             N_("An equal share of the table's total gain."), N_("zero-sum correction"), unearned=True),
    )  # fmt: skip
    figures: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("n", "n", N_("Games, including this one")),
        FormulaFigure("damped", "a", N_("Strength used for opponents")),
        FormulaFigure("opponents", N_("mean a_j"), N_("Opponents' average strength")),
        FormulaFigure("expected", N_("R − mean a_j"), N_("Expected score (at which S equals R)")),
        FormulaFigure("scored", "score", N_("Score used for the strength")),
        FormulaFigure("adjusted", "S", N_("Adjusted score")),
        FormulaFigure("ladder", N_("S (ladder)"), N_("Score used for the ladder")),
        FormulaFigure("decay", "K", N_("Share of its weight an older game keeps after each new one")),
        FormulaFigure("weight", "w", N_("Weight of this game: R* = R + w · (S − R)")),
        FormulaFigure("star", "R*", N_("Strength before the zero-sum correction")),
        FormulaFigure("gained", "Σ(R* − R)", N_("Total gain of the table")),
        FormulaFigure("sharers", "N", N_("Players who share the correction")),
    )
    performance: ClassVar[str] = "ladder"
    performance_label: ClassVar[str] = N_("Adjusted score")
    expectation: ClassVar[str] = "expected"
    expects: ClassVar[str] = "scored"
    filled: ClassVar[str] = "(scored + opponents − rating) × weight + adjustment?"
    told: ClassVar[str] = N_(
        "With a strength of {rating:2}, the expected score against these three is "
        "{expected:1}. {name} scored {points}, {points−expected:1}. This was {name}'s game {n:0}, so "
        "it weighs {weight:%}."
    )
    supposed: ClassVar[str] = N_(
        "With a strength of {rating:2}, the expected score against these three is "
        "{expected:1}. {name} would score {points}, {points−expected:1}. This would be {name}'s game {n:0}, so "
        "it would weigh {weight:%}."
    )
    score_label: ClassVar[str] = N_("Strength")
    score_help: ClassVar[str] = N_("The leaderboard shows the playing strength.")
    decimals: ClassVar[int] = 2
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling("R4", N_("Decay"), N_("The printed “0.51/100” is 0.5^(1/100): a game counts half after 100 games."),
               "half_life"),
        Ruling("R5", N_("Newcomers"),
               N_("The damping counts the games before this one: min(n, 5)/5. Including this game, or "
                  "no damping, are available as options."),
               "newcomer_count"),
        Ruling("R6", N_("The ladder of April 2005"),
               N_("The formula is garbled in the source; read as mean · √g / (4 · 0.05^(−1/g)) + 1000.")),
        Ruling("R7", N_("Negative averages"),
               N_("The games factor raises a negative average, although the text says that it reduces it; "
                  "we keep the formula.")),
        Ruling("R116", N_("Equal shares"),
               N_("The four share their total gain equally; if they gain nothing, the share is 0."),
               "zero_sum"),
        Ruling("R117", N_("The switch of May 2004"),
               N_("The source does not say what happened to the strengths: they and the games are "
                  "kept, and the calculation continues."),
               "strength"),
    )  # fmt: skip
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("2004-01", N_("January 2004: running mean"), {"strength": "running_mean_j", "zero_sum": "none"},
               "2004-01-01"),
        Preset("2004-05", N_("May 2004: half-life 20, scores transformed by erf"),
               {"half_life": 20.0, "score_transform": "erf_400", "zero_sum": "none"}, "2004-05-01"),
        Preset("2005-04", N_("April 2005: half-life 100, everyone shares the correction"),
               {"zero_sum": "league"}, "2005-04-01"),
        Preset("2005-06", N_("June 2005: the same, with erf applied to the number of games on the ladder"),
               {"zero_sum": "league"}, "2005-06-01"),
        Preset("2013-01", N_("January 2013: the players of the game share the correction"), {}, "2013-01-01"),
    )  # fmt: skip
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("+300 against −60, −40 and +10 is an adjusted score of 270"),
            sheet=GameSheet(scores=(300, -100, -100, -100), places=(None,) * 4),
            before=(0, -60, -40, 10),
            games=(100, 100, 100, 100),
            figures={"adjusted": (270, -110, -350 / 3, -400 / 3)},
            note=N_("The source gives the 270; the other three are computed."),
            printed=True,
        ),
        WorkedExample(
            title=N_("A newcomer among three players with a hundred games"),
            sheet=GameSheet(scores=(90, 30, -40, -80), places=(None,) * 4),
            before=(0, 0, 0, 0),
            games=(0, 100, 100, 100),
            after=(67.8087053219136546, -21.7796875822014727, -22.7401041392661758, -23.2889136004460061),
            figures={"star": (90, 0.411607095884872748, -0.548809461179830331, -1.09761892235966066)},
            tolerance=1e-12,
            note=N_(
                "Calculated by hand. A first game counts in full, so the table gains 88.77 and each "
                "player gives back 22.19."
            ),
        ),
        WorkedExample(
            title=N_("January 2004: the running mean"),
            sheet=GameSheet(scores=(50, -10, -10, -30), places=(None,) * 4),
            before=(20, 10, 0, -10),
            games=(3, 3, 3, 3),
            parameters={"strength": "running_mean_j", "zero_sum": "none"},
            after=(112 / 4.04, 21.68 / 4.04, -6.24 / 4.04, -54.96 / 4.04),
            figures={"damped": (12, 6, 0, -6), "adjusted": (50, -8, -6, -24)},
            tolerance=1e-12,
            note=N_("Calculated by hand. A fourth game: R = (3 · R + 1.04 · S) / 4.04."),
        ),
        WorkedExample(
            title=N_("May 2004: four first games, scores transformed by erf"),
            sheet=GameSheet(scores=(400, 200, 100, -100), places=(None,) * 4),
            before=(0, 0, 0, 0),
            parameters={"half_life": 20, "score_transform": "erf_400", "zero_sum": "none"},
            after=(337.080317179885948, 208.199951125218615, 110.530556067294773, -110.530556067294773),
            figures={"ladder": (337.080317179885948, 208.199951125218615, 110.530556067294773, -100)},
            tolerance=1e-12,
            note=N_("Calculated by hand: 400 times the value of erf. The ladder uses the negative score unchanged."),
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        Check(
            N_("+20 against 10, 0, −10: expected score +20"), lambda: expected_score(20, (10, 0, -10)), 20, 1e-12, True
        ),
        Check(
            N_("+20 against 20, 80, −10: expected score −10"),
            lambda: expected_score(20, (20, 80, -10)),
            -10,
            1e-12,
            True,
        ),
    )
    laws: ClassVar[tuple[Law, ...]] = (
        Law("zero_sum", N_("If the four players share the correction, the changes of a game sum to zero."), zero_sum),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    half_life: float = number(
        100.0, label=N_("Half-life"), low=1.0, high=10_000.0, unit=N_("games"), source="R4",
        help=N_("Number of games after which a game's weight has halved."),
    )  # fmt: skip
    strength: str = choice(
        "halving",
        {"halving": N_("older games decay by the half-life"),
         "running_mean_j": N_("a running mean with J (January 2004)")},
        label=N_("Strength"), help=N_("How older games are weighted."),
    )  # fmt: skip
    j: float = number(1.04, label="J", low=0.01, high=100.0, help=N_("Weight of the newest game in the running mean."))
    score_transform: str = choice(
        "none",
        {"none": N_("scores count as they are"), "erf_400": N_("400 · erf(score / 400) (May 2004)")},
        label=N_("Scores"), help=N_("How scores are transformed. For the ladder, only positive scores are."),
    )  # fmt: skip
    newcomer_count: str = choice(
        "before",
        {"before": N_("games before this one"), "including": N_("this game as well"), "off": N_("no damping")},
        label=N_("Newcomers' games"), help=N_("Which games count for the damping of a newcomer's strength."),
        source="R5",
    )  # fmt: skip
    newcomer_games: float = number(
        5, label=N_("Newcomer for"), low=1, high=1000, unit=N_("games"), whole=True,
        help=N_("After this many games a strength counts in full."),
    )  # fmt: skip
    zero_sum: str = choice(
        "table",
        {"table": N_("the players of the game"), "league": N_("every player with a game so far"), "none": N_("none")},
        label=N_("Who shares the correction"),
        help=N_("Which players give back, in equal shares, the total gain of a game."),
    )  # fmt: skip
    demand_total: str = choice(
        "no", {"no": N_("any total"), "yes": N_("the total below")},
        label=N_("Require a fixed total"), help=N_("Whether games with a different total are rejected."),
    )  # fmt: skip
    total: float = number(
        0.0, label=N_("Total"), low=-1e6, high=1e6, unit=N_("points"), help=N_("The required sum of the scores.")
    )
    winner: str = winner_choice()

    def start(self) -> list[float]:
        """Return a newcomer's state."""
        return [0.0]

    def wording(self) -> Wording:
        """Return the texts for these parameters; each regime has its own formula."""
        halving, erf = self.strength == "halving", self.score_transform == "erf_400"
        score_term = "400 · erf(score_i / 400)" if erf else "score_i"
        top, weight = ("(1 − K)", "(1 − K^n)") if halving else ("J", "(n + J − 1)")
        rating_term = "K · R_i · (1 − K^(n−1))" if halving else "(n − 1) · R_i"
        ladder = N_("for the ladder the same if score_i > 0, else S_i = score_i + mean of a_j")
        decay = f"K = 0.5^(1/{format_plain(self.half_life)})" if halving else f"J = {format_plain(self.j)}"
        lines = [
            say("{decay}, n includes this game", decay=decay),
            say(SAYS_DAMPED[self.newcomer_count], games=format_plain(self.newcomer_games)),
            say("S_i = {score} + mean of a_j over the three opponents", score=score_term),
            *[say(ladder)] * erf,
            f"R*_i = ({rating_term} + {top} · S_i) / {weight}",
            f"     = R_i + w · (S_i − R_i), w = {top} / {weight}",
            say(SAYS_SHARED[self.zero_sum]),
        ]
        wording = replace(super().wording(), summary=" ".join(self.sentences()), formula="\n".join(lines))
        # The counted score differs from the score on the sheet.
        counted = erf or self.lowest_score_wins()
        return replace(wording, told=TOLD_COUNTED, supposed=SUPPOSED_COUNTED) if counted else wording

    def sentences(self) -> list[str]:
        """Return the summary's sentences."""
        first = say(
            "Your strength is an average of your scores, each raised or lowered by the strength of your opponents."
        )
        recent = say_many(
            "Recent games count most: after {count} more game, a game's weight is halved.",
            "Recent games count most: after {count} more games, a game's weight is halved.",
            self.half_life, count=format_plain(self.half_life),
        )  # fmt: skip
        if self.strength == "running_mean_j":
            recent = say(
                "All games count equally, except the newest one, which counts {j} times.", j=format_plain(self.j)
            )
        large = [say("The higher a score, the less its last points count.")]
        return [first, recent, *large * (self.score_transform == "erf_400"), say(SAYS_GAIN[self.zero_sum])]

    def curve_cases(self, kind: CurveKind) -> tuple[CurveCase, ...]:
        """Return half-lives, or players with few and many games."""
        if kind != "weight":
            return tuple(CurveCase(say("game {number}", number=games), games=games - 1) for games in (100, 20, 10))
        if self.strength == "running_mean_j":
            return (CurveCase(),)
        label = N_("half-life {games}")
        others = (self.half_life * 2.0, self.half_life / 2.0)
        return (
            CurveCase(say(label, games=format_plain(self.half_life))),
            *(CurveCase(say(label, games=format_plain(games)), {"half_life": games}) for games in others),
        )

    def weight_of_age(self, age: float) -> float:
        """Return the weight of a game after ``age`` more games; all older ones have the same in a running mean."""
        parameters = self.encoded()
        return math.pow(decay(parameters), age) / (self.j if self.strength == "running_mean_j" and age else 1.0)

    def performs_as_scored(self) -> bool:
        """Return whether scores count as they are: the starting strength is 0."""
        return self.score_transform == "none" and not self.lowest_score_wins()

    def moves_all_players(self) -> bool:
        """Return whether players who are not at the table share the adjustment."""
        return self.zero_sum == "league"

    def can_skip_system_rules(self, *, scores: bool, places: bool) -> bool:
        """Return whether no sum of scores is refused."""
        return self.demand_total == "no"

    def check_system_rules(self, sheet: GameSheet) -> list[Refusal]:
        """Refuse scores that do not have the league's total."""
        return check_total(sheet, self.demand_total, self.total)
