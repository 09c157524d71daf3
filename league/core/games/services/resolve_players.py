"""Loads the players of a sheet with their ratings, given the texts that name them (``resolve_players``)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from typing import Any, TypeGuard

from django.utils.translation import gettext as _

from league.core.db.statements import (
    build_any_condition,
    count_columns,
    execute_query,
    format_select_list,
    make_object,
    make_objects,
    parse_timestamp,
)
from league.core.errors import Refused
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import Found, Resolution, resolve_players
from league.core.players.selectors.search import find_name_problems
from league.core.text.names import build_name_key, is_storable
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
#: The columns of a row before those of its player.
FIRST = 3


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

    @property
    def original(self) -> Player:
        """Return the player whom the alias named before a merge."""
        return self.recorded_as or self.player

    @property
    def is_in_league(self) -> bool:
        """Return whether the player has a rating or an initial rating in the league."""
        return self.row[0] is not None or self.start is not None

    @cached_property
    def rating(self) -> Rating | None:
        """Return the player's rating, None before the first game; built lazily, as few are needed."""
        return None if self.row[0] is None else make_object(Rating, self.row)


@dataclass(frozen=True)
class SheetTable:
    """The players of a sheet, and other data of the league for rating a new game."""

    seats: Mapping[str, SeatPlayer]
    """Text -> its player, if it names exactly one."""
    resolutions: Mapping[str, Resolution]
    """Text -> the players that it may mean."""
    newest: tuple[datetime, int] | None
    """The position of the last rated game in the order."""
    shift: float
    """The pool's shift after that game."""
    has_ladders: bool


def find_sheet_players(league: League, texts: Sequence[str], viewer: Viewer | None) -> SheetTable:
    """Return the players whom the texts of a sheet name, as its sender may see them."""
    table, spellings = _load_seats(league, texts)
    resolutions = resolve_players(texts, league, viewer, spellings=spellings, for_writing=True)
    others = [
        found.original.handle
        for text, resolution in resolutions.items()
        if (found := resolution.one) is not None and not _is_seat_of(spellings.get(build_name_key(text)), found)
    ]
    if others:
        other_table, other_spellings = _load_seats(league, others)
        spellings, table = {**spellings, **other_spellings}, table if spellings else other_table
    seats = {}
    for text, resolution in resolutions.items():
        if (found := resolution.one) is not None:
            seat = spellings.get(build_name_key(text))
            seats[text] = seat if _is_seat_of(seat, found) else spellings[build_name_key(found.original.handle)]
    return replace(table, seats=seats, resolutions=resolutions)


def _is_seat_of(seat: SeatPlayer | None, found: Found) -> TypeGuard[SeatPlayer]:
    """Return whether a loaded seat is that of a found player."""
    if seat is None:
        return False
    # Most are the same objects, and comparing models is slow.
    return (seat.player is found.player or seat.player == found.player) and (
        seat.recorded_as is found.recorded_as or seat.recorded_as == found.recorded_as
    )


def refuse_unresolved(
    league: League, table: SheetTable, texts: Sequence[str], viewer: Viewer | None, *, create_players: bool
) -> None:
    """Raise Refused with the seats of texts that name no player, nor one who could be added."""
    if all(text in table.seats for text in texts):
        return
    problems = find_name_problems(league, table.resolutions, texts, viewer, create_players=create_players)
    located = [
        replace(problem, pointer=f"/results/{seat}/player", detail=template.format(seat=seat + 1, why=problem.detail))
        for template in [_("Seat {seat}: {why}")]
        for seat, problem in enumerate(problems)
        if problem is not None
    ]
    if located:
        raise Refused.of(located)


def _load_seats(league: League, texts: Iterable[str]) -> tuple[SheetTable, dict[str, SeatPlayer]]:
    """Return key -> alias with player and rating, for handles and aliases, and the league's data, with one query."""
    keys = list({build_name_key(text) for text in texts if is_storable(text)})
    condition, parameter = build_any_condition("a.key", keys)
    rows = execute_query(_build_seats_sql(condition), [*[league.pk] * 4, parameter]) if keys else []
    merged = (
        Player.objects.in_bulk(merged_ids) if (merged_ids := [row[2] for row in rows if row[2] is not None]) else {}
    )
    width = FIRST + count_columns(Player)
    players = make_objects(Player, (row[FIRST:width] for row in rows))
    seats = {
        row[0]: SeatPlayer(row[0], row[1], player, merged.get(row[2]), row[width:-5], row[-5])
        for row, player in zip(rows, players, strict=True)
    }
    ladders, last_at, order_key, shift = rows[0][-4:] if rows else (0, None, 0, 0.0)
    last_position = None if last_at is None else (parse_timestamp(last_at) or last_at, order_key)
    return SheetTable({}, {}, last_position, shift or 0.0, bool(ladders)), seats


@cache
def _build_seats_sql(condition: str) -> str:
    """Return the query for aliases under a condition."""
    return SEATS.format(
        players=format_select_list(Player, "p"),
        ratings=format_select_list(Rating, "r"),
        named=condition,
    )
