"""Pages of the leaderboard by key instead of offset, so that the last page is as fast as the first."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from league.core.errors import Refused
from league.core.leaderboard.selectors.current_board import (
    BACKWARDS,
    BoardRow,
    Key,
    Listing,
    after_key,
    before_key,
    complete,
    count_better,
    count_level,
    listed_ratings,
    read_rows,
)
from league.core.leagues.selectors.rules import rules_of, shown_ratings
from league.models import League, Player
from ratings.columns.tallies import ranks_in_order


@dataclass(frozen=True)
class BoardPage:
    """Rows of the board, and the key for the next page (None: the end)."""

    rows: list[BoardRow]
    next: Key | None


def board_page(
    league: League, listing: Listing, limit: int, after: Key | None = None, around: Player | None = None
) -> BoardPage:
    """Return at most ``limit`` rows after a key, or around a player, or from the top.

    Raises Refused if that player is not on the board.
    """
    if around is not None:
        found = rows_around(league, listing, around, limit)
    else:
        ratings = listed_ratings(league, listing)
        found = read_rows(ratings.filter(after_key(after)) if after else ratings, limit + 1)
    page, better, level = found[:limit], 0, 0
    if page and (after or around):
        better = count_better(league, listing, page[0].score)
        level = count_level(league, listing, page[0].key)
    if page:
        ranks = ranks_in_order([row.score for row in page], better, level)
        complete(shown_ratings(league, rules_of(league)), page, ranks.tolist())
    return BoardPage(page, page[-1].key if page and len(found) > limit else None)


def rows_around(league: League, listing: Listing, player: Player, limit: int) -> list[BoardRow]:
    """Return the rows of a page with a player in the middle, and one more row.

    Raises Refused if the player is not on the board.
    """
    ratings = listed_ratings(league, listing)
    me = read_rows(ratings.filter(player=player), 1)
    if not me:
        raise Refused(_("{name} is not on this leaderboard.").format(name=player.name))
    before = read_rows(ratings.filter(before_key(me[0].key)), (limit - 1) // 2, BACKWARDS)
    return [*reversed(before), *me, *read_rows(ratings.filter(after_key(me[0].key)), limit - len(before))]
