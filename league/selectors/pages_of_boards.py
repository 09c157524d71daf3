"""A page of the leaderboard by key, not by offset: as quick for the last page as for the first."""

from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet

from league.errors import Refused
from league.models import League, Player
from league.selectors.boards import Listing, listed
from league.selectors.ranks import count_better, count_level

#: (score, rating, handle): a place on the board; better ones come first, handles break what is left.
Key = tuple[float, float, str]

COLUMNS = ("handle", "name", "score", "rating", "games", "change", "peak", "last_at", "last_number")


@dataclass(frozen=True)
class BoardPage:
    """Rows as values with their rank, and the key after which the next page begins (None: the end)."""

    rows: list[dict[str, Any]]
    next: Key | None


def board_page(
    league: League, listing: Listing, limit: int, after: Key | None = None, around: Player | None = None
) -> BoardPage:
    """Return at most ``limit`` rows after a key, or around a player, or from the top.

    Raises Refused where the player to look around is not on the board.
    """
    board = listed(league, listing).annotate(handle=F("player__handle"), name=F("player__name"))
    first = around_start(board, around, limit) if around else None
    rows = board if after is None else board.filter(behind(after))
    if first is not None:
        # The bound on the score stands outside of the “or”: inside, no index would know where to begin.
        rows = board.filter(behind(first) | at(first), score__lte=first[0])
    found: list[dict[str, Any]] = list(rows.order_by("-score", "-rating", "handle").values(*COLUMNS)[: limit + 1])
    page = found[:limit]
    if after is None and first is None:
        rank_from(page, 1, 0)
    else:
        add_ranks(league, listing, page)
    more = len(found) > limit and page
    return BoardPage(page, key_of_row(page[-1]) if more else None)


def around_start(board: QuerySet[Any, Any], player: Player, limit: int) -> Key:
    """Return the key of the row at which a page around a player begins."""
    row = board.filter(player=player).values(*COLUMNS).first()
    if row is None:
        raise Refused(f"{player.name} is not on this leaderboard.")
    key = key_of_row(row)
    before = board.filter(ahead(key)).order_by("score", "rating", "-handle").values(*COLUMNS)[: (limit - 1) // 2]
    found = list(before)
    return key_of_row(found[-1]) if found else key


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


def behind(key: Key) -> Q:
    """Return the condition for rows after a key."""
    score, rating, handle = key
    same = Q(score=score)
    # The first condition says nothing new, but an index knows where to begin.
    return Q(score__lte=score) & (
        Q(score__lt=score) | (same & Q(rating__lt=rating)) | (same & Q(rating=rating, player__handle__gt=handle))
    )


def ahead(key: Key) -> Q:
    """Return the condition for rows before a key."""
    score, rating, handle = key
    same = Q(score=score)
    return Q(score__gte=score) & (
        Q(score__gt=score) | (same & Q(rating__gt=rating)) | (same & Q(rating=rating, player__handle__lt=handle))
    )


def at(key: Key) -> Q:
    """Return the condition for the row of a key."""
    return Q(score=key[0], rating=key[1], player__handle=key[2])
