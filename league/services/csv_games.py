"""Reads games from CSV: one line a result, lines with the same game_id are one game, in seat order.

Only reading; what the league makes of the games is ``services.imports``' business. Nothing is
guessed: what is wrong is named with its line.
"""

import csv
import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from io import BytesIO, TextIOWrapper
from typing import Any, BinaryIO

from league.errors import Invalid, Problem
from league.services.leagues import start_of_day
from league.services.sheets import NewGame, NewResult

COLUMNS = ("game_id", "played_at", "player", "score", "place")
NEEDED = ("game_id", "played_at", "player")
#: A file that unpacks to more bytes than this is refused; about 15 million results.
LARGEST_FILE = 1_000_000_000
#: So many problems are named; then how many more there are.
MOST_PROBLEMS = 100

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many are done and how many there are (0: not known)."""


@dataclass(frozen=True)
class ReadGame:
    """A game of the file with the line of each result (the header is line 1)."""

    game: NewGame
    lines: tuple[int, ...]


@dataclass(frozen=True)
class ReadFile:
    """All games of a file in file order, and the columns that say nothing about them."""

    games: list[ReadGame]
    ignored: tuple[str, ...]


class Problems:
    """Collects sentences with lines and raises them together; nothing was written then."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.count = 0

    def add(self, line: int, code: str, sentence: str, where: str = "") -> None:
        """Note what is wrong on a line."""
        self.count += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(f"/lines/{line}{where}", code, f"Line {line}: {sentence}"))

    def raise_any(self) -> None:
        """Raise Invalid with everything that was noted."""
        if not self.count:
            return
        detail = " ".join(problem.detail for problem in self.problems[:3])
        rest = self.count - min(self.count, 3)
        more = f" And {rest} more problem{'s' if rest > 1 else ''}." if rest else ""
        raise Invalid(f"Nothing was imported. {detail}{more}", self.problems)


def read_csv(source: BinaryIO, fields: Sequence[str], time_zone: str, progress: Progress) -> ReadFile:
    """Read a CSV file (gzip too) of games with these game fields; raises Invalid with lines.

    A date without a time is the first instant of that day in the league's zone; a time without an
    offset is refused.
    """
    text = open_text(source)
    problems = Problems()
    try:
        reader = csv.reader(text, strict=True)
        header = read_header(next(reader, []), fields)
        games = collect(rows_of(reader, header, problems, progress), header, fields, time_zone, problems)
    except UnicodeDecodeError:
        raise Invalid("The file is not UTF-8 text; save it as CSV in UTF-8.") from None
    except csv.Error as error:
        raise Invalid(f"Line {reader.line_num}: this is not CSV: {error}.") from None
    except (EOFError, OSError) as error:
        raise Invalid(f"The file cannot be unpacked: {error}.") from None
    problems.raise_any()
    if not games:
        raise Invalid("The file holds no game: there is nothing below its header.")
    known = {*COLUMNS, *fields}
    return ReadFile(games, tuple(name for name in header if name not in known))


def open_text(source: BinaryIO) -> TextIOWrapper:
    """Return the text of a file, unpacked where it is gzip; a mark of byte order is skipped."""
    start = source.read(2)
    whole = BytesIO(start + source.read(LARGEST_FILE + 1))
    if start == b"\x1f\x8b":
        return TextIOWrapper(Limited(gzip.open(whole)), encoding="utf-8-sig", newline="")
    return TextIOWrapper(Limited(whole), encoding="utf-8-sig", newline="")


class Limited(BytesIO):
    """A stream of bytes that refuses to be longer than a file may be."""

    def __init__(self, stream: Any) -> None:
        data = stream.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise Invalid(f"The file is larger than {LARGEST_FILE:,} bytes; import it in parts.")
        super().__init__(data)


def read_header(header: Sequence[str], fields: Sequence[str]) -> list[str]:
    """Return the columns' names; raises Invalid where one is missing or stands twice."""
    names = [name.strip() for name in header]
    missing = [name for name in (*NEEDED, *fields) if name not in names]
    if missing or ("score" not in names and "place" not in names):
        lacks = ", ".join(missing) or "score or place"
        raise Invalid(f"Line 1: the header lacks {lacks}; it is: {', '.join(names) or 'empty'}.")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Invalid(f"Line 1: the header names {', '.join(twice)} twice.")
    return names


def rows_of(
    reader: Any, header: Sequence[str], problems: Problems, progress: Progress
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and cells of every line that is not blank."""
    for count, cells in enumerate(reader, start=1):
        line = reader.line_num
        if count % 5000 == 0:
            progress("reading", line, 0)
        if not cells:
            continue
        if len(cells) != len(header):
            problems.add(line, "columns", f"there are {len(cells)} cells under {len(header)} columns.")
            continue
        if any("\0" in cell for cell in cells):
            problems.add(line, "nul", "there is a NUL character.")
            continue
        yield line, dict(zip(header, (cell.strip() for cell in cells), strict=True))


def collect(
    rows: Iterable[tuple[int, dict[str, str]]],
    header: Sequence[str],
    fields: Sequence[str],
    time_zone: str,
    problems: Problems,
) -> list[ReadGame]:
    """Put the lines of each game together; they need not follow one another."""
    tables: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for line, cells in rows:
        if not cells["game_id"]:
            problems.add(line, "missing", "the game_id is empty.", "/game_id")
            continue
        tables.setdefault(cells["game_id"], []).append((line, cells))
    return [
        ReadGame(read_game(name, table, fields, time_zone, problems), tuple(line for line, _ in table))
        for name, table in tables.items()
    ]


def read_game(
    name: str, table: Sequence[tuple[int, dict[str, str]]], fields: Sequence[str], time_zone: str, problems: Problems
) -> NewGame:
    """Return one game; what it says of itself must be the same on all its lines."""
    first_line, first = table[0]
    for line, cells in table[1:]:
        for column in ("played_at", *fields):
            if cells[column] != first[column]:
                sentence = (
                    f"{column} of game {name} is “{cells[column]}” here and “{first[column]}” on line {first_line}."
                )
                problems.add(line, "differs", sentence, f"/{column}")
    return NewGame(
        results=[read_result(line, cells, problems) for line, cells in table],
        played_at=read_time(first_line, first["played_at"], time_zone, problems),
        external_id=name,
        details=read_fields(first_line, first, fields, problems),
    )


def read_result(line: int, cells: Mapping[str, str], problems: Problems) -> NewResult:
    """Return one line's result; an empty score or place is one that is not there."""
    if not cells["player"]:
        problems.add(line, "missing", "the player is empty.", "/player")
    score = read_number(line, "score", cells.get("score", ""), problems)
    place = read_number(line, "place", cells.get("place", ""), problems)
    if place is not None and place != int(place):
        problems.add(line, "not_whole", f"the place “{cells['place']}” is not a whole number.", "/place")
        place = None
    return NewResult(cells["player"], score, None if place is None else int(place))


def read_number(line: int, column: str, text: str, problems: Problems) -> float | None:
    """Return a number written with a decimal point, None for an empty cell."""
    if not text:
        return None
    try:
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        value = None
    if value is None or value - value != 0.0:
        problems.add(line, "not_a_number", f"the {column} “{text[:40]}” is not a number.", f"/{column}")
        return None
    return value


def read_fields(line: int, cells: Mapping[str, str], fields: Sequence[str], problems: Problems) -> dict[str, float]:
    """Return the game fields that the file gives."""
    values = {name: read_number(line, name, cells[name], problems) for name in fields}
    return {name: value for name, value in values.items() if value is not None}


def read_time(line: int, text: str, time_zone: str, problems: Problems) -> datetime | None:
    """Return when the game was played."""
    try:
        return parse_time(text, time_zone)
    except ValueError:
        sentence = (
            f"played_at “{text[:40]}” is neither a date such as 2024-03-05 nor a time with offset "
            "such as 2024-03-05T19:30:00Z."
        )
        problems.add(line, "not_a_time", sentence, "/played_at")
        return None


@lru_cache(maxsize=4096)
def parse_time(text: str, time_zone: str) -> datetime:
    """Return the instant of a date or time; raises ValueError."""
    if len(text) == 10:
        return start_of_day(date.fromisoformat(text), time_zone)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("no offset")
    return moment
