"""Resolves the names on a sheet to players, as its sender may see them.

Handles are unique across the site, so a name on a sheet may be the handle of a player in a private league whom the
sender may not see. Such players are ignored: the name then refers to a player of that name in the sender's league,
or else to a player to be added under another handle. So different persons are never mistaken for one another, names
cannot be found by guessing handles, and a file that is sent twice finds the same players. Someone who organises
both leagues can merge two players who are the same person.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from typing import Any

from django.utils.translation import gettext as _

from league.core.db.statements import (
    build_any_condition,
    count_columns,
    execute_query,
    format_select_list,
    make_object,
    parse_timestamp,
)
from league.core.errors import Refused
from league.core.games.services.game_input import build_field_problem
from league.core.permissions import Viewer
from league.core.players.selectors.search import load_aliases_by_key
from league.core.players.selectors.visibility import build_named_in_condition, is_handle_or_name
from league.core.text.names import build_name_key, is_storable, name_problem, shorten_name
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


def find_visible_players(league: League, names: Sequence[str], viewer: Viewer | None) -> tuple[SheetTable, list[str]]:
    """Return the players of a sheet that its sender may see, and the names under which they are found."""
    table = load_sheet_table(league, names)
    hidden = _find_hidden_keys(league, table, viewer)
    if not hidden:
        return table, list(names)
    handles = find_handles_by_unique_name(league, [name for name in names if build_name_key(name) in hidden])
    resolved_names = [handles.get(build_name_key(name), name) for name in names]
    resolved_table = load_sheet_table(league, resolved_names)
    return replace(
        resolved_table, seats={key: seat for key, seat in resolved_table.seats.items() if key not in hidden}
    ), resolved_names


def _find_hidden_keys(league: League, table: SheetTable, viewer: Viewer | None) -> set[str]:
    """Return the keys that the viewer may not use: of players they may not see, or aliases not visible to them.

    Players of the league are visible, with all aliases except those from merges.
    """
    if viewer is None or viewer.ids() is None:
        return set()
    records = viewer.may("record", league)
    other_players = {
        key: seat.text
        for key, seat in table.seats.items()
        if (seat.row[0] is None and seat.start is None)
        or seat.recorded_as is not None
        or not (records or is_handle_or_name(key, seat.player))
    }
    return (
        other_players.keys() - load_aliases_by_key(list(other_players.values()), viewer).keys()
        if other_players
        else set()
    )


def find_handles_by_unique_name(league: League, names: Iterable[str]) -> dict[str, str]:
    """Return key -> handle for names that exactly one player of a league has."""
    normalized_names = {" ".join(name.split()) for name in names}
    bearers: dict[str, set[str]] = {}
    if normalized_names:
        players = Player.objects.filter(
            build_named_in_condition(League.objects.filter(pk=league.pk)), name__in=normalized_names, merged_into=None
        )
        for name, handle in players.values_list("name", "handle"):
            bearers.setdefault(build_name_key(name), set()).add(handle)
    return {key: next(iter(handles)) for key, handles in bearers.items() if len(handles) == 1}


def refuse_unnameable(names: Sequence[str], unknown: Sequence[int]) -> None:
    """Raise Refused if the name of a new player at one of these seats is invalid."""
    template = _("Seat {seat}: “{name}” cannot be added as a player: {reason}")
    problems = [
        build_field_problem(seat, "player", "unknown_player", template, name=shorten_name(names[seat]), reason=reason)
        for seat in unknown
        if (reason := name_problem(names[seat]))
    ]
    if problems:
        raise Refused.of(problems)


def load_sheet_table(league: League, texts: Iterable[str]) -> SheetTable:
    """Return the players of a sheet, given their handles or aliases, with one query."""
    keys = list({build_name_key(text) for text in texts if is_storable(text)})
    condition, parameter = build_any_condition("a.key", keys)
    rows = execute_query(_build_seats_sql(condition), [*[league.pk] * 4, parameter]) if keys else []
    merged = (
        Player.objects.in_bulk(merged_ids) if (merged_ids := [row[2] for row in rows if row[2] is not None]) else {}
    )
    seats = {row[0]: seat_of(row[:-4], merged) for row in rows}
    ladders, last_at, order_key, shift = rows[0][-4:] if rows else (0, None, 0, 0.0)
    last_position = None if last_at is None else (last_at, order_key)
    return SheetTable(
        seats,
        last_position and (parse_timestamp(last_position[0]) or last_position[0], last_position[1]),
        shift or 0.0,
        bool(ladders),
    )


@cache
def _build_seats_sql(condition: str) -> str:
    """Return the query for aliases under a condition."""
    return SEATS.format(
        players=format_select_list(Player, "p"),
        ratings=format_select_list(Rating, "r"),
        named=condition,
    )


def seat_of(row: tuple[Any, ...], merged: Mapping[int, Player]) -> SeatPlayer:
    """Return the seat of a row; ``merged``: merged players by id."""
    key, text, recorded_as, *fields, start = row
    player = make_object(Player, fields[: count_columns(Player)])
    return SeatPlayer(key, text, player, merged.get(recorded_as), tuple(fields[count_columns(Player) :]), start)
