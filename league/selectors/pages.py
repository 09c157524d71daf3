"""Questions that only pages ask."""

from collections.abc import Sequence

from django.db.models import Q

from league.models import League, Rule
from league.names import key_of
from league.selectors.leaderboard.listing import Listing, listed
from league.selectors.leaderboard.ranks import ranks_of_some
from league.selectors.leaderboard.rows import Row, complete, read_rows
from league.selectors.permissions import STRANGER, Viewer
from league.selectors.player_states import system_shown
from league.selectors.players.find import named, spelled_by


def search_board(
    league: League, listing: Listing, text: str, limit: int, rules: Sequence[Rule], viewer: Viewer = STRANGER
) -> list[Row]:
    """Return the rows of players whose handle, name or a spelling holds the text, with their rank on the whole board.

    A spelling that ``viewer`` may not know finds nobody.
    """
    board = listed(league, listing).order_by("-score", "-rating", "player__handle")
    key = key_of(text)
    spelled = Q(player__handle__icontains=key) | spelled_by(key, viewer, "player_id")
    found = board.filter(named(board, "player__", key, limit) | spelled).order_by().values("pk")
    sql, values = found.query.sql_with_params()
    rows = read_rows(league, listing, limit, f" AND r.id IN ({sql})", values)
    if rows:
        complete(system_shown(league, rules), rows, ranks_of_some(league, listing, [row.score for row in rows]))
    return rows
