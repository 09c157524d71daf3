"""Preferans: three players, scores and the bula.

Source: the documentation of preferans-rating-js 2.4.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ratings.contract.declarations import check_total
from ratings.contract.parameters import choice, newcomer_rating, number, winner_choice
from ratings.contract.rounding import round_half_away, round_half_away_to_decimals
from ratings.contract.system import (
    ChangePart,
    Check,
    CurveCase,
    CurveKind,
    FormulaFigure,
    GameField,
    GameSheet,
    Kernel,
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
from ratings.contract.worksheet import Row, Worksheet, WorksheetField
from ratings.texts import N_, say

WINNER, TIE_BONUS, INTERMEDIATE_DECIMALS, MAGIC_NUMBER, INITIAL = range(5)
B_NONE, EARLIER_SEAT = range(2)
D_3, D_NONE = range(2)
(BULA,) = range(1)
P_SCORES, P_RATINGS, P_BONUS, P_ROUNDING = range(4)
RAW, ROUNDED = range(2)
D, T, N, C = range(4)

#: Numbers are first rounded to this number of decimals (ruling R106).
SNAP_DECIMALS = 9.0


def _round_to_whole(value: float) -> float:
    """Round to a whole number, half away from zero, ignoring float64 rounding errors."""
    # (4.36 − 1.36) / 2 is exactly 1.5 on paper, but 1.4999999999999996 in float64.
    return round_half_away(round_half_away_to_decimals(value, SNAP_DECIMALS))


def _round_term(value: float, parameters: list[float]) -> float:
    """Return D or T as in the released code (three decimals) or as in the prose."""
    return _round_to_whole(value * 1000.0) / 1000.0 if parameters[INTERMEDIATE_DECIMALS] == D_3 else value


def compute_bonus(earlier_score: float, later_score: float, bula: float, parameters: list[float]) -> float:
    """Return N_ij for the scores of an earlier and a later seat: B/100 to the better one; on a tie by the ruling."""
    if earlier_score == later_score and parameters[TIE_BONUS] == B_NONE:
        return 0.0
    return bula / 100.0 if earlier_score >= later_score else 0.0 - bula / 100.0


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Compare the three pairs; see ``ratings.contract.system``."""
    bula = fields[BULA]
    for i in range(n):
        for column in range(4):
            pairs[i][i][column] = 0.0
        for j in range(i + 1, n):
            score, opponent_score = results[i][0], results[j][0]
            pairs[i][j][D] = _round_term((score - opponent_score) / bula, parameters)
            pairs[i][j][T] = _round_term((before[j][0] - before[i][0]) * parameters[MAGIC_NUMBER] / 100.0, parameters)
            pairs[i][j][N] = compute_bonus(score, opponent_score, bula, parameters)
            pairs[i][j][C] = pairs[i][j][D] + pairs[i][j][T] + pairs[i][j][N]
            for column in range(4):
                pairs[j][i][column] = 0.0 - pairs[i][j][column]
    for i in range(n):
        for column in range(4):
            total = 0.0
            for j in range(n):
                total += pairs[i][j][column]
            if column == C:
                figures[i][RAW] = total / 2.0
            else:
                parts[i][column] = total / 2.0
        figures[i][ROUNDED] = _round_to_whole(figures[i][RAW])
        parts[i][P_ROUNDING] = figures[i][ROUNDED] - (parts[i][P_SCORES] + parts[i][P_RATINGS] + parts[i][P_BONUS])


def _sum_entries_against(rows: Sequence[Row], seat: int) -> float:
    """Return the sum of the opponents' entries against a player; a left neighbour is the seat before.

    In the documentation's example these are Marko's left and Johnny's right column for Pedja.
    """
    left_neighbour, right_neighbour = rows[seat - 1], rows[(seat + 1) % len(rows)]
    return left_neighbour["right"] + right_neighbour["left"]


def compute_sheet_score(middle: float, left: float, right: float, *entries: float) -> float:
    """Return a player's score from the score sheet: middle × 10 − left − right + written.

    ``middle``, ``left`` and ``right`` are the columns of the player's own sheet; ``entries`` are the opponents'
    entries against the player. Source: the score sheets of the documentation's example.
    """
    return middle * 10.0 - left - right + sum(entries)


@dataclass(frozen=True, kw_only=True)
class Preferans(RatingSystem):
    """Three players, scores, bula."""

    key: ClassVar[str] = "preferans"
    title: ClassVar[str] = N_("Preferans")
    summary: ClassVar[str] = N_(
        "You are compared with each of the other two: the difference of your scores divided "
        "by the bula, minus the difference expected from your ratings, plus a small bonus "
        "for the better score. Your change is half the sum of both comparisons, in whole "
        "points."
    )
    headline: ClassVar[str] = N_("Your score against each opponent's, per bula, less what your ratings predicted.")
    source: ClassVar[str] = N_("The documentation of preferans-rating-js 2.4.5")
    formula: ClassVar[str] = (
        "for the pairs (1,2), (1,3), (2,3), s the scores, B the bula:\n"
        "D_ij = (s_i − s_j) / B      T_ij = (R_j − R_i) · 2.8 / 100, both rounded to three decimals\n"
        "N_ij = B/100 for the higher s, −B/100 for the lower, 0 if equal\n"
        "C_ij = D_ij + T_ij + N_ij\n"
        "change_1 = (C_12 + C_13) / 2, change_2 = (−C_12 + C_23) / 2, change_3 = (−C_13 − C_23) / 2, rounded"
    )
    min_players: ClassVar[int] = 3
    max_players: ClassVar[int] = 3
    score: ClassVar[Use] = "required"
    place: ClassVar[Use] = "optional"
    ties: ClassVar[bool] = True
    # Not any number above 0: scores divided by a tiny one would overflow float64.
    game_fields: ClassVar[tuple[GameField, ...]] = (
        GameField("bula", N_("Bula"), 0.01, 10_000.0, N_("The agreed length of the game."), example=30.0),
    )
    worksheet: ClassVar[Worksheet | None] = Worksheet(
        formula=N_("score = middle · 10 − left − right + what the opponents wrote on you"),
        fields=(
            WorksheetField("middle", N_("Middle"), N_("Ten points each.")),
            WorksheetField(
                "left",
                N_("Left"),
                N_("Written on your left, against the seat before yours (for the first seat: the last)."),
            ),
            WorksheetField(
                "right",
                N_("Right"),
                N_("Written on your right, against the seat after yours (for the last seat: the first)."),
            ),
            WorksheetField(
                "written",
                N_("Written on you"),
                N_("Written on you by both opponents; if empty, taken from their columns."),
            ),
        ),
        score=lambda row: compute_sheet_score(row["middle"], row["left"], row["right"], row["written"]),
        derived={"written": _sum_entries_against},
    )
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", N_("Rating")),)
    parts: ClassVar[tuple[ChangePart, ...]] = (
        ChangePart(
            "scores",
            "ΣD/2",
            N_("Difference of scores"),
            N_("Your scores compared with the other two, divided by the bula."),
            N_("difference of scores"),
        ),
        ChangePart(
            "ratings",
            "ΣT/2",
            N_("Difference of ratings"),
            N_("Expected from the ratings before the game."),
            N_("from the difference of ratings"),
        ),
        ChangePart(
            "bonus",
            "ΣN/2",
            N_("Bonus for the better score"),
            N_("A hundredth of the bula per pair."),
            N_("bonus for the better score"),
        ),
        ChangePart("rounding", N_("rounding"), N_("Rounding"), N_("To whole points."), N_("rounding")),
    )
    figures: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("raw", "ΣC/2", N_("Change before rounding")),
        FormulaFigure("rounded", N_("rounding"), N_("Rounded change")),
    )
    pairs: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("d", "D_ij", N_("Difference of scores divided by the bula")),
        FormulaFigure("t", "T_ij", N_("Difference of ratings")),
        FormulaFigure("n", "N_ij", N_("Bonus")),
        FormulaFigure("c", "C_ij", N_("Sum of the pair")),
    )
    performance: ClassVar[str] = "raw"
    performance_label: ClassVar[str] = N_("Change before rounding")
    filled: ClassVar[str] = "Σ(d + t + n) / 2 + rounding?"
    told: ClassVar[str] = N_("Half the sum of both pairs gives {name} {raw:2}, or {rounded:0} in whole points.")
    score_label: ClassVar[str] = N_("Rating")
    score_help: ClassVar[str] = N_("The leaderboard shows the rating itself.")
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R1",
            N_("Sign"),
            N_(
                "The source says that negative scores are good, but its formula and printed numbers "
                "reward the higher score. The printed numbers decide; for score sheets where "
                "negative is good, choose `lowest`, which negates the scores first."
            ),
            "winner",
        ),
        Ruling(
            "R2",
            N_("Ties"),
            N_("For equal scores N is 0, as in the published code; the text gives +B/100 to the earlier seat."),
            "tie_bonus",
        ),
        Ruling(
            "R3",
            N_("Rounding"),
            N_("The published code rounds D and T to three decimals first."),
            "intermediate_decimals",
        ),
        Ruling(
            "R106",
            N_("Exact halves"),
            N_(
                "Values are first rounded to nine decimals, so that exact halves always round away "
                "from zero. The published code removes such noise, too."
            ),
        ),
        Ruling(
            "R107",
            N_("The smallest bula"),
            N_(
                "The source divides by the bula without setting a limit. A bula of 0 or less is "
                "meaningless, and one below 0.01 is also rejected, because the scores would exceed "
                "float64."
            ),
        ),
        Ruling(
            "R114",
            N_("Signs on the sheets"),
            N_(
                "We add the sheets up as the example does: each entry in the middle counts ten "
                "points with its own sign, what you wrote on the others is subtracted, and what they "
                "wrote on you is added. The sum of the three scores is therefore ten times the sum "
                "of the middles. Your left is the seat before yours, your right the one after."
            ),
        ),
        Ruling(
            "R115",
            N_("Total of the scores"),
            N_(
                "The source does not require a total of the scores, and by default none is required; "
                "a league may require one, which is 0 for the sheets in the example."
            ),
            "demand_total",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("prose", N_("As in the text"), {"tie_bonus": "earlier_seat", "intermediate_decimals": "none"}),
        Preset("negative_is_good", N_("Sheets where negative is good"), {"winner": "lowest"}),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("Pedja, Marko and Johnny"),
            printed=True,
            names=("Pedja", "Marko", "Johnny"),
            sheet=GameSheet(scores=(-500, 40, 460), places=(None,) * 3, fields={"bula": 30}),
            before=(1200, 1150, 1100),
            after=(1173, 1152, 1125),
            changes=(-27, 2, 25),
            figures={"raw": (-27.4, 2.0, 25.4)},
            pairs={"d": (-18, -32, -14), "t": (-1.4, -2.8, -1.4), "n": (-0.3, -0.3, -0.3), "c": (-19.7, -35.1, -15.7)},
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        Check(N_("Pedja's sheet"), lambda: compute_sheet_score(-20, 320, 160, 120, 60), -500, printed=True),
        Check(N_("Marko's sheet"), lambda: compute_sheet_score(4, 120, 60, 160, 20), 40, printed=True),
        Check(N_("Johnny's sheet"), lambda: compute_sheet_score(16, 20, 60, 320, 60), 460, printed=True),
    )
    curve_scores: ClassVar[tuple[float, float]] = (-500.0, 500.0)
    seat_order_matters: ClassVar[str] = N_("tie_bonus = earlier_seat gives the bonus to the earlier seat in a tie.")
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    winner: str = winner_choice(source="R1")
    tie_bonus: str = choice(
        "none",
        {"none": N_("no bonus on equal scores"), "earlier_seat": N_("the earlier seat gets the bonus")},
        label=N_("Bonus on ties"),
        help=N_("Who gets N for equal scores."),
        source="R2",
    )
    intermediate_decimals: str = choice(
        "3",
        {"3": N_("D and T are rounded to three decimals"), "none": N_("D and T are not rounded")},
        label=N_("Intermediate rounding"),
        help=N_("Rounding before the sum."),
        source="R3",
    )
    magic_number: float = number(
        2.8,
        label=N_("Magic number"),
        low=0.0,
        high=100.0,
        help=N_("How much a rating difference changes the expectation."),
    )
    initial: float = newcomer_rating(1000, whole=True)
    demand_total: str = choice(
        "no",
        {"no": N_("any total"), "yes": N_("the total below")},
        label=N_("Require a fixed total"),
        help=N_("Whether games with a different total are rejected."),
    )
    total: float = number(
        0.0, label=N_("Total"), low=-1e6, high=1e6, unit=N_("points"), help=N_("The required sum of the scores.")
    )

    def curve_cases(self, kind: CurveKind) -> tuple[CurveCase, ...]:
        """Return a player as strong as the others, a stronger and a weaker one."""
        start = float(self.initial)
        return (
            CurveCase(say("equal")),
            CurveCase(say("{points} stronger", points=300), state=(start + 300.0,)),
            CurveCase(say("{points} weaker", points=300), state=(start - 300.0,)),
        )

    def start(self) -> list[float]:
        """Return a newcomer's state."""
        return [float(self.initial)]

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        scores = N_("for the pairs (1,2), (1,3), (2,3), s the scores, B the bula:")
        if self.lowest_score_wins():
            scores = N_("for the pairs (1,2), (1,3), (2,3), s the negated scores (the lowest wins), B the bula:")
        terms = f"D_ij = (s_i − s_j) / B      T_ij = (R_j − R_i) · {format_plain(self.magic_number)} / 100"
        if self.intermediate_decimals == "3":
            terms = say("{terms}, both rounded to three decimals", terms=terms)
        bonus = {
            "none": N_("N_ij = B/100 for the higher s, −B/100 for the lower, 0 if equal"),
            "earlier_seat": N_(
                "N_ij = B/100 for the higher s, −B/100 for the lower, B/100 to the earlier seat if equal"
            ),
        }[self.tie_bonus]
        sums = "change_1 = (C_12 + C_13) / 2, change_2 = (−C_12 + C_23) / 2, change_3 = (−C_13 − C_23) / 2"
        rounded = say("{sums}, rounded", sums=sums)
        formula = "\n".join([say(scores), terms, say(bonus), "C_ij = D_ij + T_ij + N_ij", rounded])
        return replace(super().wording(), formula=formula)

    def can_skip_system_rules(self, *, scores: bool, places: bool) -> bool:
        """Return whether no sum of scores is refused."""
        return self.demand_total == "no"

    def check_system_rules(self, sheet: GameSheet) -> list[Refusal]:
        """Refuse scores that do not have the league's total."""
        return check_total(sheet, self.demand_total, self.total)
