"""What throws a kept board away: all that tells, in one query, whether it may have changed since someone looked.

``State`` throws away the answers that ``league.web.api.leaderboard`` keeps, and the columns of ``ranks``;
``stands_until`` those answers when the next player leaves by not playing.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import DatabaseError, InterfaceError
from django.db.models import Min

from league.core.db.statements import ask, ask_first
from league.core.leaderboard.selectors.listing import Listing, listed_ratings
from league.models import League

#: Every change of a board moves one of these: a game takes a number, a replay or rebuilt ratings are
#: counted, settings stand in the row, edits of players are counted by a trigger. The last game's time
#: and the league's own tell a restored or made-again league from the one before.
STATE = """
SELECT l.id, l.visibility, l.last_number, l.replays, l.stale_from, l.stale_key, l.min_games,
       l.inactive_after_days, l.time_zone, l.created_at,
       (SELECT g.recorded_at FROM league_game g WHERE g.league_id = l.id AND g.number = l.last_number),
       (SELECT e.count FROM league_edits e WHERE e.name = 'players')
  FROM league_league l WHERE l.slug = %s
"""


class State(NamedTuple):
    """A row of STATE: equal states, equal boards, as long as no one leaves a board by not playing (``stands_until``).

    Moments are as the database tells them.
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
    """Return the state of a league's board, asked in this way; None if there is no such league."""
    rows = asked(STATE, [slug])
    return State(*rows[0]) if rows else None


def league_of(slug: str, state: State) -> League:
    """Return as much of a league as its board depends on."""
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

    None as well where the database does not answer: the view says so.
    """
    try:
        state = board_state(slug, ask_first)
    except (DatabaseError, InterfaceError):
        return None
    return state if state is not None and state.visibility == League.Visibility.PUBLIC else None


def stands_until(league: League, listing: Listing, *, by_clock: bool) -> datetime | None:
    """Return the moment after which the next player leaves the board by not playing; None: it stays so by itself.

    ``by_clock`` is False if the asker has named the day himself.
    """
    if not by_clock or league.inactive_after_days is None:
        return None
    oldest = listed_ratings(league, listing).aggregate(oldest=Min("last_at"))["oldest"]
    return None if oldest is None else oldest + timedelta(days=league.inactive_after_days)
