"""What a competition changes of a rating by FIDE's rating regulations (Handbook B.02, articles 8.3.1 to 8.3.4).

All sums are of whole numbers: ratings are whole, scores are counted in half points, expectations in hundredths.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from ratings.columns.fide import pd

#: A difference of more points counts as this many.
LIMIT = 400
#: Since when that holds as often as it occurs; before, a player gained by it once in a tournament.
EVERY_TIME = date(2024, 3, 1)
#: Since when the differences of players with this rating and above count as they are.
NOT_FOR_THE_BEST, BEST = date(2025, 10, 1), 2650

#: K (8.3.3): of the best, of most, of newcomers and the young; their bounds.
TOP_K, USUAL_K, HIGH_K = 10, 20, 40
TOP_RATING, YOUTH_RATING, YOUTH_AGE, NEWCOMER_GAMES = 2400, 2300, 18, 30
#: K times the games of a rating period is at most this.
MOST_K_GAMES = 700


class ChosenK(NamedTuple):
    """A value of K. ``reason``: top, youth, new or usual."""

    k: int
    reason: str


class FideGame(NamedTuple):
    """A game against a rated opponent: the opponent's rating, and 2, 1 or 0 half points."""

    opponent: int
    half_points: int


@dataclass(frozen=True)
class GameChange:
    """What a game counts: the difference used, and in hundredths the expected score and the score above it.

    ``true_difference``: of the ratings, which may be larger than the one used.
    """

    difference: int
    true_difference: int
    expected: int
    gain: int

    @property
    def is_limited(self) -> bool:
        """Whether the difference of the ratings is larger than the one used."""
        return self.difference != self.true_difference


@dataclass(frozen=True)
class FideChange:
    """The change of a rating by games, each in the order given."""

    k: int
    games: tuple[GameChange, ...]

    @property
    def expected(self) -> Fraction:
        """The expected points."""
        return Fraction(sum(game.expected for game in self.games), 100)

    @property
    def points(self) -> Fraction:
        """The points scored."""
        return Fraction(sum(game.expected + game.gain for game in self.games), 100)

    @property
    def total(self) -> Fraction:
        """The change before rounding."""
        return Fraction(self.k * sum(game.gain for game in self.games), 100)

    @property
    def rounded(self) -> int:
        """The change as a whole number; exactly one half is rounded away from zero (8.3.4)."""
        size = int(abs(self.total) + Fraction(1, 2))
        return size if self.total > 0 else -size


def choose_k(
    rating: int, day: date, *, born: int | None = None, games: int | None = None, has_reached_top: bool = False
) -> ChosenK:
    """Return K (8.3.3). ``born``: the year, if known; ``games``: all rated games so far, None: enough.

    ``has_reached_top``: whether a published rating once was 2400 or more.
    """
    if has_reached_top or rating >= TOP_RATING:
        return ChosenK(TOP_K, "top")
    if born is not None and day.year - born <= YOUTH_AGE and rating < YOUTH_RATING:
        return ChosenK(HIGH_K, "youth")
    if games is not None and games < NEWCOMER_GAMES:
        return ChosenK(HIGH_K, "new")
    return ChosenK(USUAL_K, "usual")


def limit_k(k: int, games: int) -> int:
    """Return K, or the largest whole number that times the games of the period is at most 700."""
    return min(k, MOST_K_GAMES // games) if games else k


def limit_differences(rating: int, opponents: Sequence[int], day: date, *, is_standard: bool = True) -> list[int]:
    """Return the differences to opponents as they count in a tournament that began on a day (8.3.1)."""
    differences = [rating - opponent for opponent in opponents]
    if is_standard and day >= NOT_FOR_THE_BEST and rating >= BEST:
        return differences
    limited = [max(-LIMIT, min(LIMIT, difference)) for difference in differences]
    if day < EVERY_TIME and differences:
        # The weakest opponent alone counts as stronger.
        weakest = differences.index(max(differences))
        for at, difference in enumerate(differences):
            if at != weakest and difference > LIMIT:
                limited[at] = difference
    return limited


def compute_rating_change(
    rating: int, games: Sequence[FideGame], k: int, day: date, *, is_standard: bool = True
) -> FideChange:
    """Return the change by the games of a rating period against rated opponents; ``day``: the tournament's first."""
    counted = limit_differences(rating, [game.opponent for game in games], day, is_standard=is_standard)
    changes = []
    for game, difference in zip(games, counted, strict=True):
        expected = pd(difference)
        changes.append(GameChange(difference, rating - game.opponent, expected, 50 * game.half_points - expected))
    return FideChange(limit_k(k, len(games)), tuple(changes))
