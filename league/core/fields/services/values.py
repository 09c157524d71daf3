"""Writes values of declared fields: those of players, and the rows by which games and players are found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from league.core.calendar import compute_local_date
from league.core.db.bulk import insert_few, insert_rows
from league.core.errors import Refused
from league.core.fields.selectors.fields import Of, load_fields
from league.core.fields.values import (
    StoredValues,
    Values,
    find_faults,
    find_missing,
    format_index_text,
    split_values,
)
from league.core.log.services import entries
from league.models import DeclaredField, Game, GameValue, League, LogEntry, Player, PlayerFields, PlayerValue
from league.models.fields import PLAYER_FIELDS_LOG
from league.models.recorded import DECLARED

GAME_COLUMNS = ("league", "field", "value", "game", "seat")
#: More rows than these are copied.
FEW = 100
#: Games read at once.
BATCH_SIZE = 2000
GameValues = tuple[int, Mapping[str, Any], Mapping[str, Any]]
"""The key of a game, its details, and its withheld values."""


def set_player_values(
    league: League, now: datetime, player: Player, sent: Mapping[str, Any], username: str
) -> PlayerFields | None:
    """Set values of a player in a locked league; null removes one, and others stay. Raises Refused.

    Returns None if nothing changes.
    """
    fields = [declared for declared in load_fields(league) if declared.of == Of.PLAYER]
    given = {key: value for key, value in sent.items() if value is not None}
    undeclared = dict.fromkeys(sent.keys() - {declared.key for declared in fields})
    day = compute_local_date(now, league.time_zone)
    problems = find_faults(fields, {**given, **undeclared}, day)
    row = PlayerFields.objects.filter(league=league, player=player).first()
    row = row or PlayerFields(league=league, player=player)
    values = {key: value for key, value in {**row.shown, **row.withheld, **sent}.items() if value is not None}
    problems += find_missing(fields, values, day)
    if problems:
        raise Refused.of(problems)
    shown, withheld = split_values(fields, values)
    if (shown, withheld) == (row.shown, row.withheld):
        return None
    row.shown, row.withheld = shown, withheld
    row.save()
    entries.append(league, now, username, LogEntry.Kind.PLAYER_FIELDS_SET, PLAYER_FIELDS_LOG.build_payload(row))
    # The new count invalidates cached pages.
    league.replays += 1
    league.save(update_fields=["replays"])
    PlayerValue.objects.filter(league=league, player=player).delete()
    PlayerValue.objects.bulk_create(build_player_rows(fields, [row]))
    return row


def build_player_rows(fields: Iterable[DeclaredField], rows: Iterable[PlayerFields]) -> list[PlayerValue]:
    """Return the unsaved rows by which players are found."""
    keys = {declared.key: declared for declared in fields}
    return [
        PlayerValue(league_id=row.league_id, player_id=row.player_id, field=keys[key], value=format_index_text(value))
        for row in rows
        for key, value in {**row.shown, **row.withheld}.items()
        if key in keys
    ]


def write_game_values(league: League, games: Iterable[GameValues]) -> None:
    """Write the rows by which new games are found; no query if none has values."""
    with_values = [game for game in games if DECLARED in game[1] or game[2]]
    if not with_values:
        return
    rows = list(build_game_rows(league, load_fields(league), with_values))
    if len(rows) <= FEW:
        insert_few(GameValue, GAME_COLUMNS, rows)
    else:
        insert_rows(GameValue, GAME_COLUMNS, rows)


def build_game_rows(
    league: League, fields: Iterable[DeclaredField], games: Iterable[GameValues]
) -> Iterator[tuple[int, int, str, int, int]]:
    """Yield the rows by which games are found, in the order of GAME_COLUMNS."""
    keys = {declared.key: declared.pk for declared in fields}
    for game, details, withheld in games:
        for part in (StoredValues.read(details.get(DECLARED)), StoredValues.read(withheld)):
            for seat, values in enumerate([part.game, *part.seats]):
                for key, value in values.items():
                    if key in keys:
                        yield league.pk, keys[key], format_index_text(value), game, seat


def rebuild_values(league: League) -> None:
    """Write again all rows by which games and players of a league are found."""
    GameValue.objects.filter(league=league).delete()
    PlayerValue.objects.filter(league=league).delete()
    fields = load_fields(league)
    for batch in iter_games_with_values(league):
        write_game_values(league, batch)
    PlayerValue.objects.bulk_create(build_player_rows(fields, PlayerFields.objects.filter(league=league)), BATCH_SIZE)


def iter_games_with_values(league: League) -> Iterator[Sequence[GameValues]]:
    """Yield the games of a league, in batches; nothing if it never declared a field."""
    if not league.has_fields:
        return
    rows = Game.objects.filter(league=league).order_by("number").values_list("pk", "details", "withheld")
    batch: list[GameValues] = []
    for row in rows.iterator(chunk_size=BATCH_SIZE):
        batch.append(row)
        if len(batch) == BATCH_SIZE:
            yield batch
            batch = []
    yield batch


def list_values(values: Values, fields: Iterable[DeclaredField]) -> list[tuple[DeclaredField, Any]]:
    """Return the fields that have a value, with it, in the order of the fields."""
    return [(declared, values[declared.key]) for declared in fields if declared.key in values]
