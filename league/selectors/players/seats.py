"""Who sits at the table of a new game, and where these players stand, in one statement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from typing import Any

from league.db.statements import ask, columns, made, moment, one_of, width
from league.models import Alias, League, Player, Rating
from league.names import key_of, storable

#: The last line of the league's history and whether it has ladders stand beside every player: one statement costs less
#: than three. Asked under the league's lock, so that neither can change.
SEATS = """
SELECT {aliases}, {players}, {ratings}, s.rating,
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
class Seat:
    """A spelling with its player, and where they stand in the league: rating None before the first game."""

    alias: Alias
    row: tuple[Any, ...]
    """What the database tells of the rating."""
    start: float | None

    @cached_property
    def rating(self) -> Rating | None:
        """Return the player's rating, made when it is asked for: who sends many games at once asks for few."""
        return None if self.row[0] is None else made(Rating, self.row)


@dataclass(frozen=True)
class Table:
    """The spellings of a sheet that are known, by key, and what else of the league a new game is rated with."""

    seats: Mapping[str, Seat]
    newest: tuple[datetime, int] | None
    """The place of the last rated game in the order."""
    shift: float
    """The pool's shift after that game."""
    has_ladders: bool


def table_of(league: League, texts: Iterable[str]) -> Table:
    """Return what is known of the players of a sheet, whose handles or aliases these are, in one query."""
    keys = list({key_of(text) for text in texts if storable(text)})
    named, parameter = one_of("a.key", keys)
    rows = ask(seats_sql(named), [*[league.pk] * 4, parameter]) if keys else []
    seats: dict[str, Seat] = {}
    newest, shift, ladders = None, 0.0, 0
    for row in rows:
        seat, (ladders, at, order_key, shift) = seat_of(row[:-4]), row[-4:]
        seats[seat.alias.key] = seat
        newest = None if at is None else (at, order_key)
    name_merged([seat.alias for seat in seats.values()])
    return Table(seats, newest and (moment(newest[0]) or newest[0], newest[1]), shift or 0.0, bool(ladders))


@cache
def seats_sql(named: str) -> str:
    """Return the statement for spellings under a condition."""
    return SEATS.format(
        aliases=columns(Alias, "a"),
        players=columns(Player, "p"),
        ratings=columns(Rating, "r"),
        named=named,
    )


def seat_of(row: tuple[object, ...]) -> Seat:
    """Return the seat that a row tells of."""
    first, second = width(Alias), width(Alias) + width(Player)
    alias, player, rating = made(Alias, row[:first]), made(Player, row[first:second]), row[second:-1]
    alias.player = player
    return Seat(alias, rating, row[-1])  # type: ignore[arg-type]  # a float


def name_merged(aliases: Iterable[Alias]) -> None:
    """Read whom spellings named before a merge, where there are such."""
    merged = [alias for alias in aliases if alias.recorded_as_id is not None]
    if merged:
        found = Player.objects.in_bulk([alias.recorded_as_id for alias in merged])
        for alias in merged:
            alias.recorded_as = found[alias.recorded_as_id]
