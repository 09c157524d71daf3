"""Serpentine: your share of the points on the table against the share that your rating promised.

Source: "Some small changes, and a word about ratings".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ratings.parameters import choice, number
from ratings.rounding import half_away, truncate
from ratings.system import (
    MOST_PLAYERS,
    Check,
    Figure,
    Kernel,
    Law,
    Part,
    Preset,
    RatingSystem,
    Rows,
    Ruling,
    Sheet,
    StateField,
    Use,
    WorkedExample,
)

MOST, FULL_SWING, ROUNDING, START, FLOOR, CEILING = range(6)
P_SHARE, P_CLAMP, P_ROUNDING, P_BOUNDS = range(4)
EXPECTED, RAW, CLAMPED, ROUNDED = range(4)


def clamp(value: float, low: float, high: float) -> float:
    """Return the value, moved into the bounds."""
    return min(max(value, low), high)


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
    """Compare each score with its expectation; see the contract in ``ratings.system``."""
    most = parameters[MOST]
    scores = 0.0
    ratings = 0.0
    for i in range(n):
        scores += results[i][0]
        ratings += before[i][0]
    for i in range(n):
        rating = before[i][0]
        expectation = rating * scores / ratings
        raw = 0.0
        if scores > 0.0:
            raw = most * (results[i][0] - expectation) / (parameters[FULL_SWING] * expectation)
        clamped = clamp(raw, -most, most)
        rounded = half_away(clamped) if parameters[ROUNDING] == 0.0 else truncate(clamped)
        bounded = clamp(rating + rounded, parameters[FLOOR], parameters[CEILING]) - rating
        parts[i][P_SHARE] = raw
        parts[i][P_CLAMP] = clamped - raw
        parts[i][P_ROUNDING] = rounded - clamped
        parts[i][P_BOUNDS] = bounded - rounded
        figures[i][EXPECTED] = expectation
        figures[i][RAW] = raw
        figures[i][CLAMPED] = clamped
        figures[i][ROUNDED] = rounded


def within(system: Any, changes: Sequence[float], after: Sequence[float]) -> bool:
    """Tell whether every change and every rating is within its bounds."""
    return all(abs(change) <= system.most for change in changes) and all(
        system.floor <= rating <= system.ceiling for rating in after
    )


def change_for(score: float, **parameters: Any) -> float:
    """Return the change for a score where 65 of 130 points were expected."""
    from ratings.replay import rate_game

    system = Serpentine(**parameters)
    sheet = Sheet(scores=(score, 130 - score), places=(None, None))
    return rate_game(system, [[1200.0], [1200.0]], [0, 0], sheet).change[0]


@dataclass(frozen=True, kw_only=True)
class Serpentine(RatingSystem):
    """Expected share of the total."""

    key: ClassVar[str] = "serpentine"
    title: ClassVar[str] = "Serpentine"
    summary: ClassVar[str] = (
        "Of all the points on the table, your rating promises you a share. Score more than that and your rating rises, "
        "score less and it falls, by 16 points at most."
    )
    source: ClassVar[str] = "“Some small changes, and a word about ratings”"
    formula: ClassVar[str] = (
        "E_i = R_i · Σs / ΣR\n"
        "change_i = 16 · (s_i − E_i) / (full_swing · E_i), within ±16, rounded to a whole number\n"
        "ratings stay within 100 … 9999"
    )
    fewest_players: ClassVar[int] = 2
    most_players: ClassVar[int] = MOST_PLAYERS
    score: ClassVar[Use] = "required"
    place: ClassVar[Use] = "optional"
    ties: ClassVar[bool] = True
    lowest_score: ClassVar[float] = 0.0
    lowest_rating: ClassVar[float] = 100.0
    highest_rating: ClassVar[float] = 9999.0
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", "Rating"),)
    parts: ClassVar[tuple[Part, ...]] = (
        Part("share", "16 (s−E)/E", "Share of the points", "Score against expectation."),
        Part("clamp", "±16", "Limit", "No game moves a rating by more than 16."),
        Part("rounding", "round", "Rounding", "To whole points."),
        Part("bounds", "100 … 9999", "Floor or ceiling", "Ratings stay within 100 and 9999."),
    )
    figures: ClassVar[tuple[Figure, ...]] = (
        Figure("expected", "E", "Expected score"),
        Figure("raw", "16 (s−E)/(f·E)", "Change before the limit"),
        Figure("clamped", "±16", "Change within the limit"),
        Figure("rounded", "round", "Rounded change"),
    )
    performance: ClassVar[str] = "expected"
    performance_label: ClassVar[str] = "Expected score"
    score_label: ClassVar[str] = "Rating"
    score_help: ClassVar[str] = "The leaderboard shows the rating itself."
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R11",
            "Full swing",
            "The prose sets the full ±16 at 75 % over or under expectation (65 expected: 113.75 gives +16, 16.25 gives "
            "−16); the printed table fits only 100 %. The table decides. Rounding half away from zero and truncating "
            "both fit the table.",
            "full_swing",
        ),
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("prose", "Full swing at 75 %, as the prose has it", {"full_swing": 0.75}),
        Preset("truncated", "Truncated changes", {"rounding": "truncate"}),
    )
    examples: ClassVar[tuple[WorkedExample, ...]] = (
        WorkedExample(
            title="Three players",
            sheet=Sheet(scores=(40, 90, 70), places=(None,) * 3),
            before=(1100, 1600, 1300),
            after=(1096, 1602, 1301),
            changes=(-4, 2, 1),
            figures={"expected": (55, 80, 65)},
        ),
        WorkedExample(
            title="Nobody scored: no change",
            sheet=Sheet(scores=(0, 0), places=(None,) * 2),
            before=(1200, 1300),
            after=(1200, 1300),
            changes=(0, 0),
        ),
    )
    checks: ClassVar[tuple[Check, ...]] = (
        Check("65 expected, 113.75 scored, full swing 0.75", lambda: change_for(113.75, full_swing=0.75), 16),
        Check("65 expected, 16.25 scored, full swing 0.75", lambda: change_for(16.25, full_swing=0.75), -16),
        Check("65 expected, 130 scored, full swing 1", lambda: change_for(130.0), 16),
        Check("65 expected, 113.75 scored, full swing 1", lambda: change_for(113.75), 12),
    )
    laws: ClassVar[tuple[Law, ...]] = (
        Law("bounds", "No change exceeds 16; ratings stay within 100 and 9999.", within),
    )
    kernel: ClassVar[Kernel] = staticmethod(kernel)

    most: float = number(16, label="Largest change", low=1, high=1000, unit="points", whole=True, help="A game's limit.")
    full_swing: float = number(
        1.0, label="Full swing", low=0.01, high=10.0, help="The share over expectation that gives the limit.", source="R11"
    )
    rounding: str = choice(
        "half_away",
        {"half_away": "to the nearest whole number, half away from zero", "truncate": "towards zero"},
        label="Rounding",
        help="How a change becomes whole.",
        source="R11",
    )
    initial: float = number(1200, label="Start", low=100, high=9999, unit="points", whole=True, help="A newcomer's rating.")
    floor: float = number(100, label="Floor", low=100, high=9999, unit="points", whole=True, help="The lowest rating.")
    ceiling: float = number(9999, label="Ceiling", low=100, high=9999, unit="points", whole=True, help="The highest rating.")

    def start(self) -> list[float]:
        """Return the state of a newcomer."""
        return [float(self.initial)]
