"""The one writer of games: their rows, their results and their entries of the log, for one game as for many.

The league must be locked, and the games checked. Files and batches bring their results as columns
(``game_columns.Facts``); their games are written here, too.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter, itemgetter
from typing import Any

from django.db import connection

from league.core.db.bulk import insert_few, insert_rows
from league.core.db.columns import read_columns
from league.core.db.statements import list_field_names
from league.core.fields.services.values import write_game_values
from league.core.games.services.game_input import NewGame, normalize_negative_zero
from league.core.log.services import entries
from league.models import Game, League, LogEntry, Player, Result
from league.models.facts import NOT_VOID, SHEET, build_recording

Row = Mapping[str, Any]
"""Column -> value of a new game."""
#: The details, metadata and withheld values of every game that has none.
NOTHING: Mapping[str, Any] = {}
#: The first column is the key, which the database makes.
GAME_COLUMNS = tuple(list_field_names(Game)[1:])
GAME_VALUES = itemgetter(*GAME_COLUMNS)
JSON_NAMES = ("details", "metadata", "withheld")
JSON_COLUMNS = [GAME_COLUMNS.index(name) for name in JSON_NAMES]
RESULT_COLUMNS = tuple(list_field_names(Result)[1:])
RESULT_VALUES = attrgetter(*RESULT_COLUMNS)
#: More results than these are copied.
FEW = 100


@dataclass(frozen=True)
class Replacement:
    """The game that a new game replaces. For a restoration: the reason, and the game that was voided for it."""

    game: Game
    restored: str = ""
    voided: int | None = None


@dataclass(frozen=True)
class UnwrittenGame:
    """The row of a game to write, and its results in seat order."""

    row: Row
    results: Sequence[Result]
    replacing: Replacement | None = None


def normalize_sheet(new: NewGame) -> dict[str, Any]:
    """Return what a game contains of a sheet, as it is stored."""
    values = {name: getattr(new, name) for name in SHEET}
    details = new.details
    values["details"] = {key: normalize_negative_zero(details[key]) for key in details} if details else NOTHING
    values["weight"] = normalize_negative_zero(float(new.weight))
    values["metadata"] = new.metadata or NOTHING
    values["withheld"] = new.withheld or NOTHING
    return values


def build_row(league: League, sheet: Row, now: datetime, username: str, replaces: Game | None = None) -> Row:
    """Return the row of a game with the next number; ``replaces``: the game whose place in the order it takes."""
    league.last_number += 1
    return {
        "league_id": league.pk,
        "number": league.last_number,
        "order_key": league.last_number if replaces is None else replaces.order_key,
        "replaces_id": None if replaces is None else replaces.pk,
        **build_recording(now, username),
        **sheet,
    }


def build_results(new: NewGame, players: Sequence[Player], named: Mapping[int, Player]) -> list[Result]:
    """Return the unsaved results of a sheet; ``named``: player id -> the merged player whom the sheet names."""
    return [
        Result(
            seat=seat,
            player=player,
            score=None if result.score is None else normalize_negative_zero(float(result.score)),
            place=result.place,
            side=result.side,
            recorded_as=named.get(player.pk),
        )
        for seat, (player, result) in enumerate(zip(players, new.results, strict=True), start=1)
    ]


def write_games(league: League, now: datetime, username: str, unwritten: Sequence[UnwrittenGame]) -> list[Game]:
    """Write games, all of them new, corrected or restored, with their results and entries of the log; return them."""
    games = insert_games(league, [one.row for one in unwritten])
    results = []
    for one, game in zip(unwritten, games, strict=True):
        for result in one.results:
            result.league_id, result.game = league.pk, game
            results.append(result)
    insert_results(results)
    write_game_values(league, [(game.pk, game.details, game.withheld) for game in games])
    kind = _choose_kind(unwritten[0].replacing)
    payloads = [_build_payload(one, game) for one, game in zip(unwritten, games, strict=True)]
    if len(payloads) == 1:
        entries.append(league, now, username, kind, payloads[0])
    else:
        entries.append_many(league, now, username, kind, payloads)
        league.save(update_fields=["last_number", *entries.HEAD])
    return games


def insert_games(league: League, rows: Sequence[Row]) -> list[Game]:
    """Insert some games, and return them: with their JSON as it is stored, as the database may change a number."""
    names = f"number, id, {', '.join(JSON_NAMES)}"
    returned = insert_few(Game, GAME_COLUMNS, list(map(_list_values, rows)), returning=names)
    stored = {number: (pk, *map(json.loads, texts)) for number, pk, *texts in returned}
    games = []
    for row in rows:
        pk, *values = stored[row["number"]]
        game = Game(pk=pk, **{**row, **dict(zip(JSON_NAMES, values, strict=True))})
        game.league, game._state.adding, game._state.db = league, False, connection.alias
        games.append(game)
    return games


def copy_games(league: League, rows: Sequence[Row]) -> list[int]:
    """Insert many games with ascending numbers, and return their keys."""
    insert_rows(Game, GAME_COLUMNS, map(_list_values, rows))
    last = league.games.filter(number__gte=rows[0]["number"]).order_by("number").values_list("pk")
    keys: list[int] = read_columns(last, pk="key")["pk"].tolist()
    return keys


def _list_values(row: Row) -> list[Any]:
    """Return the values of a game in the order of GAME_COLUMNS."""
    values = list(GAME_VALUES(row))
    for place in JSON_COLUMNS:
        values[place] = json.dumps(values[place]) if values[place] else "{}"
    return values


def insert_results(results: Sequence[Result]) -> None:
    """Insert results of games; they do not get their keys."""
    rows = list(map(RESULT_VALUES, results))
    if len(rows) <= FEW:
        insert_few(Result, RESULT_COLUMNS, rows)
    else:
        insert_rows(Result, RESULT_COLUMNS, rows)


def void_games(games: Sequence[Game], now: datetime, reason: str, username: str) -> None:
    """Mark games as void; all their other fields stay as recorded."""
    for game in games:
        game.voided_at, game.void_reason, game.voided_by = now, reason, username
    Game.objects.filter(pk__in=[game.pk for game in games]).update(
        **{name: getattr(games[0], name) for name in NOT_VOID}
    )


def _choose_kind(replacing: Replacement | None) -> LogEntry.Kind:
    """Return the kind of entry of a game."""
    if replacing is None:
        return LogEntry.Kind.GAME_RECORDED
    return LogEntry.Kind.GAME_RESTORED if replacing.restored else LogEntry.Kind.GAME_CORRECTED


def _build_payload(one: UnwrittenGame, game: Game) -> dict[str, Any]:
    """Return the payload of the entry of a game."""
    lines, old = entries.serialize_lines(one.results), one.replacing
    if old is None:
        return entries.build_game_payload(game, lines)
    if not old.restored:
        return entries.build_correction_payload(old.game, game, lines)
    return entries.build_restoration_payload(old.game, old.restored, old.voided, game, lines)
