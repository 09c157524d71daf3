"""A page of the board as someone wants it: of some people, in another order; chosen by the columns that are kept.

Ranks are those on the whole board, however few of it are shown and in whatever order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from league.core.db.columns import Column
from league.core.db.times import to_micros
from league.core.leaderboard.selectors.listing import Listing, listed_ratings
from league.core.leaderboard.selectors.ranks import LeagueBoard, count_level
from league.core.leaderboard.selectors.rows import BoardRow, complete, read_rows
from league.core.replay.selectors.player_states import shown_ratings
from league.models import League, Rule
from ratings.columns.rankings import ranks_among

#: What a board is ordered by, the greatest first: its own order, and those that a reader may choose.
SCORE = "score"
ORDERS = {SCORE: "score", "games": "games", "change": "change", "played": "last_at"}


@dataclass(frozen=True)
class BoardFilter:
    """Who of the board is wanted, in which order. since: a last game on or after it. upwards: the least first."""

    since: datetime | None = None
    min_games: int = 0
    order: str = SCORE
    upwards: bool = False

    @property
    def whole(self) -> bool:
        """Return whether it is the whole board in its own order."""
        return self == BoardFilter()


def players_chosen(board: LeagueBoard, listing: Listing, choice: BoardFilter) -> Column:
    """Return the keys of who is wanted in their order; of equal ones who stands higher on the board comes first."""
    scores = board.scores
    flags = board.eligible(listing) & (scores.games >= choice.min_games)
    if choice.since is not None:
        flags &= scores.last_at >= to_micros(choice.since)
    found = np.flatnonzero(flags)
    by = getattr(scores, ORDERS[choice.order])[found]
    order = np.lexsort((scores.player[found], -scores.score[found], by if choice.upwards else -by))
    players: Column = scores.player[found[order]]
    return players


def rows_of_players(
    league: League, listing: Listing, players: Sequence[int], in_order: Column, rules: Sequence[Rule]
) -> list[BoardRow]:
    """Return the rows of some listed players in their order; ``in_order``: the scores of the whole board."""
    found = {
        row.player: row for row in read_rows(listed_ratings(league, listing).filter(player__in=players), len(players))
    }
    rows = [found[player] for player in players if player in found]
    rank_rows(league, rows, in_order, rules)
    return rows


def rank_rows(league: League, rows: Sequence[BoardRow], in_order: Column, rules: Sequence[Rule]) -> None:
    """Complete rows with their ranks among the scores of the whole board."""
    if rows:
        ranks = ranks_among(in_order, np.array([row.score for row in rows]))
        complete(shown_ratings(league, rules), rows, ranks.tolist())


def rows_in_order(
    league: League, listing: Listing, places: range, in_order: Column, rules: Sequence[Rule]
) -> list[BoardRow]:
    """Return the rows at some places of the whole board, 0 being the first; as quick for the last as for the first."""
    if not places:
        return []
    score = float(in_order[len(in_order) - 1 - places.start])
    level = places.start + 1 - int(ranks_among(in_order, np.array(score)))
    rows = read_rows(listed_ratings(league, listing).filter(score__lte=score), len(places), skip=level)
    rank_rows(league, rows, in_order, rules)
    return rows


def place_on_board(league: League, listing: Listing, player: int, in_order: Column) -> int | None:
    """Return at which place of the whole board a player stands, 0 being the first; None if they are not on it."""
    found = read_rows(listed_ratings(league, listing).filter(player=player), 1)
    if not found:
        return None
    better = int(ranks_among(in_order, np.array(found[0].score))) - 1
    return better + count_level(league, listing, found[0].key)
