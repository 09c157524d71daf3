"""Serpentine: a player's share of the points compared with the share expected from the rating.

Source: "Some small changes, and a word about ratings".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ratings.contract.parameters import choice, newcomer_rating, number, winner_choice
from ratings.contract.rounding import round_half_away, round_half_away_to_decimals, truncate
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
from ratings.contract.wording import Wording, format_percent, format_plain
from ratings.texts import N_, localize_text, say

LOWEST, HIGHEST = 100.0, 9999.0
#: Changes are rounded to this number of decimals before they become whole (ruling R106).
SNAP_DECIMALS = 9.0
TOLD_TURNED = N_(
    "With a rating of {rating:0} the expected score is {expected:1}. {name} scored "
    "{points}, which counts as {counted}, {counted−expected:1}."
)
SUPPOSED_TURNED = N_(
    "With a rating of {rating:0} the expected score is {expected:1}. {name} would score "
    "{points}, which would count as {counted}, {counted−expected:1}."
)

MOST, FULL_SWING, ROUNDING = range(3)
HALF_AWAY, TRUNCATE = range(2)
P_SHARE, P_LIMIT, P_ROUNDING, P_BOUNDS = range(4)
EXPECTED, RAW, LIMITED, ROUNDED = range(4)


def clamp(value: float, low: float, high: float) -> float:
    """Return the value, limited to the bounds."""
    return min(max(value, low), high)


def _round_to_whole(change: float, rounding: float) -> float:
    """Round a change; ``rounding`` is HALF_AWAY or TRUNCATE."""
    # Float64 rounding errors, which depend on the seats, must not decide the rounding of an exact half.
    clean = round_half_away_to_decimals(change, SNAP_DECIMALS)
    return round_half_away(clean) if rounding == HALF_AWAY else truncate(clean)


def _correct_change(rating: float, change: float) -> float:
    """Return the correction of a change that keeps the rating within its bounds."""
    reached = rating + change
    bounded = clamp(reached, LOWEST, HIGHEST)
    # Without a bound reached, a fractional rating must not receive the rounding error of these sums.
    return 0.0 if bounded == reached else bounded - rating - change


def compute_swing(score: float, expectation: float, max_change: float, full_swing: float) -> float:
    """Return the change before the limit: ``max_change`` at ``full_swing`` times the expectation above it."""
    unit = full_swing * expectation
    # No points at the table, or so few that the expectation underflows.
    if unit <= 0.0:
        return 0.0
    return max_change * (score - expectation) / unit


def kernel(
    n: int, before: Rows, games: list[float], results: Rows, fields: list[float], parameters: list[float],
    pool: list[float], parts: Rows, after: Rows, figures: Rows, pairs: list[Rows],
) -> None:  # fmt: skip
    """Compare each score with its expectation; see ``ratings.contract.system``."""
    max_change = parameters[MOST]
    scores, ratings = 0.0, 0.0
    for i in range(n):
        scores += results[i][0]
        ratings += before[i][0]
    for i in range(n):
        rating = before[i][0]
        expectation = rating * scores / ratings
        raw = compute_swing(results[i][0], expectation, max_change, parameters[FULL_SWING])
        limited = clamp(raw, 0.0 - max_change, max_change)
        rounded = _round_to_whole(limited, parameters[ROUNDING])
        parts[i][P_SHARE] = raw
        parts[i][P_LIMIT] = limited - raw
        # Less than 1 apart, they subtract without rounding: the parts sum exactly to the whole change.
        parts[i][P_ROUNDING] = rounded - (raw + parts[i][P_LIMIT])
        parts[i][P_BOUNDS] = _correct_change(rating, rounded)
        figures[i][EXPECTED] = expectation
        figures[i][RAW] = raw
        figures[i][LIMITED] = limited
        figures[i][ROUNDED] = rounded


def change_limited(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether no change exceeds the limit (rounded if it is fractional)."""
    return all(abs(change) <= round_half_away(system.most) for change in changes)


def rating_bounded(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether every rating is within the bounds."""
    return all(LOWEST <= rating <= HIGHEST for rating in after)


def _compute_change_at_65(score: float) -> float:
    """Return the rounded change for a score when 65 points were expected."""
    return _round_to_whole(clamp(compute_swing(score, 65.0, 16.0, 0.75), -16.0, 16.0), 0.0)


@dataclass(frozen=True, kw_only=True)
class Serpentine(RatingSystem):
    """Expected share of the total."""

    key: ClassVar[str] = "serpentine"
    title: ClassVar[str] = N_("Serpentine")
    summary: ClassVar[str] = localize_text(
        "Your rating predicts your share of all the points. If you score more, your rating "
        "rises; if you score less, it falls: by 16 points at most, reached at 200% of the "
        "expectation or at 0% of it.",
        lambda: Serpentine().wording().summary,
    )
    headline: ClassVar[str] = N_("Your rating predicts your share of the points; more raises it, less lowers it.")
    source: ClassVar[str] = N_("“Some small changes, and a word about ratings”")
    formula: ClassVar[str] = (
        "E_i = R_i · Σs / ΣR\nchange_i = 16 · (s_i − E_i) / E_i, limited to ±16, "
        "rounded to a whole number, half away from zero\nno change if no one scored; ratings "
        "stay within 100 … 9999"
    )
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = MAX_PLAYERS
    score: ClassVar[Use] = "required"
    place: ClassVar[Use] = "optional"
    ties: ClassVar[bool] = True
    lowest_score: ClassVar[float] = 0.0
    lowest_rating: ClassVar[float] = LOWEST
    highest_rating: ClassVar[float] = HIGHEST
    parts: ClassVar[tuple[ChangePart, ...]] = (
        ChangePart(
            "share",
            "16 (s − E) / E",
            N_("Share of the points"),
            N_("The score compared with the expectation."),
            N_("share of the points"),
        ),
        ChangePart("limit", "±16", N_("Limit"), "No game changes a rating by more than 16 points.", N_("limit")),
        ChangePart("rounding", N_("rounding"), N_("Rounding"), N_("To whole points."), N_("rounding")),
        ChangePart(
            "bounds",
            "100 … 9999",
            N_("Upper or lower limit"),
            N_("Ratings stay within 100 and 9999."),
            N_("upper or lower limit"),
        ),
    )
    figures: ClassVar[tuple[FormulaFigure, ...]] = (
        FormulaFigure("expected", "E", N_("Expected score")),
        FormulaFigure("raw", "16 (s − E) / E", N_("Change before the limit")),
        FormulaFigure("limited", "±16", N_("Change within the limit")),
        FormulaFigure("rounded", N_("rounding"), N_("Rounded change")),
    )
    performance: ClassVar[str] = "expected"
    performance_label: ClassVar[str] = N_("Expected score")
    expectation: ClassVar[str] = "expected"
    expects: ClassVar[str] = "score"
    filled: ClassVar[str] = "most × (points − expected) / (full_swing × expected) + limit? + rounding? + bounds?"
    told: ClassVar[str] = N_(
        "With a rating of {rating:0} the expected score is {expected:1}. {name} scored {points}, {points−expected:1}."
    )
    supposed: ClassVar[str] = N_(
        "With a rating of {rating:0} the expected score is {expected:1}. {name} would score {points}, "
        "{points−expected:1}."
    )
    score_label: ClassVar[str] = N_("Rating")
    score_help: ClassVar[str] = N_("The leaderboard shows the rating itself.")
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R11",
            N_("Largest change"),
            N_(
                "In the text, the full ±16 applies at 75% above or below expectation (for an "
                "expectation of 65, that is 113.75 and 16.25); the printed table only fits 100%, so "
                "the table decides. Rounding halves away from zero (default) and cutting off the "
                "fraction (parameter “rounding”) both fit the table."
            ),
            "full_swing",
        ),
        Ruling(
            "R106",
            N_("Exact halves"),
            N_(
                "A change is first rounded to nine decimals, so that exact halves always round away "
                "from zero. The source is silent."
            ),
        ),
        Ruling(
            "R119",
            N_("A table without points"),
            N_("If the scores sum to 0, every expectation is 0, and no rating changes. The source is silent."),
        ),
        Ruling(
            "R113",
            N_("When the lowest score wins"),
            N_(
                "The source has no negative scores, and negating all scores of a game would give the "
                "same changes. The scores of a game are therefore reversed: each becomes highest + "
                "lowest − score, so that best and worst swap."
            ),
            "winner",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("prose", N_("Full change at 75%, as in the text"), {"full_swing": 0.75}),
        Preset("truncated", N_("Fractions of a change are cut off"), {"rounding": "truncate"}),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title=N_("Three players"),
            printed=True,
            sheet=GameSheet(scores=(40, 90, 70), places=(None,) * 3),
            before=(1100, 1600, 1300),
            after=(1096, 1602, 1301),
            changes=(-4, 2, 1),
            figures={"expected": (55, 80, 65)},
        ),
        WorkedExample(
            title=N_("The same with the fractions cut off"),
            sheet=GameSheet(scores=(40, 90, 70), places=(None,) * 3),
            before=(1100, 1600, 1300),
            parameters={"rounding": "truncate"},
            after=(1096, 1602, 1301),
            changes=(-4, 2, 1),
            note=N_("Both roundings fit the printed table (ruling R11)."),
            printed=True,
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        Check(N_("65 expected and 113.75 scored, full change at 75%"), lambda: _compute_change_at_65(113.75), 16),
        Check(N_("65 expected and 16.25 scored, full change at 75%"), lambda: _compute_change_at_65(16.25), -16),
    )
    laws: ClassVar[tuple[Law, ...]] = (
        Law(
            "limit",
            N_("No game changes a rating by more than 16 points (or the league's limit)."),
            change_limited,
        ),
        Law("bounds", N_("Ratings stay within 100 and 9999."), rating_bounded),
    )
    curve_scores: ClassVar[tuple[float, float]] = (0.0, 100.0)
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    most: float = number(
        16,
        label=N_("Largest change"),
        low=0,
        high=100,
        unit=N_("points"),
        help=N_("The most points a game can change a rating by."),
    )
    full_swing: float = number(
        1,
        label=N_("Full change at"),
        low=0.05,
        high=10,
        help=N_("How far a score must be above or below expectation for the largest change; 1 means 100%."),
        source="R11",
    )
    rounding: str = choice(
        "half_away",
        {"half_away": N_("to the nearest whole number, half away from zero"), "truncate": N_("towards zero")},
        label=N_("Rounding"),
        help=N_("How a change is rounded to a whole number."),
        source="R11",
    )
    initial: float = newcomer_rating(1200, low=LOWEST, high=HIGHEST, whole=True)
    winner: str = winner_choice(
        help=N_(
            "Whether the highest or lowest score wins. If the lowest wins, scores are reversed "
            "first: best and worst swap."
        ),
        source="R113",
    )

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        max_change, swing = format_plain(self.most), format_plain(self.full_swing)
        divisor = "E" if self.full_swing == 1 else f"({swing} · E)"
        change = {
            "half_away": N_(
                "change_i = {most} · (s_i − E_i) / {divisor}, limited to ±{most}, rounded to a whole number, "
                "half away from zero"
            ),
            "truncate": N_("change_i = {most} · (s_i − E_i) / {divisor}, limited to ±{most}, the fraction cut off"),
        }[self.rounding]
        formula = "\n".join(
            [
                "E_i = R_i · Σs / ΣR",
                say(change, most=max_change, divisor=divisor.replace("E", "E_i")),
                say("no change if no one scored; ratings stay within 100 … 9999"),
            ]
        )
        # No score is negative: a longer swing can be reached upwards only.
        reach = N_(
            "Your rating predicts your share of all the points. If you score more, your rating "
            "rises; if you score less, it falls: by {most} points at most, reached at {above} of "
            "the expectation."
        )
        if self.full_swing <= 1:
            reach = N_(
                "Your rating predicts your share of all the points. If you score more, your rating "
                "rises; if you score less, it falls: by {most} points at most, reached at {above} of "
                "the expectation or at {below} of it."
            )
        summary = say(
            reach, most=max_change, above=format_percent(1 + self.full_swing), below=format_percent(1 - self.full_swing)
        )
        raw = f"{max_change} (s − E) / {divisor}"
        symbols = {"share": raw, "limit": f"±{max_change}", "raw": raw, "limited": f"±{max_change}"}
        limit = say("No game changes a rating by more than {most} points.", most=max_change)
        parts = tuple(
            replace(part, symbol=symbols.get(part.key, part.symbol), help=limit if part.key == "limit" else part.help)
            for part in self.parts
        )
        figures = tuple(replace(figure, symbol=symbols.get(figure.key, figure.symbol)) for figure in self.figures)
        wording = replace(super().wording(), summary=summary, formula=formula, parts=parts, figures=figures)
        if not self.lowest_score_wins():
            return wording
        turned = say("s_i = highest + lowest score of the game − score_i")
        filled = self.filled.replace("points", "counted")
        return replace(
            wording, formula=f"{turned}\n{formula}", filled=filled, told=TOLD_TURNED, supposed=SUPPOSED_TURNED
        )

    def curve_cases(self, kind: CurveKind) -> tuple[CurveCase, ...]:
        """Return a player as strong as the others, one twice as strong and one half as strong."""
        start = float(self.initial)
        return (
            CurveCase(say("equal")),
            CurveCase(say("twice as strong"), state=(min(start * 2.0, HIGHEST),)),
            CurveCase(say("half as strong"), state=(max(start / 2.0, LOWEST),)),
        )

    def start(self) -> list[float]:
        """Return a newcomer's state."""
        return [float(self.initial)]
