"""Reads games from CSV: one line per result; lines with the same game_id form a game, in seat order.

The lines of a game need not be adjacent; its first line sets its position. Problems are reported by line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, BinaryIO

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, npgettext, pgettext

from league.apps.imports.paste.scores import merge_weights, parse_sides, share_values
from league.core.calendar import LATEST, start_of_day
from league.core.errors import MAX_PROBLEMS, Invalid, Problems, Refused
from league.core.fields.selectors.fields import PREFIX
from league.core.fields.values import parse_value
from league.core.games.services import game_files
from league.core.games.services.game_files import ReadFile, ReadGame, open_bytes, raise_invalid_on_broken_gzip
from league.core.games.services.game_input import NewGame, NewResult
from league.core.jobs.services.progress import Progress
from league.core.text.cell_rows import CellRows, simplify_heading
from league.core.text.decoding import open_text
from league.core.text.numbers import AMBIGUOUS_THOUSANDS, NotANumber, UnclearText, parse_score
from league.core.text.spreadsheet_cells import unquote_cell
from league.core.text.wording import format_with_separators
from league.core.text.written_days import DayOrder, UnclearOrder, find_day_order, looks_like_day, read_moment
from league.models import DeclaredField, Game
from league.models.facts import MAX_WEIGHT
from league.models.recorded import WORKSHEET
from ratings.contract.system import RatingSystem

#: The lines of a game: their numbers, and their cells by column.
GameLines = Sequence[tuple[int, dict[str, str]]]
COLUMNS = ("game_id", "played_at", "player", "score", "place", "kind", "side", "weight", "fixture", "sets", "retired")
#: Numbers of a set with as many digits are typing errors.
MAX_DIGITS = 10
#: What a cell of the column ``retired`` may contain for a side that stopped.
YES = frozenset({"yes", "true", "1", "x"})
NO = frozenset({"", "no", "false", "0"})


#: Days and times of programs.
ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T.*)?", re.ASCII)


class CellReader:
    """Reads the cells of a file, and collects its problems. ``order``: what comes first in 11/06/2026."""

    def __init__(
        self, time_zone: str, order: DayOrder, today: date, declared: Mapping[str, DeclaredField] | None = None
    ) -> None:
        self.time_zone, self.order, self.today = time_zone, order, today
        self.declared = declared or {}
        self.problems = Problems()
        self._has_decimal_commas = False
        self._dotted: list[tuple[int, str, str]] = []

    def find_order(self, texts: Iterable[str]) -> None:
        """Find what comes first in the days of the file, unless it is known."""
        self.order = self.order or find_day_order(text for text in texts if not text[:4].isdigit())

    def read_number(self, line: int, column: str, text: str) -> float | None:
        """Return a number as people write it, None for an empty cell."""
        value = parse_number(text)
        if value is not None or not text:
            if "." in text and AMBIGUOUS_THOUSANDS.fullmatch(text) and len(self._dotted) < MAX_PROBLEMS:
                self._dotted.append((line, column, text))
            return value
        try:
            value = parse_score(text)
        except NotANumber:
            message = _("the {column} “{text}” is not a number.").format(column=column, text=text[:40])
            self.problems.add(line, "not_a_number", message, f"/{column}")
        except UnclearText as error:
            self.problems.add(line, "not_a_number", str(error), f"/{column}")
        self._has_decimal_commas = self._has_decimal_commas or "," in text
        return value

    def read_whole_number(self, line: int, column: str, text: str) -> int | None:
        """Return a place or fixture, None for an empty cell."""
        value = parse_number(text)
        if text and (value is None or value != int(value)):
            message = _("the {column} “{text}” is not a whole number.").format(column=column, text=text[:40])
            self.problems.add(line, "not_whole", message, f"/{column}")
            return None
        return None if value is None else int(value)

    def read_time(self, line: int, text: str) -> datetime | None:
        """Return when the game was played: a day or time of a program, or as people write it."""
        if not ISO_TIME.fullmatch(text):
            try:
                return read_moment(text, self.time_zone, self.order, self.today)
            except (UnclearText, ValueError, OverflowError) as error:
                if isinstance(error, UnclearText) and looks_like_day(text):
                    code = "ambiguous_day" if isinstance(error, UnclearOrder) else "not_a_time"
                    self.problems.add(line, code, str(error), "/played_at")
                    return None
        return read_time(line, text, self.time_zone, self.problems)

    def refuse_mixed_commas(self) -> None:
        """Note numbers such as 1.234 in a file with decimal commas: they may be thousands."""
        for line, column, text in self._dotted if self._has_decimal_commas else ():
            try:
                parse_score(text)
            except UnclearText as error:
                self.problems.add(line, "not_a_number", str(error), f"/{column}")


def read_csv(
    source: BinaryIO,
    system: RatingSystem,
    time_zone: str,
    progress: Progress,
    *,
    encoding: str = "",
    order: DayOrder = "",
    today: date = LATEST,
    declared: Sequence[DeclaredField] = (),
) -> ReadFile:
    """Read a CSV file (gzip too) of games of a system; raises Invalid, with lines.

    A date without a time is the start of that day in the league's zone. A column ``kind`` marks forfeits and byes,
    which are not rated. Columns such as ``field.map`` have values of the ``declared`` fields of the league.
    """
    fields = [spec.key for spec in system.game_fields]
    columns: tuple[str, ...] = (*COLUMNS, *_list_worksheet_columns(system))
    with raise_invalid_on_broken_gzip():
        data = open_bytes(source, game_files.MAX_FILE_BYTES).read()
    rows = CellRows(open_text(data, encoding))
    reader = CellReader(time_zone, order, today, {one.key: one for one in declared})
    header = read_header(rows.header, system, rows.header_line)
    columns += tuple(name for name in header if name.startswith(PREFIX))
    games = group_games(iter_rows(rows, header, (*columns, *fields), reader.problems, progress), system, reader)
    reader.refuse_mixed_commas()
    reader.problems.raise_any()
    if not games:
        raise Invalid(_("Nothing was imported. The file has no games below its header."))
    pairs = zip(rows.header, header, strict=True)
    return ReadFile(games, tuple(shown for shown, name in pairs if shown and name not in (*columns, *fields)))


def read_header(header: Sequence[str], system: RatingSystem, line: int = 1) -> list[str]:
    """Return the simple names of the columns; raises Invalid if one is missing or occurs twice."""
    names = [simplify_heading(name) for name in header]
    has_worksheet = bool({"sets", *_list_worksheet_columns(system)} & {*names})
    results = [name for name, use in (("score", system.score), ("place", system.place)) if use == "required"]
    needed = ["game_id", "played_at", "player", *results, *(spec.key for spec in system.game_fields)]
    missing = [name for name in needed if name not in names and not (has_worksheet and name == "score")]
    if "either" in (system.score, system.place) and not {"score", "place", "sets"} & set(names):
        missing.append("score (or place)")
    if missing:
        near = [close for name in missing for close in get_close_matches(name.split()[0], set(names) - {*COLUMNS}, 1)]
        message = _("Line {line}: the header lacks {missing}; it is: {names}.").format(
            line=line, missing=", ".join(missing), names=", ".join(header) or pgettext("the header of a file", "empty")
        )
        if near:
            message += " " + _("Is “{name}” a misspelling?").format(name=header[names.index(near[0])])
        raise Invalid(_("Nothing was imported. {why}").format(why=message))
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        message = _("Line {line}: the header names {names} twice.").format(line=line, names=", ".join(twice))
        raise Invalid(_("Nothing was imported. {why}").format(why=message))
    return names


def _list_worksheet_columns(system: RatingSystem) -> list[str]:
    """Return the columns of the worksheets, such as worksheet_middle; a file need not have them."""
    return [f"{WORKSHEET}_{spec.key}" for spec in system.worksheet.fields] if system.worksheet else []


def iter_rows(
    lines: CellRows, header: Sequence[str], known_columns: Sequence[str], problems: Problems, progress: Progress
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and cells under known columns of every line that is not blank."""
    columns = [(index, name) for index, name in enumerate(header) if name in known_columns]
    for count, cells in enumerate(lines, start=1):
        if count % 5000 == 0:
            progress("reading", count, 0)
        if len(cells) != len(header):
            # Translators: ends "there are 3 cells under 6 columns."
            columns_in = npgettext("under them", "{count} column", "{count} columns", len(header))
            message = ngettext(
                "there is {count} cell under {columns}.", "there are {count} cells under {columns}.", len(cells)
            ).format(
                count=format_with_separators(len(cells)),
                columns=columns_in.format(count=format_with_separators(len(header))),
            )
            problems.add(lines.line, "columns", message)
        else:
            yield lines.line, {name: unquote_cell(cells[index].strip()) for index, name in columns}


def group_games(rows: Iterable[tuple[int, dict[str, str]]], system: RatingSystem, reader: CellReader) -> list[ReadGame]:
    """Group the lines of each game, which need not be adjacent."""
    tables: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for line, cells in rows:
        if not cells["game_id"]:
            reader.problems.add(line, "missing", _("the game_id is empty."), "/game_id")
            continue
        tables.setdefault(cells["game_id"], []).append((line, cells))
    reader.find_order({table[0][1]["played_at"] for table in tables.values()})
    games = []
    for name in list(tables):
        table = tables.pop(name)  # the cells of a game go as the game comes: a long file is in memory once
        games.append(ReadGame(read_game(name, table, system, reader), tuple(line for line, _ in table)))
    return games


def read_game(name: str, table: GameLines, system: RatingSystem, reader: CellReader) -> NewGame:
    """Read a game; its own columns must be the same on all lines, except an empty weight."""
    fields = [spec.key for spec in system.game_fields]
    first_line, first = table[0]
    own = [name for name in first if name.startswith(PREFIX) and is_of_game(reader.declared, name)]
    for line, cells in table[1:]:
        for column in ("played_at", "kind", "fixture", *fields, *own):
            # A value of a declared field may be on the first line alone.
            if cells.get(column) != first.get(column) and (column not in own or cells.get(column)):
                message = _("{column} of game {name} is “{here}” here and “{there}” on line {line}.").format(
                    column=column, name=name, here=cells[column], there=first[column], line=first_line
                )
                reader.problems.add(line, "differs", message, f"/{column}")
    return NewGame(
        results=read_results(table, system, reader),
        played_at=reader.read_time(first_line, first["played_at"]),
        external_id=name,
        details=read_fields(first_line, first, fields, reader),
        fields=read_values(first, reader.declared, of_seats=False),
        kind=read_kind(first_line, first.get("kind", ""), reader.problems),
        weight=read_weight(table, reader),
        fixture=reader.read_whole_number(first_line, "fixture", first.get("fixture", "")),
    )


def read_kind(line: int, text: str, problems: Problems) -> str:
    """Return a game's kind; an empty cell, or none, is a played game."""
    if not text or text in Game.Kind.values:
        return text or Game.Kind.PLAYED
    kinds = ", ".join(Game.Kind.values)
    problems.add(
        line,
        "unknown_kind",
        _("the kind “{text}” is not one of: {kinds}.").format(text=text[:40], kinds=kinds),
        "/kind",
    )
    return Game.Kind.PLAYED


def read_results(table: GameLines, system: RatingSystem, reader: CellReader) -> list[NewResult]:
    """Read the results of a game; an empty score or place is taken from a partner.

    If the system has no sides, the rules refuse them.
    """
    sides = read_sides(table, reader.problems)
    if not sides:
        return [read_result(line, cells, None, reader) for line, cells in table]
    results = [read_result(line, cells, side, reader) for (line, cells), side in zip(table, sides, strict=True)]
    labels = [(line, cells["side"]) for line, cells in table]
    scores, score_problems = share_values([result.score for result in results], sides, labels)
    places, place_problems = share_values([result.place for result in results], sides, labels, places=True)
    for column, wrong in (("score", score_problems), ("place", place_problems)) if type(system).sides else ():
        for line, code, message in wrong:
            reader.problems.add(line, code, message, f"/{column}", Refused)  # as a game sent alone would be refused
    return [
        result if (result.score, result.place) == (score, place) else replace(result, score=score, place=place)
        for result, score, place in zip(results, scores, places, strict=True)
    ]


def read_result(line: int, cells: Mapping[str, str], side: int | None, reader: CellReader) -> NewResult:
    """Read one line's result; empty scores and places are None."""
    if not cells["player"]:
        reader.problems.add(line, "missing", _("the player is missing."), "/player")
    return NewResult(
        " ".join(cells["player"].split()),
        reader.read_number(line, "score", cells.get("score", "")),
        reader.read_whole_number(line, "place", cells.get("place", "")),
        side,
        read_worksheet(line, cells, reader),
        read_sets(line, cells.get("sets", ""), reader),
        read_retired(line, cells.get("retired", ""), reader),
        read_values(cells, reader.declared, of_seats=True),
    )


def read_values(
    cells: Mapping[str, str], declared: Mapping[str, DeclaredField], *, of_seats: bool
) -> dict[str, Any] | None:
    """Return the values of a game or of a seat from the columns ``field.…``; None if there are none."""
    values = {}
    for name, text in cells.items():
        key = name.removeprefix(PREFIX)
        if name == key or not text:
            continue
        known = declared.get(key)
        if is_of_game(declared, name) != of_seats:
            values[key] = text if known is None else parse_value(known, text)
    return values or None


def is_of_game(declared: Mapping[str, DeclaredField], name: str) -> bool:
    """Return whether a column ``field.…`` has values of games: one of an unknown field, too, which is refused."""
    known = declared.get(name.removeprefix(PREFIX))
    return known is None or known.of != DeclaredField.Of.SEAT


def read_sets(line: int, text: str, reader: CellReader) -> list[int] | None:
    """Return the points of a side in each set, such as "11 9 11"; None for an empty cell."""
    if not text:
        return None
    points = text.replace(",", " ").replace(";", " ").split()
    if all(point.isascii() and point.isdigit() and len(point) < MAX_DIGITS for point in points):
        return [int(point) for point in points]
    message = _("the sets “{text}” are no list of points such as 11 9 11.").format(text=text[:40])
    reader.problems.add(line, "bad_set", message, "/sets")
    return None


def read_retired(line: int, text: str, reader: CellReader) -> bool:
    """Return whether a side stopped before the end."""
    if text.casefold() not in YES | NO:
        message = _("retired is yes or no, not “{text}”.").format(text=text[:40])
        reader.problems.add(line, "not_a_flag", message, "/retired")
    return text.casefold() in YES


def read_sides(table: GameLines, problems: Problems) -> list[int | None]:
    """Return the side of each line, an empty list if no line has one."""
    if not any(cells.get("side") for _line, cells in table):  # as in most files of thousands
        return []
    sides, wrong = parse_sides([(line, cells["side"]) for line, cells in table])
    for line, code, message in wrong:
        problems.add(line, code, message, "/side")
    return sides


def read_weight(table: GameLines, reader: CellReader) -> float:
    """Read a game's weight from any of its lines, 1 if there is none."""
    if "weight" not in table[0][1]:
        return 1.0
    weights = [(line, reader.read_number(line, "weight", cells.get("weight", ""))) for line, cells in table]
    weight, wrong = merge_weights([(line, value) for line, value in weights if value is not None], MAX_WEIGHT)
    for line, code, message in wrong:
        # Outside of the bounds: what a game sent alone would be refused for.
        reader.problems.add(line, code, message, "/weight", Refused if code == "out_of_bounds" else Invalid)
    return weight


def read_worksheet(line: int, cells: Mapping[str, str], reader: CellReader) -> dict[str, float] | None:
    """Return one line's worksheet, None if all of its cells are empty."""
    prefix = f"{WORKSHEET}_"
    texts = {name: text for name, text in cells.items() if name.startswith(prefix) and text}
    row = {name: reader.read_number(line, name, text) for name, text in texts.items()}
    return {name.removeprefix(prefix): value for name, value in row.items() if value is not None} if texts else None


def parse_number(text: str) -> float | None:
    """Return a finite number, None if the text is none."""
    try:
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None
    return None if value is None or value - value != 0.0 else value + 0.0  # no -0.0 in the league's data


def read_fields(line: int, cells: Mapping[str, str], fields: Sequence[str], reader: CellReader) -> dict[str, float]:
    """Return the game fields that the file gives."""
    values = {name: reader.read_number(line, name, cells[name]) for name in fields}
    return {name: value for name, value in values.items() if value is not None}


def read_time(line: int, text: str, time_zone: str, problems: Problems) -> datetime | None:
    """Return when the game was played."""
    try:
        return parse_time(text, time_zone)
    except MissingOffset:
        problems.add(
            line,
            "no_offset",
            _("played_at “{text}” needs an offset, such as {start}Z.").format(text=text[:40], start=text[:19]),
            "/played_at",
        )
        return None
    except (ValueError, OverflowError):  # OverflowError: a day whose beginning lies before the year 1
        message = _(
            "played_at “{text}” is neither a date such as 2024-03-05 nor a time with offset such as "
            "2024-03-05T19:30:00Z."
        ).format(text=text[:40])
        problems.add(line, "not_a_time", message, "/played_at")
        return None


class MissingOffset(ValueError):
    """A time without an offset."""


@lru_cache(maxsize=4096)
def parse_time(text: str, time_zone: str) -> datetime:
    """Return the instant of a date or time; raises ValueError or OverflowError."""
    if len(text) == 10:
        return start_of_day(date.fromisoformat(text), time_zone)
    time = datetime.fromisoformat(text)
    if not 2 <= time.year < 9998:
        raise ValueError("at the ends of the calendar days begin in no zone's time")
    if time.tzinfo is None:
        raise MissingOffset
    return time
