"""The players of a new game with their current states, read in one query."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from typing import Any

from league.core.db.statements import ask, columns, make_object, moment, one_of, width
from league.core.text.names import key_of, storable
from league.models import League, Player, Rating

#: Each row repeats the last line of the league's history and whether it has ladders, as one query costs less than
#: three. Run under the league's lock, so that neither can change.
SEATS = """
SELECT a.key, a.text, a.recorded_as_id, {players}, {ratings}, s.rating,
       (SELECT count(*) FROM league_ladder l WHERE l.league_id = %s), n.at, n.order_key, n.shift
  FROM league_alias a
  JOIN league_player p ON p.id = a.player_id
  LEFT JOIN league_rating r ON r.league_id = %s AND r.player_id = a.player_id
  LEFT JOIN league_initialrating s ON s.league_id = %s AND s.player_id = a.player_id
  LEFT JOIN league_ratingchange n ON n.id = (
       SELECT c.id FROM league_ratingchange c WHERE c.league_id = %s
        ORDER BY c.at DESC, c.order_key DESC, c.step DESC LIMIT 1)
 WHERE {named}
"""


@dataclass(frozen=True)
class SeatPlayer:
    """An alias with its player and their current rating in the league."""

    key: str
    text: str
    player: Player
    recorded_as: Player | None
    """The player with that alias before a merge."""
    row: tuple[Any, ...]
    """The columns of the rating, all None before the first game."""
    start: float | None

    @cached_property
    def rating(self) -> Rating | None:
        """Return the player's rating, None before the first game; built lazily, as few are needed."""
        return None if self.row[0] is None else make_object(Rating, self.row)


@dataclass(frozen=True)
class SheetTable:
    """The known aliases on a sheet by key, and other data of the league for rating a new game."""

    seats: Mapping[str, SeatPlayer]
    newest: tuple[datetime, int] | None
    """The position of the last rated game in the order."""
    shift: float
    """The pool's shift after that game."""
    has_ladders: bool


def table_of(league: League, texts: Iterable[str]) -> SheetTable:
    """Return the players of a sheet, given their handles or aliases, with one query."""
    keys = list({key_of(text) for text in texts if storable(text)})
    named, parameter = one_of("a.key", keys)
    rows = ask(seats_sql(named), [*[league.pk] * 4, parameter]) if keys else []
    merged = Player.objects.in_bulk(found) if (found := [row[2] for row in rows if row[2] is not None]) else {}
    seats = {row[0]: seat_of(row[:-4], merged) for row in rows}
    ladders, at, order_key, shift = rows[0][-4:] if rows else (0, None, 0, 0.0)
    newest = None if at is None else (at, order_key)
    return SheetTable(seats, newest and (moment(newest[0]) or newest[0], newest[1]), shift or 0.0, bool(ladders))


@cache
def seats_sql(named: str) -> str:
    """Return the query for aliases under a condition."""
    return SEATS.format(
        players=columns(Player, "p"),
        ratings=columns(Rating, "r"),
        named=named,
    )


def seat_of(row: tuple[Any, ...], merged: Mapping[int, Player]) -> SeatPlayer:
    """Return the seat of a row; ``merged``: merged players by id."""
    key, text, recorded_as, *rest, start = row
    player = make_object(Player, rest[: width(Player)])
    return SeatPlayer(key, text, player, merged.get(recorded_as), tuple(rest[width(Player) :]), start)
