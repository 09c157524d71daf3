"""Records and tallies as columns: the input and output of a ladder method.

Sums run in the order of the games (``Records.sums``), never pairwise like NumPy's.
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
    """N lines of rated games, ordered by game, then by seat.

    number: N, identifies the game; lines of a game are consecutive. at: N, when it was played, in microseconds since
    1970. player: N. score, place, performance, side: N, NaN if absent. after, deviation: N, the latter 0 if the
    system has none. games: N, the player's games in the league, this one included. lowest: N, whether the lowest
    score is best for the game's rating.
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
    """K records, each of one player in one period, over N lines.

    of: N, the record of each line. period, player: K, ascending, unique.
    before: K, the rating at the beginning of the period, NaN if unrated. rating: K, the rating at its end.
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
        """Return the number of lines of each record (K); with ``which`` (N), of the selected lines."""
        return np.bincount(self.of if which is None else self.of[which], minlength=len(self))

    def sums(self, values: Floats, which: Truths | None = None) -> Floats:
        """Return the sum of each record's values (K), added up from 0.0 in the order of the games."""
        # bincount adds sequentially; np.sum and reduceat add pairwise, with different bits.
        of, weights = (self.of, values) if which is None else (self.of[which], values[which])
        return np.bincount(of, weights=weights, minlength=len(self)).astype(np.float64, copy=False)

    def last(self) -> Wholes:
        """Return the last line of each record (K)."""
        found = np.zeros(len(self), dtype=np.int64)
        found[self.of] = np.arange(len(self.of))  # the last of several assignments wins
        return found

    def heads(self) -> Truths:
        """Return which lines (N) represent a side: the first of each side in its game, and players without a side."""
        return heads_of(self.tables()[1], self.lines.side, np.arange(len(self.of)))

    def scores(self, *, lowest: bool) -> Floats:
        """Return the scores (N), higher is better: negated if the lowest is best for the game's rating.

        ``lowest``: negate all of them, as the ladder's rule requires (ruling R113).
        """
        score, turned = self.lines.score, self.lines.lowest | lowest
        if not turned.any():
            return score
        counted: Floats = np.where(turned, 0.0 - score, score)  # not -score: no -0.0 in the league's data
        return counted

    def finishes(self, score: Floats) -> tuple[Floats, Truths]:
        """Return each line's finish (N), higher is better, and whether its game has a known order; if not, it is 0.

        Places count if all lines of a game have one, otherwise scores (N, higher is better) if all have one.
        """
        starts, game = self.tables()
        place = self.lines.place
        placed = np.logical_and.reduceat(~np.isnan(place), starts)[game]
        scored = np.logical_and.reduceat(~np.isnan(score), starts)[game]
        return np.where(placed, -place, np.where(scored, score, 0.0)), placed | scored

    def tables(self) -> tuple[Wholes, Wholes]:
        """Return the first line of each game (G), and the game of each line (N)."""
        number = self.lines.number
        begins = np.ones(len(number), dtype=bool)
        begins[1:] = number[1:] != number[:-1]
        return np.flatnonzero(begins), np.cumsum(begins) - 1


def heads_of(game: Wholes, side: Floats, seat: Wholes) -> Truths:
    """Return which of N lines represent a side: its lowest seat in a game, and players without a side (NaN)."""
    found = np.ones(len(side), dtype=bool)
    if np.isnan(side).all():
        return found
    order = np.lexsort((seat, side, game))
    game, side = game[order], side[order]
    # NaN never equals another side.
    found[order[1:]] = (game[1:] != game[:-1]) | (side[1:] != side[:-1])
    return found


@dataclass(frozen=True)
class Tallies:
    """K tallies in the order of the records.

    score: K, NaN for no value. values: one such column of K for each column of the method.
    games: K. why_not: K, positions in ``sentences``, whose first is empty.
    """

    score: Floats
    values: tuple[Floats, ...]
    games: Wholes
    why_not: Wholes
    sentences: tuple[str, ...] = ("",)


def sentence_codes(keys: Wholes, say: Callable[[int], str]) -> tuple[Wholes, tuple[str, ...]]:
    """Return ``why_not`` and ``sentences`` of tallies, given each tally's key and the sentence for a key."""
    known, of = np.unique(keys, return_inverse=True)
    sentences: dict[str, int] = {"": 0}
    codes = [sentences.setdefault(say(key), len(sentences)) for key in known.tolist()]
    return np.array(codes, dtype=np.int64)[of], tuple(sentences)


def apply_to_distinct(keys: Wholes, value: Callable[[int], float]) -> Floats:
    """Apply a scalar function to every key, once per distinct key; NumPy's functions may differ in the last bit."""
    known, of = np.unique(keys, return_inverse=True)
    found: Floats = np.array([value(key) for key in known.tolist()], dtype=np.float64)[of]
    return found


def optional(values: Floats) -> list[float | None]:
    """Return values with None for NaN."""
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 -- NaN alone differs


def column_of(values: Sequence[float | None]) -> Floats:
    """Return values as a column, NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
