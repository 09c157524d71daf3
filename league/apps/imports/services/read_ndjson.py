"""Reads games from lines of JSON, one game per line in the format of the API, as a stream.

Problems are reported by line and by their place in the game.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from io import BufferedReader
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from league.apps.imports.services.read_csv import read_time
from league.core.errors import MAX_MESSAGES, Invalid, Problems, build_pointer
from league.core.games.services import game_files
from league.core.games.services.game_files import ReadFile, ReadGame, open_bytes, raise_invalid_on_broken_gzip
from league.core.games.services.game_input import MAX_DETAILS, NewGame, NewResult
from league.core.jobs.services.progress import Progress
from league.core.log.chain import WITHHELD
from league.core.metadata import find_faults
from league.core.text import wording
from league.core.text.strict_json import load
from league.models import Game
from league.models.facts import MAX_SEATS, RESULT, SHEET
from ratings.contract.parameters import is_number

GAME_KEYS = {*SHEET, "results", "fixture", "fields"} - {WITHHELD}
RESULT_KEYS = {"player", *RESULT, "worksheet", "sets", "retired", "fields"}
#: Longer than a complete game of a hundred players.
MAX_LINE_LENGTH = 200_000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PROGRESS_INTERVAL = 5000


def read_ndjson(source: BinaryIO, time_zone: str, progress: Progress) -> ReadFile:
    """Return the games of a file of JSON lines (or gzip) as they are read, without blank lines.

    Games have the format for recording one; ``played_at`` is required and may be a date, which means the start of that
    day in the league's zone.
    """
    problems = Problems()
    with raise_invalid_on_broken_gzip():
        stream = open_bytes(source, game_files.MAX_STREAM_BYTES)
    return ReadFile(iter_games(iter_lines(stream, progress), time_zone, problems), (), problems)


def iter_games(lines: Iterator[bytes], time_zone: str, problems: Problems) -> Iterator[ReadGame]:
    """Yield the games of well-formed lines; raises Invalid if the file is empty."""
    empty = True
    with raise_invalid_on_broken_gzip():
        for line, data in enumerate(lines, start=1):
            if data.strip():
                empty = False
                game = GameLine(line, time_zone, problems).read_game(data)
                if game is not None:
                    yield ReadGame(game, (line,) * len(game.results), whole=True)
    if empty:
        raise Invalid(_("Nothing was imported. The file is empty."))


def iter_lines(stream: "BufferedReader[Any]", progress: Progress) -> Iterator[bytes]:
    """Yield the lines of a file; raises Invalid if one is too long."""
    line = 0
    while data := stream.readline(MAX_LINE_LENGTH):
        line += 1
        if line % PROGRESS_INTERVAL == 0:
            progress("reading", line, 0)
        if len(data) == MAX_LINE_LENGTH and not data.endswith(b"\n"):
            raise Invalid(
                _("Nothing was imported. Line {line} is longer than {most} bytes.").format(
                    line=line, most=wording.format_with_separators(MAX_LINE_LENGTH)
                )
            )
        yield data.removeprefix(BYTE_ORDER_MARK) if line == 1 else data


class GameLine:
    """Parses one line of a file, and collects its problems."""

    def __init__(self, line: int, time_zone: str, problems: Problems) -> None:
        self.line, self.time_zone, self.problems = line, time_zone, problems
        self.is_valid = True

    def note_problem(self, code: str, message: str, *path: object) -> None:
        """Record a problem."""
        self.is_valid = False
        self.problems.add(self.line, code, message, build_pointer(*path))

    def note_seat_problem(self, seat: int, code: str, message: str, *path: str, **values: object) -> None:
        """Record a problem of a result."""
        self.note_problem(code, message.format(seat=seat + 1, **values), "results", seat, *path)

    def read_game(self, data: bytes) -> NewGame | None:
        """Read a line's game, None if it has a problem."""
        value = self.parse_json(data)
        if not self.is_valid:
            return None
        if not isinstance(value, dict):
            self.note_problem("not_an_object", _("a game must be a JSON object."))
            return None
        if not value.keys() <= GAME_KEYS:
            self.note_unknown_fields(value, GAME_KEYS)
        details, metadata = value.get("details"), value.get("metadata")
        if details is not None and not isinstance(details, dict):
            self.note_problem("not_an_object", _("details must be an object."), "details")
        for key, code, message in () if metadata is None else find_faults(metadata):
            self.note_problem(code, message, "metadata", *([] if key is None else [key]))
        game = NewGame(
            results=self.read_results(value.get("results")),
            played_at=self.read_played_at(value.get("played_at")),
            external_id=self.read_text(value, "external_id") or None,
            details=details or {},
            kind=self.read_text(value, "kind") or Game.Kind.PLAYED,
            note=self.read_text(value, "note"),
            weight=self.read_weight(value.get("weight")),
            metadata=metadata,
            fields=self.read_values(value),
            fixture=self.read_fixture(value.get("fixture")),
        )
        return game if self.is_valid else None

    def parse_json(self, data: bytes) -> Any:
        """Return the JSON value of a line."""
        try:
            return load(data.decode())
        except UnicodeDecodeError:
            self.note_problem("not_utf_8", _("this is not UTF-8 text; save the file in UTF-8."))
        except json.JSONDecodeError as error:
            self.note_problem(
                "not_json", _("this is not JSON: {why} at column {column}.").format(why=error.msg, column=error.colno)
            )
        except Invalid as error:
            self.note_problem("not_json", error.detail)
        return None

    def note_unknown_fields(self, value: dict[str, Any], known_fields: set[str], *path: object) -> None:
        """Record unknown fields as problems, so that typing errors are noticed."""
        names = ", ".join(sorted(known_fields))
        for name in [name for name in value if name not in known_fields][:MAX_MESSAGES]:
            self.note_problem(
                "unknown",
                _("there is no field “{name}”; the fields are: {names}.").format(name=name[:40], names=names),
                *path,
                name,
            )

    def read_text(self, value: dict[str, Any], name: str) -> str:
        """Return a text, empty if there is none."""
        text = value.get(name)
        if text is None:
            return ""
        if not isinstance(text, str):
            self.note_problem("not_a_text", _("{name} must be a string.").format(name=name), name)
            return ""
        return text.strip()

    def read_weight(self, value: Any) -> float:
        """Read a game's weight, 1 if missing."""
        if value is None or is_number(value):
            return 1.0 if value is None else float(value)
        self.note_problem("not_a_number", _("the weight must be a number."), "weight")
        return 1.0

    def read_fixture(self, value: Any) -> int | None:
        """Read the fixture of a competition that the game is for, None if missing."""
        if value is not None and type(value) is not int:
            self.note_problem("not_whole", _("the fixture must be a whole number."), "fixture")
            return None
        return value

    def read_played_at(self, value: Any) -> datetime | None:
        """Read the time of the game; it is required, as the default would date the whole file to now."""
        if isinstance(value, str):
            count = self.problems.count
            played_at = read_time(self.line, value, self.time_zone, self.problems)
            self.is_valid = self.is_valid and self.problems.count == count
            return played_at
        code = "missing" if value is None else "not_a_time"
        self.note_problem(code, _("played_at must be a time such as 2024-03-05T19:30:00Z."), "played_at")
        return None

    def read_results(self, value: Any) -> list[NewResult]:
        """Return the results of a game."""
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_SEATS:
            code = "missing" if value is None else "players"
            self.note_problem(
                code,
                _("results must be a list of 1 to {most}, one for each player.").format(most=MAX_SEATS),
                "results",
            )
            return []
        return [self.read_result(seat, entry) for seat, entry in enumerate(value)]

    def read_result(self, seat: int, entry: Any) -> NewResult:
        """Return one player's line."""
        if not isinstance(entry, dict):
            self.note_seat_problem(seat, "not_an_object", _("Seat {seat}: a result must be a JSON object."))
            return NewResult("")
        if not entry.keys() <= RESULT_KEYS:
            self.note_unknown_fields(entry, RESULT_KEYS, "results", seat)
        player, score = entry.get("player"), entry.get("score")
        if not isinstance(player, str) or not player.strip():
            code = "missing" if player is None or isinstance(player, str) else "not_a_text"
            self.note_seat_problem(seat, code, _("Seat {seat} has no player."), "player")
            player = ""
        if score is not None and not is_number(score):
            self.note_seat_problem(seat, "not_a_number", _("Seat {seat}: the score must be a number."), "score")
            score = None
        place, side = self.read_whole(seat, entry, "place"), self.read_whole(seat, entry, "side")
        worksheet = self.read_worksheet(seat, entry.get("worksheet"))
        retired = entry.get("retired")
        if retired is not None and not isinstance(retired, bool):
            self.note_seat_problem(seat, "not_a_flag", _("Seat {seat}: retired must be true or false."), "retired")
        score = None if score is None else float(score)
        fields = self.read_values(entry, "results", seat)
        return NewResult(player, score, place, side, worksheet, entry.get("sets"), retired is True, fields)

    def read_values(self, value: dict[str, Any], *path: object) -> dict[str, Any] | None:
        """Return the values of declared fields of a game or a result; the league's fields check them."""
        fields = value.get("fields")
        if fields is None or isinstance(fields, dict):
            return fields
        self.note_problem("not_an_object", _("fields must be an object."), *path, "fields")
        return None

    def read_whole(self, seat: int, entry: dict[str, Any], name: str) -> int | None:
        """Read a place or a side, None if missing or wrong."""
        value = entry.get(name)
        if value is None or (is_number(value) and value == int(value)):
            return None if value is None else int(value)
        message = (
            _("Seat {seat}: the place must be a whole number.")
            if name == "place"
            else _("Seat {seat}: the team must be a whole number.")
        )
        self.note_seat_problem(seat, "not_whole", message, name)
        return None

    def read_worksheet(self, seat: int, value: Any) -> dict[str, Any] | None:
        """Read a player's worksheet of numbers; the system checks the names."""
        if value is None:
            return None
        if not isinstance(value, dict):
            self.note_seat_problem(
                seat, "not_an_object", _("Seat {seat}: a worksheet must be a JSON object."), "worksheet"
            )
            return None
        if len(value) > MAX_DETAILS:
            message = _("Seat {seat}: a worksheet has at most {most} fields.")
            self.note_seat_problem(seat, "too_many", message, "worksheet", most=MAX_DETAILS)
            return None
        for key in [key for key, number in value.items() if number is not None and not is_number(number)]:
            message = _("Seat {seat}: {key} of the worksheet must be a number.")
            self.note_seat_problem(seat, "not_a_number", message, "worksheet", key, key=key[:40])
        return value
