"""Pages of the leaderboard by key instead of offset, so that the last page is as fast as the first."""

from dataclasses import dataclass, replace

import numpy as np
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from league.core.db.columns import Column
from league.core.errors import Refused
from league.core.leaderboard.selectors.choice import rank_rows
from league.core.leaderboard.selectors.current_board import (
    BACKWARDS,
    BoardRow,
    Key,
    Listing,
    build_after_condition,
    build_before_condition,
    complete,
    count_better,
    count_level,
    find_listed_ratings,
    load_current_board,
    load_matching_players,
    read_rows,
)
from league.core.rules.selectors.rules import load_rules, load_shown_ratings
from league.models import League, Player, Rating
from ratings.columns.tallies import rank_sorted_values


@dataclass(frozen=True)
class BoardPage:
    """Rows of the board, and the key for the next page (None: the end)."""

    rows: list[BoardRow]
    next: Key | None


#: Up to this number, the database is given the players that may be on a page of a board by filter.
MAX_CANDIDATES = 3000


def load_board_page(
    league: League, listing: Listing, limit: int, after_position: Key | None = None, around: Player | None = None
) -> BoardPage:
    """Return at most ``limit`` rows after a key, or around a player, or from the top.

    Raises Refused if that player is not on the board.
    """
    ratings, in_order = find_listed_ratings(league, listing), None
    if listing.only:
        score = after_position[0] if after_position else None
        ratings, in_order = _find_candidates(league, listing, ratings, limit, score, around)
    if around is not None:
        rows = _load_rows_around(ratings, around, limit)
    else:
        rows = read_rows(
            ratings.filter(build_after_condition(after_position)) if after_position else ratings, limit + 1
        )
    page, better, level = rows[:limit], 0, 0
    if page and in_order is not None:
        rank_rows(league, page, in_order, load_rules(league))
    elif page:
        if after_position or around:
            better = count_better(league, listing, page[0].score)
            level = count_level(league, listing, page[0].key)
        ranks = rank_sorted_values([row.score for row in page], better, level)
        complete(load_shown_ratings(league, load_rules(league)), page, ranks.tolist())
    return BoardPage(page, page[-1].key if page and len(rows) > limit else None)


def _find_candidates(
    league: League, listing: Listing, ratings: QuerySet[Rating], limit: int, score: float | None, around: Player | None
) -> tuple[QuerySet[Rating], Column]:
    """Return the ratings that may be on a page of a board by filter, and the scores of that board, ascending.

    The page begins after a score, or is around a player. Both are selected from the cached columns, since a database
    would look up everyone whom the filter chooses, for the rows as for each count of better players.
    """
    board = load_current_board(league)
    scores = board.scores.of(
        board.eligible(listing) & np.isin(board.scores.player, load_matching_players(league, listing.only))
    )
    scores = scores.of(np.argsort(scores.score, kind="stable"))
    if around is not None:
        mine = scores.score[scores.player == around.pk]
        score = float(mine[0]) if len(mine) else None
    players = scores.player[_find_window(scores.score, limit, score, extra=limit if around else 0)]
    if len(players) <= MAX_CANDIDATES:
        ratings = find_listed_ratings(league, replace(listing, only=())).filter(player__in=players.tolist())
    return ratings, scores.score


def _find_window(in_order: Column, limit: int, score: float | None, extra: int) -> slice:
    """Return the part of some ascending scores that has a page: those before it, those level with it, and ``extra``.

    ``score``: where the page begins; None: at the top. All that are level with the first or last belong to it, as the
    database orders these.
    """
    first = last = len(in_order)
    if score is not None:
        first, last = (int(np.searchsorted(in_order, score, side=side)) for side in ("left", "right"))
    first, last = max(first - limit - 1, 0), min(last + extra, len(in_order))
    if first >= last:
        return slice(0, 0)
    return slice(
        int(np.searchsorted(in_order, in_order[first], side="left")),
        int(np.searchsorted(in_order, in_order[last - 1], side="right")),
    )


def _load_rows_around(ratings: QuerySet[Rating], player: Player, limit: int) -> list[BoardRow]:
    """Return the rows of a page with a player in the middle, and one more row.

    Raises Refused if the player is not on the board.
    """
    me = read_rows(ratings.filter(player=player), 1)
    if not me:
        raise Refused(_("{name} is not on this leaderboard.").format(name=player.name))
    rows_above = read_rows(ratings.filter(build_before_condition(me[0].key)), (limit - 1) // 2, BACKWARDS)
    return [
        *reversed(rows_above),
        *me,
        *read_rows(ratings.filter(build_after_condition(me[0].key)), limit - len(rows_above)),
    ]
