"""Writes the facts of an import by the thousand: games, results, and what the log tells of them."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from django.db import connection

from league.core.db.bulk import insert_rows, write_columns
from league.core.db.columns import Column, is_postgres, read_columns
from league.core.games.services.game_columns import GameColumns, ResultColumns
from league.core.jobs.services.progress import Progress, silent
from league.core.log.services import entries
from league.models import Game, League, LogEntry, Player, Result

#: Number of games written at once, while the rows of the next ones are prepared.
GAMES_PER_WRITE = 5000

GAME_COLUMNS = (
    "league", "number", "order_key", "played_at", "kind", "external_id", "details", "note", "recorded_at",
    "recorded_by", "voided_by", "void_reason", "weight", "metadata",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """Whom a spelling names: a player by key and opaque handle, and the one who was merged into that one, if any."""

    pk: int
    opaque: str
    original: int | None = None
    original_opaque: str | None = None

    @classmethod
    def by(cls, player: Player, original: Player | None) -> "NamedPlayer":
        """Return a player, and whom the spelling named where that one was merged."""
        if original is None:
            return cls(player.pk, player.opaque)
        return cls(player.pk, player.opaque, original.pk, original.opaque)


class LoggedSheet(NamedTuple):
    """A game as the log tells of it: its number, and what SHEET names."""

    number: int
    played_at: datetime
    kind: str
    external_id: str | None
    details: Mapping[str, Any]
    note: str
    weight: float
    metadata: Mapping[str, str]


class Facts:
    """Games on their way into the data of a league, which must be locked; ``people``: by position of their names."""

    def __init__(
        self, league: League, now: datetime, by: str, games: GameColumns, people: Sequence[NamedPlayer]
    ) -> None:
        self.league, self.now, self.by, self.games = league, now, by, games
        self.people = people
        self.players = np.array([one.pk for one in people], dtype=np.int64)
        self.originals = np.array([one.original or np.nan for one in people], dtype=np.float64)

    def write(self, positions: Column, columns: ResultColumns, progress: Progress = silent) -> None:
        """Write games at positions in ascending order, with their results and entries of the log; numbers go on.

        While the database checks the foreign keys of some, a thread makes the rows of the next ones.
        """
        parts, done = np.split(positions, range(GAMES_PER_WRITE, len(positions), GAMES_PER_WRITE)), 0
        with ThreadPoolExecutor(max_workers=1) as maker:
            coming = maker.submit(self.make_rows, parts[0])
            for part, following in zip(parts, [*parts[1:], positions[:0]], strict=True):
                rows, told = coming.result()
                insert_rows(Game, GAME_COLUMNS, rows)
                self.write_results(part, columns)
                entries.write_entries(self.league, told)
                # Not before: both threads would take turns of Python while this one sends rows.
                coming = maker.submit(self.make_rows, following)
                if is_postgres():
                    connection.check_constraints()
                done += len(part)
                progress("writing", done, len(positions))
        self.league.save(update_fields=["last_number", *entries.HEAD])

    def make_rows(self, positions: Column) -> tuple[list[tuple[object, ...]], entries.EntryBatch]:
        """Return the rows of games, each with the league's next number, and their entries of the log.

        Nothing is asked of the database: it answers another thread.
        """
        league, now, by = self.league, self.now, self.by
        numbers = range(league.last_number + 1, league.last_number + 1 + len(positions))
        sheets = list(map(self.sheet, numbers, positions.tolist()))
        rows: list[tuple[object, ...]] = [
            (
                league.pk,
                sheet.number,
                sheet.number,
                sheet.played_at,
                sheet.kind,
                sheet.external_id,
                json.dumps(sheet.details) if sheet.details else "{}",
                sheet.note,
                now,
                by,
                "",
                "",
                sheet.weight,
                json.dumps(sheet.metadata) if sheet.metadata else "{}",
            )
            for sheet in sheets
        ]
        league.last_number += len(rows)
        payloads = map(entries.of_game, sheets, map(self.lines, positions.tolist()))
        return rows, entries.make_entries(league, now, by, LogEntry.Kind.GAME_RECORDED, payloads)

    def sheet(self, number: int, position: int) -> LoggedSheet:
        """Return the game at a position, under a number."""
        games = self.games
        return LoggedSheet(
            number,
            games.moments[position],
            games.kinds[position],
            games.external_ids[position],
            dict(games.details[position]),
            games.notes[position],
            games.weights[position],
            dict(games.metadata[position]),
        )

    def lines(self, position: int) -> list[entries.Line]:
        """Return what the log tells of the results of a game."""
        games, part = self.games, self.games.span(position)
        return [
            (who.opaque, None if isnan(score) else score, place or None, side or None, who.original_opaque)
            for who, score, place, side in zip(
                map(self.people.__getitem__, games.players[part]),
                games.scores[part],
                games.places[part],
                games.sides[part],
                strict=True,
            )
        ]

    def write_results(self, positions: Column, columns: ResultColumns) -> None:
        """Write the results of games that were just written; they are the last ones of the league."""
        last = self.league.games.order_by("-number").values_list("pk")[: len(positions)]
        keys = np.zeros(positions[-1] + 1, dtype=np.int64)
        keys[positions] = read_columns(last, pk="key")["pk"][::-1]
        results = columns.of(slice(*np.searchsorted(columns.game, [positions[0], positions[-1] + 1])))
        results = results.of(keys[results.game] > 0)
        values = {
            "league": ("key", np.full(len(results.game), self.league.pk)),
            "game": ("key", keys[results.game]),
            "seat": ("small", results.seat),
            "player": ("key", self.players[results.player]),
            "score": ("float", results.score),
            "place": ("small", np.where(results.place > 0, results.place, np.nan)),
            "side": ("small", np.where(results.side > 0, results.side, np.nan)),
            "recorded_as": ("key", self.originals[results.player]),
        }
        write_columns(Result, values)
