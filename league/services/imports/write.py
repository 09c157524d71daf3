"""Writes the facts of an import by the thousand: games, results, and what the log tells of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
from django.db import connection

from league.chain import instant
from league.db.bulk import copy_lines, escaped, insert_rows
from league.db.write_columns import Column, is_postgres, read_columns, write_columns
from league.models import Game, League, LogEntry, Player, Result
from league.services.imports.columns import Batch, ResultColumns
from league.services.imports.files import NOTHING
from league.services.log import entries
from league.services.log import write as log

GAME_COLUMNS = (
    "league", "number", "order_key", "played_at", "kind", "external_id", "details", "note", "recorded_at",
    "recorded_by", "voided_by", "void_reason", "weight",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """Whom a spelling names: a player by key and opaque handle, and the one who was merged into that one, if any."""

    pk: int
    opaque: str
    original: int | None = None
    original_opaque: str | None = None

    @classmethod
    def by(cls, player: Player, original: Player | None) -> "Named":
        """Return a player, and whom the spelling named where that one was merged."""
        if original is None:
            return cls(player.pk, player.opaque)
        return cls(player.pk, player.opaque, original.pk, original.opaque)


class Sheet(NamedTuple):
    """A game as the log tells of it: its number, and what SHEET names."""

    number: int
    played_at: datetime
    kind: str
    external_id: str | None
    details: Mapping[str, Any]
    note: str
    weight: float


class Facts:
    """Games on their way into the books of a league, which must be locked; ``people``: by position of their names."""

    def __init__(self, league: League, now: datetime, by: str, games: Batch, people: Sequence[Named]) -> None:
        self.league, self.now, self.by, self.games = league, now, by, games
        self.people = people
        self.players = np.array([one.pk for one in people], dtype=np.int64)
        self.originals = np.array([one.original or np.nan for one in people], dtype=np.float64)
        self.checking = Checking()

    def write(self, positions: Column, columns: ResultColumns) -> None:
        """Write games at positions in ascending order, with their results and entries of the log; numbers go on.

        What was written before is checked meanwhile; ``end`` waits for that.
        """
        part = positions.tolist()
        before = self.league.last_number
        if is_postgres():
            lines = list(self.lines(part))
            self.checking.end()
            copy_lines(Game, GAME_COLUMNS, lines)
        else:
            insert_rows(Game, GAME_COLUMNS, self.rows(part))
        written = self.league.games.filter(number__gt=before).order_by("number")
        keys = np.zeros(part[-1] + 1, dtype=np.int64)
        keys[positions] = read_columns(written.values_list("pk"), pk="key")["pk"]
        first, last = np.searchsorted(columns.game, [part[0], part[-1] + 1])
        results = columns.of(slice(first, last))
        self.write_results(results.of(keys[results.game] > 0), keys)
        log.append_many(self.league, self.now, self.by, LogEntry.Kind.GAME_RECORDED, self.payloads(part))
        self.league.last_number = before + len(part)
        self.checking.begin()

    def write_results(self, results: ResultColumns, keys: Column) -> None:
        """Write the results of games; ``keys`` are theirs by position."""
        columns = {
            "league": ("key", np.full(len(results.game), self.league.pk)),
            "game": ("key", keys[results.game]),
            "seat": ("small", results.seat),
            "player": ("key", self.players[results.player]),
            "score": ("float", results.score),
            "place": ("small", np.where(results.place > 0, results.place, np.nan)),
            "side": ("small", np.where(results.side > 0, results.side, np.nan)),
            "recorded_as": ("key", self.originals[results.player]),
        }
        write_columns(Result, columns)

    def end(self) -> None:
        """Wait until all that was written is checked."""
        self.checking.end()

    def payloads(self, positions: Sequence[int]) -> Iterator[dict[str, Any]]:
        """Yield what the log tells of games, each with the league's next number."""
        games, people = self.games, self.people
        for number, position in enumerate(positions, start=self.league.last_number + 1):
            part = games.span(position)
            lines = [
                (who.opaque, None if isnan(score) else score, place or None, side or None, who.original_opaque)
                for who, score, place, side in zip(
                    (people[player] for player in games.players[part]),
                    games.scores[part],
                    games.places[part],
                    games.sides[part],
                    strict=True,
                )
            ]
            sheet = Sheet(
                number,
                games.moments[position],
                games.kinds[position],
                games.external_ids[position],
                dict(games.details[position]),
                games.notes[position],
                games.weights[position],
            )
            yield entries.of_game(sheet, lines)

    def rows(self, positions: Sequence[int]) -> Iterator[tuple[object, ...]]:
        """Yield the rows of games, each with the league's next number."""
        games, now = self.games, self.now
        for number, position in enumerate(positions, start=self.league.last_number + 1):
            yield (
                self.league.pk,
                number,
                number,
                games.moments[position],
                games.kinds[position],
                games.external_ids[position],
                self.details(position),
                games.notes[position],
                now,
                self.by,
                "",
                "",
                games.weights[position],
            )

    def lines(self, positions: Sequence[int]) -> Iterator[str]:
        """Yield the same rows as lines of PostgreSQL's COPY."""
        games, league = self.games, self.league.pk
        end = f"{instant(self.now)}\t{escaped(self.by)}\t\t"
        for number, position in enumerate(positions, start=self.league.last_number + 1):
            note = games.notes[position]
            yield (
                f"{league}\t{number}\t{number}\t{instant(games.moments[position])}\t{games.kinds[position]}\t"
                f"{escaped(games.external_ids[position])}\t{escaped(self.details(position))}\t"
                f"{note and escaped(note)}\t{end}\t{games.weights[position]!r}\n"
            )

    def details(self, position: int) -> str:
        """Return the details of a game as JSON."""
        details = self.games.details[position]
        return "{}" if details is NOTHING else json.dumps(details)


class Checking:
    """Has PostgreSQL check foreign keys while the next rows are made, not all of them at the commit.

    That takes it as long as writing the rows. It is waited for in a thread; nothing else may be asked of the database
    until its end. SQLite counts what is open, and has nothing to do.
    """

    def __init__(self) -> None:
        self.thread: Thread | None = None
        self.error: Exception | None = None

    def begin(self) -> None:
        """Begin to check what has been written in this transaction."""
        if is_postgres():
            self.thread = Thread(target=self.run, args=(connection.connection,))
            self.thread.start()

    def run(self, server: Any) -> None:
        """Check; the driver's connection may be used in any thread, one at a time."""
        try:
            # As connection.check_constraints() does: that one belongs to its own thread.
            server.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        except Exception as error:  # noqa: BLE001 -- raised by end
            self.error = error

    def end(self) -> None:
        """Wait for the end; raises IntegrityError where a row names another one that is not there."""
        if self.thread is not None:
            self.thread.join()
            self.thread = None
        if self.error is not None:
            with connection.wrap_database_errors:
                raise self.error
