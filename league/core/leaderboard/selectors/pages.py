"""Pages of the leaderboard by key instead of offset, so that the last page is as fast as the first."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from league.core.errors import Refused
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
    read_rows,
)
from league.core.rules.selectors.rules import load_rules, load_shown_ratings
from league.models import League, Player
from ratings.columns.tallies import rank_sorted_values


@dataclass(frozen=True)
class BoardPage:
    """Rows of the board, and the key for the next page (None: the end)."""

    rows: list[BoardRow]
    next: Key | None


def load_board_page(
    league: League, listing: Listing, limit: int, after_position: Key | None = None, around: Player | None = None
) -> BoardPage:
    """Return at most ``limit`` rows after a key, or around a player, or from the top.

    Raises Refused if that player is not on the board.
    """
    if around is not None:
        rows = _load_rows_around(league, listing, around, limit)
    else:
        ratings = find_listed_ratings(league, listing)
        rows = read_rows(
            ratings.filter(build_after_condition(after_position)) if after_position else ratings, limit + 1
        )
    page, better, level = rows[:limit], 0, 0
    if page and (after_position or around):
        better = count_better(league, listing, page[0].score)
        level = count_level(league, listing, page[0].key)
    if page:
        ranks = rank_sorted_values([row.score for row in page], better, level)
        complete(load_shown_ratings(league, load_rules(league)), page, ranks.tolist())
    return BoardPage(page, page[-1].key if page and len(rows) > limit else None)


def _load_rows_around(league: League, listing: Listing, player: Player, limit: int) -> list[BoardRow]:
    """Return the rows of a page with a player in the middle, and one more row.

    Raises Refused if the player is not on the board.
    """
    ratings = find_listed_ratings(league, listing)
    me = read_rows(ratings.filter(player=player), 1)
    if not me:
        raise Refused(_("{name} is not on this leaderboard.").format(name=player.name))
    rows_above = read_rows(ratings.filter(build_before_condition(me[0].key)), (limit - 1) // 2, BACKWARDS)
    return [
        *reversed(rows_above),
        *me,
        *read_rows(ratings.filter(build_after_condition(me[0].key)), limit - len(rows_above)),
    ]
