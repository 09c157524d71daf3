"""Compares two states of a leaderboard, with arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import NamedTuple

import numpy as np

from league.core.db.columns import Column
from league.core.leaderboard.selectors.current_board import (
    BoardScores,
    build_listing,
    load_inactive_players,
    load_names,
)
from league.models import League, Rating
from ratings.columns.tallies import convert_nan_to_none, rank_scores


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


def load_whole_board(league: League, now: datetime) -> WholeBoard:
    """Return the current leaderboard of a league, including unlisted players with ratings."""
    rows = BoardScores.read(Rating.objects.filter(league=league).order_by())
    rows = rows.of(np.argsort(rows.player))
    is_listed = ~np.isin(rows.player, load_inactive_players(league)) & build_listing(league, now).flags(
        rows.games, rows.last_at
    )
    ranks = rank_scores(np.sort(rows.score[is_listed]), rows.score)
    return WholeBoard(rows.player, rows.score, np.where(is_listed, ranks, 0))


def compute_moves(
    before: WholeBoard,
    after: WholeBoard,
    table: Sequence[int],
    decimals: int,
    max_rows: int = 12,
    max_reranked: int = 0,
) -> BoardMoves:
    """Return the changes between two states; ``table``: the players to show first.

    ``max_reranked``: how many more are shown because their rank changes.
    """
    players = np.union1d(before.player, after.player)
    (score_before, rank_one), (score_after, rank_two) = align_board(before, players), align_board(after, players)
    shift = np.abs(score_after - score_before)
    # Entering and leaving count as the largest changes.
    shift[np.isnan(shift)] = np.inf
    own_places = [place for place in _find_indices(players, table) if place >= 0]
    notable = (shift >= 10.0**-decimals) | (rank_one != rank_two)
    notable[own_places] = False
    places = np.flatnonzero(notable)
    places = places[np.argsort(-shift[places], kind="stable")]
    first, rest = np.split(places, [max(max_rows - len(own_places), 0)])
    reranked = rest[rank_one[rest] != rank_two[rest]][:max_reranked]
    selected = np.array([*own_places, *first.tolist(), *reranked.tolist()], dtype=np.int64)
    is_remaining = np.ones(len(players), dtype=bool)
    is_remaining[selected] = False
    farthest = float(shift[is_remaining].max(initial=0.0))
    rows = load_named_moves(
        players[selected], (score_before[selected], score_after[selected]), (rank_one[selected], rank_two[selected])
    )
    return BoardMoves(
        rows, int(is_remaining.sum()), round_up(farthest, decimals), int((rank_one != rank_two)[is_remaining].sum())
    )


def round_up(value: float, decimals: int) -> float | None:
    """Return a bound rounded up as printed; None if it is infinite."""
    scale = 10.0**decimals
    return ceil(value * scale - 1e-9) / scale if value < np.inf else None


def _find_indices(players: Column, keys: Sequence[int]) -> list[int]:
    """Return the index of each key among the players, -1 if absent."""
    places = np.searchsorted(players, list(keys)).tolist() if len(players) else [0] * len(keys)
    return [
        place if place < len(players) and players[place] == key else -1 for place, key in zip(places, keys, strict=True)
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
    names_by_key = load_names(keys)
    old, new = ([rank or None for rank in column.tolist()] for column in ranks)
    pairs = zip(keys, *map(convert_nan_to_none, scores), old, new, strict=True)
    return [
        RankMove(key, *names_by_key[key], before, after, first, second) for key, before, after, first, second in pairs
    ]
