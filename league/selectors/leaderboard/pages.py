"""A page of the leaderboard by key, not by offset: as quick for the last page as for the first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from league.db.statements import ask, moment
from league.errors import Refused
from league.models import League, Player
from league.selectors.leaderboard.boards import Listing, listed_sql
from league.selectors.leaderboard.ranks import count_better, count_level
from league.selectors.player_states import BESIDE, put_states

#: (score, rating, handle): a place on the board; better ones come first, handles break what is left.
Key = tuple[float, float, str]

COLUMNS = ("handle", "name", "score", "rating", "games", "change", "peak", "last_at", "last_number", *BESIDE)
ROWS = (
    "SELECT p.handle, p.name, r.score, r.rating, r.games, r.change, r.peak, r.last_at, r.last_number, "
    "r.state_1, r.state_2, r.state_3"
)
FORWARDS = "r.score DESC, r.rating DESC, p.handle"
BACKWARDS = "r.score, r.rating, p.handle DESC"
#: The first condition says nothing new, but an index knows where to begin.
KEYED = """
   AND r.score {0}= %s
   AND (r.score {0} %s OR (r.score = %s AND (r.rating {0} %s OR (r.rating = %s AND p.handle {1} %s))))"""
BEHIND, FROM, AHEAD = KEYED.format("<", ">"), KEYED.format("<", ">="), KEYED.format(">", "<")


@dataclass(frozen=True)
class BoardPage:
    """Rows as values with their rank and whole state, and the key after which the next page begins (None: the end)."""

    rows: list[dict[str, Any]]
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
        found = rows_of(league, listing, limit + 1, *((BEHIND, keyed(after)) if after else ()))
    page = found[:limit]
    if after is None and around is None:
        rank_from(page, 1, 0)
    else:
        add_ranks(league, listing, page)
    put_states(league, page)
    more = len(found) > limit and page
    return BoardPage(page, key_of_row(page[-1]) if more else None)


def rows_of(
    league: League,
    listing: Listing,
    count: int,
    condition: str = "",
    values: Sequence[Any] = (),
    order: str = FORWARDS,
) -> list[dict[str, Any]]:
    """Return at most ``count`` rows of the board of which a condition holds, in one query."""
    sql, parameters = listed_sql(league, listing)
    rows = ask(f"{ROWS}{sql}{condition} ORDER BY {order} LIMIT %s", [*parameters, *values, count])
    found = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    for row in found:
        row["last_at"] = moment(row["last_at"])
    return found


def rows_around(league: League, listing: Listing, player: Player, limit: int) -> list[dict[str, Any]]:
    """Return the rows of the page around a player, who has as many before him as after him, and one row more.

    Raises Refused where the player is not on the board.
    """
    me = rows_of(league, listing, 1, " AND r.player_id = %s", [player.pk])
    if not me:
        raise Refused(f"{player.name} is not on this leaderboard.")
    key = keyed(key_of_row(me[0]))
    before = rows_of(league, listing, (limit - 1) // 2, AHEAD, key, BACKWARDS)
    return [*reversed(before), *rows_of(league, listing, limit + 1 - len(before), FROM, key)]


def add_ranks(league: League, listing: Listing, page: list[dict[str, Any]]) -> None:
    """Give each row its rank: equal scores share one (1-2-2-4). As quick however deep the page is."""
    if not page:
        return
    score, rating, handle = key_of_row(page[0])
    better = count_better(league, listing, score)
    rank_from(page, better + 1, better + count_level(league, listing, score, rating, handle))


def rank_from(page: list[dict[str, Any]], rank: int, position: int) -> None:
    """Give each row its rank, from the first one's and how many stand before it."""
    score = page[0]["score"] if page else None
    for index, row in enumerate(page):
        if row["score"] != score:
            rank, score = position + index + 1, row["score"]
        row["rank"] = rank


def key_of_row(row: dict[str, Any]) -> Key:
    """Return the key of a row."""
    return row["score"], row["rating"], row["handle"]


def keyed(key: Key) -> list[Any]:
    """Return the parameters of BEHIND, FROM or AHEAD of a key."""
    score, rating, handle = key
    return [score, score, score, rating, rating, handle]
