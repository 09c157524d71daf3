"""A page of the leaderboard by key, not by offset: as quick for the last page as for the first; and by its number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from league.errors import Refused
from league.models import League, Player, Rule
from league.selectors.leaderboard.listing import Listing
from league.selectors.leaderboard.ranks import count_better, count_level
from league.selectors.leaderboard.rows import BACKWARDS, Key, Row, complete, read_from, read_rows
from league.selectors.player_states import system_shown
from ratings.columns.rankings import ranks_in_order

#: The first condition says nothing new, but an index knows where to begin.
KEYED = """
   AND r.score {0}= %s
   AND (r.score {0} %s OR (r.score = %s AND (r.rating {0} %s OR (r.rating = %s AND p.handle {1} %s))))"""
BEHIND, FROM, AHEAD = KEYED.format("<", ">"), KEYED.format("<", ">="), KEYED.format(">", "<")


@dataclass(frozen=True)
class BoardPage:
    """Rows of the board, and the key after which the next page begins (None: the end)."""

    rows: list[Row]
    next: Key | None


def board_page(
    league: League, listing: Listing, limit: int, after: Key | None = None, around: Player | None = None
) -> BoardPage:
    """Return at most ``limit`` rows after a key, or around a player, or from the top.

    Raises Refused where the player to look around is not on the board.
    """
    if around is not None:
        found = rows_around(league, listing, around, limit)
    else:
        found = read_rows(league, listing, limit + 1, *((BEHIND, keyed(after)) if after else ()))
    page, better, level = found[:limit], 0, 0
    if page and (after or around):
        better = count_better(league, listing, page[0].score)
        level = count_level(league, listing, page[0].key)
    with_ranks(league, page, better, level)
    return BoardPage(page, page[-1].key if page and len(found) > limit else None)


def rows_around(league: League, listing: Listing, player: Player, limit: int) -> list[Row]:
    """Return the rows of the page around a player, who has as many before them as after them, and one row more.

    Raises Refused where the player is not on the board.
    """
    me = read_rows(league, listing, 1, " AND r.player_id = %s", [player.pk])
    if not me:
        raise Refused(_("{name} is not on this leaderboard.").format(name=player.name))
    key = keyed(me[0].key)
    before = read_rows(league, listing, (limit - 1) // 2, AHEAD, key, BACKWARDS)
    return [*reversed(before), *read_rows(league, listing, limit + 1 - len(before), FROM, key)]


def keyed(key: Key) -> list[Any]:
    """Return the parameters of BEHIND, FROM or AHEAD of a key."""
    score, rating, handle = key
    return [score, score, score, rating, rating, handle]


def rows_at(league: League, listing: Listing, places: range, rules: Sequence[Rule]) -> list[Row]:
    """Return the rows at some places of the board, 0 being the first; ``rules`` are the league's."""
    if not places:
        return []
    page, better = read_from(league, listing, places.start, len(places))
    with_ranks(league, page, better, places.start - better, rules)
    return page


def with_ranks(
    league: League, page: Sequence[Row], better: int, level: int, rules: Sequence[Rule] | None = None
) -> None:
    """Complete rows that follow each other, the first after ``better`` ones and ``level`` of its own score."""
    if page:
        ranks = ranks_in_order([row.score for row in page], better, level)
        complete(system_shown(league, rules), page, ranks.tolist())
