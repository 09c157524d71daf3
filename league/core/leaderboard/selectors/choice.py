"""Filtered and sorted pages of the board, selected from the cached columns.

Ranks are always those on the complete board.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from league.core.db.columns import Column, convert_to_micros
from league.core.leaderboard.selectors.current_board import (
    BoardRow,
    LeagueBoard,
    Listing,
    complete,
    count_level,
    find_listed_ratings,
    read_rows,
)
from league.core.rules.selectors.rules import load_shown_ratings
from league.models import League, Rule
from ratings.columns.tallies import rank_scores

#: The available orders, highest value first: the default, and others.
SCORE = "score"
ORDERS = {SCORE: "score", "games": "games", "change": "change", "played": "last_at"}


@dataclass(frozen=True)
class BoardFilter:
    """A filter and an order of the board. since: last game on or after it. upwards: lowest value first."""

    since: datetime | None = None
    min_games: int = 0
    order: str = SCORE
    upwards: bool = False

    @property
    def whole(self) -> bool:
        """Return whether it selects the complete board in its default order."""
        return self == BoardFilter()


def select_players(board: LeagueBoard, listing: Listing, choice: BoardFilter) -> Column:
    """Return the selected players in order; ties are in the order of the board."""
    scores = board.scores
    flags = board.eligible(listing) & (scores.games >= choice.min_games)
    if choice.since is not None:
        flags &= scores.last_at >= convert_to_micros(choice.since)
    indices = np.flatnonzero(flags)
    sort_values = getattr(scores, ORDERS[choice.order])[indices]
    order = np.lexsort(
        (scores.player[indices], -scores.score[indices], sort_values if choice.upwards else -sort_values)
    )
    players: Column = scores.player[indices[order]]
    return players


def load_rows_of_players(
    league: League, listing: Listing, players: Sequence[int], in_order: Column, rules: Sequence[Rule]
) -> list[BoardRow]:
    """Return the rows of some listed players in the given order; ``in_order``: the scores of the complete board."""
    rows_by_player = {
        row.player: row
        for row in read_rows(find_listed_ratings(league, listing).filter(player__in=players), len(players))
    }
    rows = [rows_by_player[player] for player in players if player in rows_by_player]
    rank_rows(league, rows, in_order, rules)
    return rows


def rank_rows(league: League, rows: Sequence[BoardRow], in_order: Column, rules: Sequence[Rule]) -> None:
    """Complete rows with their ranks among the scores of the complete board."""
    if rows:
        ranks = rank_scores(in_order, np.array([row.score for row in rows]))
        complete(load_shown_ratings(league, rules), rows, ranks.tolist())


def load_rows_at_places(
    league: League, listing: Listing, places: range, in_order: Column, rules: Sequence[Rule]
) -> list[BoardRow]:
    """Return the rows at some places (from 0) of the complete board, equally fast for all places."""
    if not places:
        return []
    score = float(in_order[len(in_order) - 1 - places.start])
    level = places.start + 1 - int(rank_scores(in_order, np.array(score)))
    rows = read_rows(find_listed_ratings(league, listing).filter(score__lte=score), len(places), skip=level)
    rank_rows(league, rows, in_order, rules)
    return rows


def place_on_board(league: League, listing: Listing, player: int, in_order: Column) -> int | None:
    """Return a player's place (from 0) on the complete board; None if they are not on it."""
    rows = read_rows(find_listed_ratings(league, listing).filter(player=player), 1)
    if not rows:
        return None
    better = int(rank_scores(in_order, np.array(rows[0].score))) - 1
    return better + count_level(league, listing, rows[0].key)
