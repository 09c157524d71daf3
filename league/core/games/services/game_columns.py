"""The games of a file as columns: read and checked before the league is locked, then written with their log.

A game of four players takes some 300 bytes here; as objects it would take ten times that.
"""

from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.utils.translation import gettext as _

from league.core.db.bulk import write_columns
from league.core.db.columns import Column, Columns, Floats, Keys, Smalls, is_postgres
from league.core.errors import Conflict, Invalid, Problems, Refused, RungsError
from league.core.fields.selectors.fields import load_fields
from league.core.fields.services.values import write_game_values
from league.core.games.services.computed_results import (
    compute_results_by_rule,
    is_to_be_computed,
    refuse_computed_details,
)
from league.core.games.services.declared_values import has_values, store_values
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.game_input import (
    NewGame,
    NewResult,
    build_content,
    check_form,
    check_time,
    find_refusals,
    normalize_negative_zero,
)
from league.core.games.services.write_games import Row, build_row, copy_games, normalize_sheet
from league.core.jobs.services.progress import Progress, ignore_progress
from league.core.log.services import entries
from league.core.rules.selectors.rules import find_rules_rating
from league.core.text.names import build_name_key
from league.models import League, LogEntry, Player, Result, Rule
from league.models.facts import SHEET, list_recorded_values
from ratings.run.replay import NAN

#: Games between two progress reports.
PROGRESS_EVERY = 2000
#: Largest value the places column can hold; every system rejects it anyway.
HIGHEST_PLACE = 32_767
#: Number of games written at once, while the rows of the next ones are prepared.
GAMES_PER_WRITE = 5000


@dataclass(frozen=True)
class ResultColumns(Columns):
    """N results of a file: indexes of game and player, seat, score (NaN: none), place and side (0: none)."""

    game: Keys
    seat: Smalls
    player: Keys
    score: Floats
    place: Smalls
    side: Smalls


class GameColumns:
    """G games with N results in file order. Errors go to ``refused``; a game with errors is not added."""

    def __init__(self, league: League, rules: Sequence[Rule], now: datetime) -> None:
        self.league, self.rules, self.now = league, rules, now
        self.fields = load_fields(league)
        self.refused = Problems()
        self.repeated = 0
        """Games that stand in the file before, with the same content."""
        self.whole = False
        self.ignored: tuple[str, ...] = ()
        self.index: dict[str, int] = {}
        """external_id -> position of its game."""
        self.sheets: dict[str, list[Any]] = {name: [] for name in SHEET}
        """Field of the games -> its values, as they are stored."""
        self.fixtures: dict[int, int] = {}
        """Position of a game -> the fixture that it names."""
        self.offsets = array("q", [0])
        self.seen: dict[str, int] = {}
        """Text -> position in ``names``."""
        self.names: list[str] = []
        """The texts that name players in the file, also of games that are refused."""
        self.named_on: list[int] = []
        self.players, self.scores = array("q"), array("d")
        self.places, self.sides, self.lines = array("h"), array("h"), array("q")

    @classmethod
    def of(
        cls, league: League, read: ReadFile, rules: Sequence[Rule], now: datetime, progress: Progress
    ) -> "GameColumns":
        """Read and check all games of a file; raises BadFile where it is not well-formed."""
        games = cls(league, rules, now)
        games.ignored = read.ignored
        total = len(read.games) if isinstance(read.games, list) else 0
        for count, entry in enumerate(read.games, start=1):
            # A file read while being checked reports its own progress.
            if total and count % PROGRESS_EVERY == 0:
                progress("checking", count, total)
            games.take(entry, read.problems)
        read.problems.raise_any()
        return games

    def __len__(self) -> int:
        """Return how many games there are."""
        return len(self.offsets) - 1

    def take(self, entry: ReadGame, unread: Problems) -> None:
        """Check a game and add it, unless there are lines that could not be read: then only those are reported.

        It is checked as ``record_game`` does, but for who its players are.
        """
        seats = self.seats(entry)
        if unread.count:
            return
        try:
            new = entry.game
            refuse_computed_details(new)
            if self.fields or has_values(new):
                entry = replace(entry, game=(new := store_values(self.league, new, self.now, self.fields)))
            if is_to_be_computed(new):
                new = compute_results_by_rule(self.rule_of(new), new)
                entry = replace(entry, game=new)
            if self.is_new(entry, seats):
                check_form(new)
                # Between two rules all games are rated alike.
                if problems := find_refusals(find_rules_rating(self.rules, self.rule_of(new).starts_at), new):
                    raise Refused("", problems)
                self.put(entry, seats)
        except (Invalid, Refused) as error:
            self.refuse(entry, error)

    def seats(self, entry: ReadGame) -> list[int]:
        """Return the positions of a game's players among the names."""
        for line, result in zip(_list_line_numbers(entry), entry.game.results, strict=True):
            if result.player not in self.seen:
                self.seen[result.player] = len(self.names)
                self.names.append(result.player)
                self.named_on.append(line)
        return [self.seen[result.player] for result in entry.game.results]

    def is_new(self, entry: ReadGame, seats: Sequence[int]) -> bool:
        """Return whether a game's external_id has not been in the file before; another game with it is rejected."""
        name = entry.game.external_id
        position = None if name is None else self.index.get(name)
        if position is None:
            return True
        earlier = self.entry(position).game
        if (earlier.played_at, self._build_content(earlier, self.players[self.span(position)])) == (
            entry.game.played_at,
            self._build_content(entry.game, seats),
        ):
            self.repeated += 1
        else:
            line = self.lines[self.offsets[position]]
            message = _("external_id “{name}” belongs to the game on line {line}, which has other content.").format(
                name=name, line=line
            )
            self.refused.add(entry.lines[0], "conflict", message, "/external_id", Conflict)
        return False

    def _build_content(self, new: NewGame, seats: Sequence[int]) -> tuple[Any, ...]:
        """Return a game's content by the names of its players."""
        keys = [build_name_key(self.names[seat]) for seat in seats]
        return build_content(new, zip(keys, map(list_recorded_values, new.results), strict=True))

    def rule_of(self, new: NewGame) -> Rule:
        """Return the rule in force when a game was played; raises Refused outside the league's time."""
        assert new.played_at is not None, "a reader refuses games without a time"
        return check_time(new.played_at, self.now, self.rules)

    def refuse(self, entry: ReadGame, error: RungsError) -> None:
        """Note at its lines why a game is refused."""
        if not error.problems:
            self.refused.add(entry.lines[0], error.code, f"{format_game_prefix(entry)}{error.detail}", kind=type(error))
        for problem in error.problems:
            line, pointer = _locate_line(entry, problem.pointer)
            self.refused.add(line, problem.code, f"{format_game_prefix(entry)}{problem.detail}", pointer, type(error))

    def put(self, entry: ReadGame, seats: Sequence[int]) -> None:
        """Add a game to the columns."""
        new = entry.game
        assert new.played_at is not None, "a reader refuses games without a time"
        self.whole = entry.whole
        if new.external_id is not None:
            self.index[new.external_id] = len(self)
        if new.fixture is not None:
            self.fixtures[len(self)] = new.fixture
        for name, value in normalize_sheet(new).items():
            self.sheets[name].append(value)
        self.offsets.append(self.offsets[-1] + len(seats))
        self.players.extend(seats)
        self.lines.extend(_list_line_numbers(entry))
        for result in new.results:
            self.scores.append(NAN if result.score is None else normalize_negative_zero(float(result.score)))
            self.places.append(min(result.place or 0, HIGHEST_PLACE))
            self.sides.append(result.side or 0)

    def span(self, position: int) -> slice:
        """Return the slice of a game's results."""
        return slice(self.offsets[position], self.offsets[position + 1])

    def entry(self, position: int) -> ReadGame:
        """Return a game as it was read."""
        span = self.span(position)
        results = [
            NewResult(self.names[player], None if isnan(score) else score, place or None, side or None)
            for player, score, place, side in zip(
                self.players[span], self.scores[span], self.places[span], self.sides[span], strict=True
            )
        ]
        game = NewGame(results, **self.sheet(position), fixture=self.fixtures.get(position))
        return ReadGame(game, tuple(self.lines[span]), self.whole)

    def sheet(self, position: int) -> dict[str, Any]:
        """Return what a game contains, as it is stored."""
        return {name: values[position] for name, values in self.sheets.items()}

    def columns(self) -> ResultColumns:
        """Return the results."""
        offsets = np.array(self.offsets, dtype=np.int64)
        first = offsets[:-1]
        game = np.repeat(np.arange(len(self)), offsets[1:] - first)
        return ResultColumns(
            game=game,
            seat=np.arange(len(game)) - first[game] + 1,
            player=np.array(self.players, dtype=np.int64),
            score=np.array(self.scores, dtype=np.float64),
            place=np.array(self.places, dtype=np.int64),
            side=np.array(self.sides, dtype=np.int64),
        )


def _list_line_numbers(entry: ReadGame) -> Sequence[int]:
    """Return the line of each result; 0 if the games do not come from a file."""
    return entry.lines or (0,) * len(entry.game.results)


def format_game_prefix(entry: ReadGame) -> str:
    """Return how a sentence names a game; not needed if the game has its own line."""
    return "" if entry.whole else _("game {name}:").format(name=entry.game.external_id) + " "


def _locate_line(entry: ReadGame, pointer: str) -> tuple[int, str]:
    """Translate a pointer into a game to a line of the file, and the location within that line."""
    if entry.whole:
        return entry.lines[0], pointer
    segments = pointer.split("/")[1:]
    if len(segments) >= 3 and segments[0] == "results":
        return entry.lines[int(segments[1])], f"/{'_'.join(segments[2:])}"
    column = segments[-1] if segments[0] in ("details", "played_at", "weight") else ""
    return entry.lines[0], f"/{column}" if column else ""


class NamedPlayer(NamedTuple):
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


class Facts:
    """Games on their way into the data of a league, which must be locked; ``people``: by position of their names."""

    def __init__(
        self, league: League, now: datetime, by: str, games: GameColumns, people: Sequence[NamedPlayer]
    ) -> None:
        self.league, self.now, self.by, self.games = league, now, by, games
        self.people = people
        self.players = np.array([player.pk for player in people], dtype=np.int64)
        self.originals = np.array([player.original or np.nan for player in people], dtype=np.float64)

    def write(self, positions: Column, columns: ResultColumns, progress: Progress = ignore_progress) -> None:
        """Write games at positions in ascending order, with their results and entries of the log; numbers go on.

        While the database checks the foreign keys of some, a thread makes the rows of the next ones.
        """
        batches, written_count = np.split(positions, range(GAMES_PER_WRITE, len(positions), GAMES_PER_WRITE)), 0
        with ThreadPoolExecutor(max_workers=1) as maker:
            coming = maker.submit(self.make_rows, batches[0])
            for batch, following in zip(batches, [*batches[1:], positions[:0]], strict=True):
                rows, entry_batch = coming.result()
                written = copy_games(self.league, rows)
                self.write_results(written, batch, columns)
                values = ((key, row["details"], row["withheld"]) for key, row in zip(written, rows, strict=True))
                write_game_values(self.league, values)
                entries.write_entries(self.league, entry_batch)
                # Not before: both threads would take turns of Python while this one sends rows.
                coming = maker.submit(self.make_rows, following)
                if is_postgres():
                    connection.check_constraints()
                written_count += len(batch)
                progress("writing", written_count, len(positions))
        self.league.save(update_fields=["last_number", *entries.HEAD])

    def make_rows(self, positions: Column) -> tuple[list[Row], entries.EntryBatch]:
        """Return the rows of games, each with the league's next number, and their entries of the log.

        Nothing is asked of the database: it answers another thread.
        """
        league, now, username = self.league, self.now, self.by
        rows = [build_row(league, self.games.sheet(position), now, username) for position in positions.tolist()]
        numbers = (row["number"] for row in rows)
        payloads = map(entries.build_sheet_payload, numbers, rows, map(self.lines, positions.tolist()))
        return rows, entries.make_entries(league, now, username, LogEntry.Kind.GAME_RECORDED, payloads)

    def lines(self, position: int) -> list[entries.Line]:
        """Return what the log tells of the results of a game."""
        games, span = self.games, self.games.span(position)
        return [
            (player.opaque, None if isnan(score) else score, place or None, side or None, player.original_opaque)
            for player, score, place, side in zip(
                map(self.people.__getitem__, games.players[span]),
                games.scores[span],
                games.places[span],
                games.sides[span],
                strict=True,
            )
        ]

    def write_results(self, written: Sequence[int], positions: Column, columns: ResultColumns) -> None:
        """Write the results of the games at these positions, which were just written under these keys."""
        keys = np.zeros(positions[-1] + 1, dtype=np.int64)
        keys[positions] = written
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
