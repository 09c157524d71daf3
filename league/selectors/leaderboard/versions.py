"""What tells, in one query, whether a league's board may have changed since somebody looked."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.db.models import Min

from league.db.statements import ask, ask_first
from league.models import League
from league.selectors.leaderboard.boards import Listing, listed

#: Every change of a board moves one of these: a game takes a number, a replay or rebuilt ratings are
#: counted, settings stand in the row, edits of players are counted by a trigger. The last game's time
#: and the league's own tell a restored or made-anew league from the one before.
STATE = """
SELECT l.id, l.visibility, l.last_number, l.replays, l.stale_from, l.stale_key, l.min_games,
       l.inactive_after_days, l.time_zone, l.created_at,
       (SELECT g.recorded_at FROM league_game g WHERE g.league_id = l.id AND g.number = l.last_number),
       (SELECT e.count FROM league_edits e WHERE e.name = 'players')
  FROM league_league l WHERE l.slug = %s
"""

#: Equal states, equal boards, as long as nobody leaves a board by not playing (``stands_until``).
State = tuple[Any, ...]


def board_state(slug: str, asked: Callable[..., list[State]] = ask) -> State | None:
    """Return the state of a league's board, asked in this way; None where there is no such league."""
    rows = asked(STATE, [slug])
    return rows[0] if rows else None


def league_of(slug: str, state: State) -> League:
    """Return as much of a league as its board depends on."""
    return League(
        pk=state[0],
        slug=slug,
        visibility=state[1],
        last_number=state[2],
        min_games=state[6],
        inactive_after_days=state[7],
        time_zone=state[8],
    )


def public_state(slug: str) -> State | None:
    """Return the state of a public league's board, None for any other; the query is the connection's health check, too.

    None as well where the database does not answer: the view says so.
    """
    try:
        state = board_state(slug, ask_first)
    except (DatabaseError, InterfaceError):
        return None
    return state if state is not None and state[1] == League.Visibility.PUBLIC else None


def stands_until(league: League, listing: Listing, *, by_clock: bool) -> datetime | None:
    """Return the moment after which the next player leaves the board by not playing; None: it stays so by itself.

    ``by_clock`` is False where the asker has named the day himself.
    """
    if not by_clock or league.inactive_after_days is None:
        return None
    oldest = listed(league, listing).aggregate(oldest=Min("last_at"))["oldest"]
    return None if oldest is None else oldest + timedelta(days=league.inactive_after_days)
