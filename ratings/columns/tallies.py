"""Records of games, tallies and their rankings as columns: the input and output of a ladder method.

Sums run in the order of the games (``Records.sums``), never pairwise like NumPy's. Only ``rank_sorted_values``
implements the rule 1-2-2-4, for sorted lines. Ladders call ``ranks_of``, tables of tallies
``ratings.contract.method.rank_players``; the leaderboard adds the counts that
``league.core.leaderboard.selectors.current_board`` computes for the rows above.
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
        record_index, weights = (self.of, values) if which is None else (self.of[which], values[which])
        return np.bincount(record_index, weights=weights, minlength=len(self)).astype(np.float64, copy=False)

    def last(self) -> Wholes:
        """Return the last line of each record (K)."""
        last_lines = np.zeros(len(self), dtype=np.int64)
        last_lines[self.of] = np.arange(len(self.of))  # the last of several assignments wins
        return last_lines

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
        is_start = np.ones(len(number), dtype=bool)
        is_start[1:] = number[1:] != number[:-1]
        return np.flatnonzero(is_start), np.cumsum(is_start) - 1


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


def encode_sentences(keys: Wholes, message_of: Callable[[int], str]) -> tuple[Wholes, tuple[str, ...]]:
    """Return ``why_not`` and ``messages`` of tallies, given each tally's key and the sentence for a key."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    messages: dict[str, int] = {"": 0}
    codes = [messages.setdefault(message_of(key), len(messages)) for key in distinct.tolist()]
    return np.array(codes, dtype=np.int64)[inverse], tuple(messages)


def apply_to_distinct(keys: Wholes, value: Callable[[int], float]) -> Floats:
    """Apply a scalar function to every key, once per distinct key; NumPy's functions may differ in the last bit."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    values: Floats = np.array([value(key) for key in distinct.tolist()], dtype=np.float64)[inverse]
    return values


def convert_nan_to_none(values: Floats) -> list[float | None]:
    """Return values with None for NaN."""
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 -- NaN alone differs


def build_column(values: Sequence[float | None]) -> Floats:
    """Return values as a column, NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


@dataclass(frozen=True)
class Ranks:
    """A ranking of K tallies.

    order: K, positions of the tallies, best first, unqualified ones last. rank: K, by tally; 0 if
    unqualified. decided_by: K, by tally; n if the n-th tie-break ranked it above or below
    another with the same score, 0 if the score decided.
    """

    order: Wholes
    rank: Wholes
    decided_by: Wholes


def ranks_of(score: Floats, chain: Sequence[Floats], unqualified: Truths, last: Wholes) -> Ranks:
    """Return the ranking of K tallies by score, then by the tie-breaks; NaN means no value and sorts last.

    score, each of ``chain`` and unqualified: K. last: K, sorts tallies that share a rank, lowest first.
    """
    figures = [score, *chain]
    keys = [unqualified]
    for values in figures:
        absent = np.isnan(values)
        keys += [absent, np.where(absent, 0.0, -values)]
    order: Wholes = np.lexsort((last, *reversed(keys)))
    rank, decided = np.zeros(len(order), dtype=np.int64), np.zeros(len(order), dtype=np.int64)
    count = int((~unqualified).sum())
    if count:
        steps = _find_first_differences([values[order[:count]] for values in figures])
        level = np.cumsum(steps >= 0) - 1
        rank[order[:count]] = rank_sorted_values(level)
        decided[order[:count]] = find_deciding_tie_breaks(steps[steps >= 0])[level]
    return Ranks(order, rank, decided)


def rank_sorted_values(values: Floats | Wholes | Sequence[float], better: int = 0, level: int = 0) -> Wholes:
    """Return the ranks of K sorted values, best first: equal values share a rank (1-2-2-4).

    If other lines precede them, ``better`` of those are better than the first value and ``level`` are equal to it.
    """
    column = np.asarray(values)
    rank = better + level + np.arange(1, len(column) + 1)
    rank[:1] = better + 1
    rank[1:][column[1:] == column[:-1]] = 0
    return np.maximum.accumulate(rank)


def rank_scores(in_order: Floats, scores: Floats) -> Wholes:
    """Return the ranks of scores among a board's scores, which are sorted ascending."""
    ranks: Wholes = len(in_order) - np.searchsorted(in_order, scores, side="right") + 1
    return ranks


def _find_first_differences(columns: Sequence[Floats]) -> Wholes:
    """Return for each line of a ranking the first figure that differs from the line before (first line: 0), or -1."""
    steps = np.full(len(columns[0]), -1, dtype=np.int64)
    for step, values in reversed(list(enumerate(columns))):
        current, previous = values[1:], values[:-1]
        is_equal = (current == previous) | (np.isnan(current) & np.isnan(previous))
        steps[1:][~is_equal] = step
    steps[0] = 0
    return steps


def find_deciding_tie_breaks(steps: Wholes) -> Wholes:
    """Return for each level the earliest tie-break that separates it from an adjacent level, 0 if the score does.

    ``steps``: the figure that separates each level from the one above, 0 for the first.
    """
    below = np.append(steps[1:], 0)
    maximum = np.iinfo(np.int64).max
    earliest = np.minimum(np.where(steps > 0, steps, maximum), np.where(below > 0, below, maximum))
    return np.where(earliest == maximum, 0, earliest)
