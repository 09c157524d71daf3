"""Compares two states of a leaderboard, with arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import NamedTuple

import numpy as np

from league.core.db.columns import Column
from league.core.leaderboard.selectors.current_board import BoardScores, inactive, listing_of, load_names
from league.models import League, Rating
from ratings.columns.tallies import optional, ranks_among


@dataclass(frozen=True)
class WholeBoard:
    """A leaderboard as columns, by ascending player id; rank 0 means not listed."""

    player: Column
    score: Column
    rank: Column


class RankMove(NamedTuple):
    """A player's score and rank in two states; None if absent."""

    player: int
    handle: str
    name: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None


@dataclass(frozen=True)
class BoardMoves:
    """The changes between two states of a board.

    rows: the game's players in order, then others, largest changes first. others: the number of players not shown;
    their changes are at most ``within`` (None: some enter or leave), and ``reranked`` of them change rank.
    """

    rows: list[RankMove]
    others: int
    within: float | None
    reranked: int

    @property
    def ranks_change(self) -> bool:
        """Return whether any rank changes."""
        return bool(self.reranked) or any(row.rank_before != row.rank_after for row in self.rows)


def whole_board(league: League, now: datetime) -> WholeBoard:
    """Return the current leaderboard of a league, including unlisted players with ratings."""
    rows = BoardScores.read(Rating.objects.filter(league=league).order_by())
    rows = rows.of(np.argsort(rows.player))
    listed = ~np.isin(rows.player, inactive(league)) & listing_of(league, now).flags(rows.games, rows.last_at)
    ranks = ranks_among(np.sort(rows.score[listed]), rows.score)
    return WholeBoard(rows.player, rows.score, np.where(listed, ranks, 0))


def moves_between(
    before: WholeBoard, after: WholeBoard, table: Sequence[int], decimals: int, most: int = 12
) -> BoardMoves:
    """Return the changes between two states; ``table``: the players to show first."""
    players = np.union1d(before.player, after.player)
    (one, rank_one), (two, rank_two) = align_board(before, players), align_board(after, players)
    shift = np.abs(two - one)
    # Entering and leaving count as the largest changes.
    shift[np.isnan(shift)] = np.inf
    own = [place for place in rows_among(players, table) if place >= 0]
    notable = (shift >= 10.0**-decimals) | (rank_one != rank_two)
    notable[own] = False
    found = np.flatnonzero(notable)
    found = found[np.argsort(-shift[found], kind="stable")][: max(most - len(own), 0)]
    chosen = np.array([*own, *found.tolist()], dtype=np.int64)
    rest = np.ones(len(players), dtype=bool)
    rest[chosen] = False
    farthest = float(shift[rest].max(initial=0.0))
    rows = load_named_moves(players[chosen], (one[chosen], two[chosen]), (rank_one[chosen], rank_two[chosen]))
    return BoardMoves(rows, int(rest.sum()), rounded_up(farthest, decimals), int((rank_one != rank_two)[rest].sum()))


def rounded_up(value: float, decimals: int) -> float | None:
    """Return a bound rounded up as printed; None if it is infinite."""
    scale = 10.0**decimals
    return ceil(value * scale - 1e-9) / scale if value < np.inf else None


def rows_among(players: Column, wanted: Sequence[int]) -> list[int]:
    """Return the index of each key among the players, -1 if absent."""
    places = np.searchsorted(players, list(wanted)).tolist() if len(players) else [0] * len(wanted)
    return [
        place if place < len(players) and players[place] == key else -1
        for place, key in zip(places, wanted, strict=True)
    ]


def align_board(board: WholeBoard, players: Column) -> tuple[Column, Column]:
    """Return scores (NaN: none) and ranks (0: none) of all players in a state."""
    scores, ranks = np.full(len(players), np.nan), np.zeros(len(players), dtype=np.int64)
    places = np.searchsorted(players, board.player)
    scores[places], ranks[places] = board.score, board.rank
    return scores, ranks


def load_named_moves(players: Column, scores: tuple[Column, Column], ranks: tuple[Column, Column]) -> list[RankMove]:
    """Return the changes of some players with their names, in order."""
    keys = players.tolist()
    found = load_names(keys)
    old, new = ([rank or None for rank in column.tolist()] for column in ranks)
    pairs = zip(keys, *map(optional, scores), old, new, strict=True)
    return [RankMove(key, *found[key], before, after, first, second) for key, before, after, first, second in pairs]
