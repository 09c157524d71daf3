"""The first rating of an unrated player by FIDE's rating regulations (Handbook B.02, 7.1.4 and 8.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from ratings.columns.fide import dp_of_score
from ratings.fide.rating_change import FideGame

#: Since when initial ratings are computed in this way.
SINCE = date(2024, 3, 1)
#: Draws with opponents of this rating are added.
IMAGINED_DRAWS, IMAGINED_RATING = 2, 1800
HIGHEST, LOWEST, GAMES_NEEDED = 2200, 1400, 5


@dataclass(frozen=True)
class FirstRating:
    """A first rating from the games so far.

    ``average``: of the opponents with the imagined ones; ``difference``: what the score adds. ``reason`` why it is not
    published: no_points, games, floor, or "".
    """

    games: int
    half_points: int
    average: Fraction
    difference: int
    rating: int
    reason: str

    @property
    def games_to_go(self) -> int:
        """The games against rated opponents that are missing."""
        return max(0, GAMES_NEEDED - self.games)


def compute_initial_rating(games: Sequence[FideGame]) -> FirstRating:
    """Return the first rating from games against rated opponents."""
    count, half_points = len(games) + IMAGINED_DRAWS, sum(game.half_points for game in games)
    average = Fraction(sum(game.opponent for game in games) + IMAGINED_DRAWS * IMAGINED_RATING, count)
    difference = dp_of_score(half_points + IMAGINED_DRAWS, count)
    rating = min(HIGHEST, int(average + difference + Fraction(1, 2)))
    return FirstRating(len(games), half_points, average, difference, rating, _find_reason(games, rating))


def _find_reason(games: Sequence[FideGame], rating: int) -> str:
    if not any(game.half_points for game in games):
        return "no_points"
    if len(games) < GAMES_NEEDED:
        return "games"
    return "floor" if rating < LOWEST else ""
