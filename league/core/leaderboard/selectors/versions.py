"""Invalidation of cached boards: one query for everything that a board depends on.

``State`` invalidates the cached answers of ``league.web.api.leaderboard`` and the columns of ``ranks``;
``stands_until`` invalidates those answers when the next player leaves for inactivity.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import DatabaseError, InterfaceError
from django.db.models import Min

from league.core.db.statements import ask, ask_first
from league.core.leaderboard.selectors.listing import Listing, listed_ratings
from league.models import League

#: Every change of a board changes one of these: a game takes a number, replays and rebuilt ratings are
#: counted, settings are in the row, edits of players are counted by a trigger. The times of the last game
#: and of the league distinguish a restored or recreated league from its predecessor.
STATE = """
SELECT l.id, l.visibility, l.last_number, l.replays, l.stale_from, l.stale_key, l.min_games,
       l.inactive_after_days, l.time_zone, l.created_at,
       (SELECT g.recorded_at FROM league_game g WHERE g.league_id = l.id AND g.number = l.last_number),
       (SELECT e.count FROM league_edits e WHERE e.name = 'players')
  FROM league_league l WHERE l.slug = %s
"""


class State(NamedTuple):
    """A row of STATE: equal states imply equal boards, until a player leaves for inactivity (``stands_until``).

    Times are as returned by the database.
    """

    league: int
    visibility: str
    last_number: int
    replays: int
    stale_from: Any
    stale_key: int | None
    min_games: int
    inactive_after_days: int | None
    time_zone: str
    created_at: Any
    last_recorded_at: Any
    edits: int | None


def board_state(slug: str, asked: Callable[..., list[tuple[Any, ...]]] = ask) -> State | None:
    """Return the state of a league's board, using ``asked`` as query function; None if there is no such league."""
    rows = asked(STATE, [slug])
    return State(*rows[0]) if rows else None


def league_of(slug: str, state: State) -> League:
    """Return a partial league with the fields that its board depends on."""
    return League(
        pk=state.league,
        slug=slug,
        visibility=state.visibility,
        last_number=state.last_number,
        min_games=state.min_games,
        inactive_after_days=state.inactive_after_days,
        time_zone=state.time_zone,
    )


def public_state(slug: str) -> State | None:
    """Return the state of a public league's board, None for any other; the query is the connection's health check, too.

    Also None if the database does not answer, which the view reports.
    """
    try:
        state = board_state(slug, ask_first)
    except (DatabaseError, InterfaceError):
        return None
    return state if state is not None and state.visibility == League.Visibility.PUBLIC else None


def stands_until(league: League, listing: Listing, *, by_clock: bool) -> datetime | None:
    """Return when the next player leaves the board for inactivity, None if none does.

    ``by_clock`` is False if the client gave the day.
    """
    if not by_clock or league.inactive_after_days is None:
        return None
    oldest = listed_ratings(league, listing).aggregate(oldest=Min("last_at"))["oldest"]
    return None if oldest is None else oldest + timedelta(days=league.inactive_after_days)
