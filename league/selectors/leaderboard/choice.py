"""A page of the board as somebody wants it: of some people, in another order; chosen by the columns that are kept.

Ranks are those on the whole board, however few of it are shown and in whatever order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from league.db.columns import Column, Columns, Floats, Keys
from league.db.statements import placeholders
from league.db.times import micros
from league.models import League, Rating, Rule
from league.selectors.leaderboard.listing import Listing
from league.selectors.leaderboard.pages import with_ranks
from league.selectors.leaderboard.ranks import Board, count_level
from league.selectors.leaderboard.rows import Row, complete, read_rows
from league.selectors.player_states import system_shown

#: What a board is ordered by, the greatest first: its own order, and those that a reader may choose.
SCORE, CHANGE = "score", "change"
ORDERS = {SCORE: "score", "games": "games", CHANGE: "change", "played": "last_at"}


@dataclass(frozen=True)
class Changes(Columns):
    """What the last game of each player changed, which is not kept: few ask for this order."""

    player: Keys
    change: Floats


@dataclass(frozen=True)
class Choice:
    """Who of the board is wanted, in which order. since: a last game on or after it. upwards: the least first."""

    since: datetime | None = None
    min_games: int = 0
    order: str = SCORE
    upwards: bool = False

    @property
    def whole(self) -> bool:
        """Tell whether it is the whole board in its own order."""
        return self == Choice()


def players_chosen(league: League, board: Board, listing: Listing, choice: Choice) -> Column:
    """Return the keys of who is wanted in their order; of equal ones who stands higher on the board comes first."""
    scores = board.scores
    flags = board.eligible(listing) & (scores.games >= choice.min_games)
    if choice.since is not None:
        flags &= scores.last_at >= micros(choice.since)
    found = np.flatnonzero(flags)
    by = (changes_of(league, board) if choice.order == CHANGE else getattr(scores, ORDERS[choice.order]))[found]
    order = np.lexsort((scores.player[found], -scores.score[found], by if choice.upwards else -by))
    players: Column = scores.player[found[order]]
    return players


def changes_of(league: League, board: Board) -> Column:
    """Return what the last game of each player of a board changed, 0 of who has none in the books of now."""
    read = Changes.read(Rating.objects.filter(league=league).order_by("player_id"))
    found = np.zeros(len(board.scores))
    there = np.isin(board.scores.player, read.player)
    found[there] = read.change[np.searchsorted(read.player, board.scores.player[there])]
    return found


def rows_of_players(
    league: League, listing: Listing, players: Sequence[int], in_order: Column, rules: Sequence[Rule]
) -> list[Row]:
    """Return the rows of some listed players in their order; ``in_order``: the scores of the whole board."""
    condition = f" AND r.player_id IN ({placeholders(len(players))})"
    found = {row.player: row for row in read_rows(league, listing, len(players), condition, players)} if players else {}
    rows = [found[player] for player in players if player in found]
    if rows:
        better = len(in_order) - np.searchsorted(in_order, [row.score for row in rows], side="right")
        complete(system_shown(league, rules), rows, (better + 1).tolist())
    return rows


def rows_in_order(
    league: League, listing: Listing, places: range, in_order: Column, rules: Sequence[Rule]
) -> list[Row]:
    """Return the rows at some places of the whole board, 0 being the first; as quick for the last as for the first."""
    if not places:
        return []
    score = float(in_order[len(in_order) - 1 - places.start])
    better = len(in_order) - int(np.searchsorted(in_order, score, side="right"))
    level = places.start - better
    rows = read_rows(league, listing, len(places), " AND r.score <= %s", [score], skip=level)
    with_ranks(league, rows, better, level, rules)
    return rows


def place_on_board(league: League, listing: Listing, player: int, in_order: Column) -> int | None:
    """Return at which place of the whole board a player stands, 0 being the first; None where they are not on it."""
    found = read_rows(league, listing, 1, " AND r.player_id = %s", [player])
    if not found:
        return None
    better = len(in_order) - int(np.searchsorted(in_order, found[0].score, side="right"))
    return better + count_level(league, listing, found[0].key)
