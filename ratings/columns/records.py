"""A ladder's records and tallies as columns: what a method reads and returns.

Sums run in the order of the games (``Records.sums``), never pairwise as NumPy's own do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Wholes: TypeAlias = NDArray[np.int64]
Truths: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class RatedLineColumns:
    """N lines of rated games, in the order of the games and, within a game, of the seats.

    number: N, tells the games apart; lines of a game stand together. at: N, when it was played, in microseconds since
    1970. player: N. score, place, performance, side: N, NaN if absent. after, deviation: N, the latter 0 if the
    system keeps none. games: N, it is the player's n-th game in the league. lowest: N, whether the game's rating takes
    the lowest score for the best.
    """

    number: Wholes
    at: Wholes
    player: Wholes
    score: Floats
    place: Floats
    performance: Floats
    after: Floats
    games: Wholes
    side: Floats
    deviation: Floats
    lowest: Truths


@dataclass(frozen=True)
class Records:
    """K records, each of what a player did in a period, over N lines.

    of: N, the record to which a line belongs. period, player: K, in ascending order, no pair twice.
    before: K, the rating at the period's beginning, NaN if the player was unrated then. rating: K,
    the rating at its end.
    """

    lines: RatedLineColumns
    of: Wholes
    period: Wholes
    player: Wholes
    before: Floats
    rating: Floats

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.player)

    def counts(self, which: Truths | None = None) -> Wholes:
        """Return how many lines each record has (K); with ``which`` (N) only those count."""
        return np.bincount(self.of if which is None else self.of[which], minlength=len(self))

    def sums(self, values: Floats, which: Truths | None = None) -> Floats:
        """Return the sum of each record's values (K), added up from 0.0 in the order of the games."""
        # bincount adds one after the other; np.sum and reduceat add pairwise, which gives other bits.
        of, weights = (self.of, values) if which is None else (self.of[which], values[which])
        return np.bincount(of, weights=weights, minlength=len(self)).astype(np.float64, copy=False)

    def last(self) -> Wholes:
        """Return the last line of each record (K)."""
        found = np.zeros(len(self), dtype=np.int64)
        found[self.of] = np.arange(len(self.of))  # of several for one record the last one stays
        return found

    def heads(self) -> Truths:
        """Return which lines (N) stand for a side: the first of each in its game; who plays alone is one."""
        return heads_of(self.tables()[1], self.lines.side, np.arange(len(self.of)))

    def scores(self, *, lowest: bool) -> Floats:
        """Return the scores (N), more is better: negated where the game's rating takes the lowest for the best.

        ``lowest``: a ladder takes all of them so (ruling R113).
        """
        score, turned = self.lines.score, self.lines.lowest | lowest
        if not turned.any():
            return score
        counted: Floats = np.where(turned, 0.0 - score, score)  # not -score: no -0.0 in the league's data
        return counted

    def finishes(self, score: Floats) -> tuple[Floats, Truths]:
        """Return how each line (N) came in, more is better, and which lines are of games that tell: the others have 0.

        Places tell where all of a game have one, else scores (N, more is better) where all have one, else nothing does.
        """
        starts, game = self.tables()
        place = self.lines.place
        placed = np.logical_and.reduceat(~np.isnan(place), starts)[game]
        scored = np.logical_and.reduceat(~np.isnan(score), starts)[game]
        return np.where(placed, -place, np.where(scored, score, 0.0)), placed | scored

    def tables(self) -> tuple[Wholes, Wholes]:
        """Return where each game begins (G), and the game of each line (N)."""
        number = self.lines.number
        begins = np.ones(len(number), dtype=bool)
        begins[1:] = number[1:] != number[:-1]
        return np.flatnonzero(begins), np.cumsum(begins) - 1


def heads_of(game: Wholes, side: Floats, seat: Wholes) -> Truths:
    """Return which of N lines stand for a side: that of its lowest seat in a game; who plays alone (NaN) is one."""
    found = np.ones(len(side), dtype=bool)
    if np.isnan(side).all():
        return found
    order = np.lexsort((seat, side, game))
    game, side = game[order], side[order]
    # NaN is no other's side: it is never the same.
    found[order[1:]] = (game[1:] != game[:-1]) | (side[1:] != side[:-1])
    return found


@dataclass(frozen=True)
class Tallies:
    """K tallies in the order of the records.

    score: K, NaN if there is no value. values: one column of K for each column of the method, NaN
    alike. games: K. why_not: K, positions in ``sentences``, whose first is empty.
    """

    score: Floats
    values: tuple[Floats, ...]
    games: Wholes
    why_not: Wholes
    sentences: tuple[str, ...] = ("",)


def worded(keys: Wholes, say: Callable[[int], str]) -> tuple[Wholes, tuple[str, ...]]:
    """Return ``why_not`` and ``sentences`` of tallies, given what is said about a key, and each tally's key."""
    known, of = np.unique(keys, return_inverse=True)
    sentences: dict[str, int] = {"": 0}
    codes = [sentences.setdefault(say(key), len(sentences)) for key in known.tolist()]
    return np.array(codes, dtype=np.int64)[of], tuple(sentences)


def each(keys: Wholes, value: Callable[[int], float]) -> Floats:
    """Return a scalar function of every key, computed once for each: NumPy's own may differ in the last bit."""
    known, of = np.unique(keys, return_inverse=True)
    found: Floats = np.array([value(key) for key in known.tolist()], dtype=np.float64)[of]
    return found


def optional(values: Floats) -> list[float | None]:
    """Return values with None for NaN."""
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 -- NaN alone differs


def column_of(values: Sequence[float | None]) -> Floats:
    """Return values as a column, NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
