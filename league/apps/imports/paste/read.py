"""Reads a pasted text: splits it into tables and notes, and returns the games of both in order.

Lines with cells are read as a table where possible, otherwise as notes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from league.apps.imports.paste.games import DateCarrier, PasteClock, PastedGame, read_games
from league.apps.imports.paste.notes import NoteReader, is_line_of_games
from league.apps.imports.paste.roles import (
    IGNORED,
    NAME_ROLES,
    PLACE,
    SCORE,
    UNKNOWN,
    SheetFields,
    TableRoles,
    guess_roles,
)
from league.apps.imports.paste.text import (
    MAX_WORDS,
    GameKeys,
    Grid,
    Lexicon,
    TextPart,
    TextRow,
    count_words,
    make_grid,
    refuse_long_notes,
    split_parts,
)
from league.core.text.numbers import is_numeric
from ratings.day_names import find_weekday


@dataclass(frozen=True)
class TextTable:
    """Lines with cells, and the guessed roles of their columns."""

    grid: Grid
    columns: TableRoles


@dataclass(frozen=True)
class Notes:
    """Lines of free text, each with its line number."""

    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class ParsedText:
    """All games of a text, the days written in it, and whether any game has no day."""

    games: list[PastedGame]
    ignored_lines: list[int]
    written_days: list[str]
    has_undated_games: bool


def split_blocks(text: str, fields: SheetFields, clock: PasteClock, lexicon: Lexicon) -> list[TextTable | Notes]:
    """Split a text into tables and notes; raises Invalid if it is too long or too wide for a page."""
    trial = replace(clock, order="day", day=clock.today)
    return [block for part in split_parts(text) for block in _split_part(part, fields, trial, lexicon)]


def read_blocks(
    blocks: Sequence[TextTable | Notes], fields: SheetFields, clock: PasteClock, lexicon: Lexicon
) -> ParsedText:
    """Read all games of a text; each records its problems."""
    refuse_long_notes(sum(count_words(block.lines) for block in blocks if isinstance(block, Notes)))
    dates, keys = DateCarrier(clock), GameKeys()
    notes = NoteReader(fields, dates, keys, lexicon)
    ignored_lines: list[int] = []
    for block in blocks:
        if isinstance(block, Notes):
            for number, line in block.lines:
                notes.read(number, line)
        else:
            notes.flush()
            parsed = read_games(block.grid, block.columns, fields, dates, keys, lexicon)
            notes.games += parsed.games
            ignored_lines += parsed.ignored_lines
    notes.flush()
    games = sorted(notes.games, key=lambda game: game.lines[0])
    return ParsedText(games, sorted(ignored_lines + notes.ignored_lines), dates.written_days, dates.uses_default_day)


def _split_part(part: TextPart, fields: SheetFields, clock: PasteClock, lexicon: Lexicon) -> list[TextTable | Notes]:
    """Return a part as a table and notes, or as notes only: whichever leaves fewer lines unread."""
    if not part.separator:
        return [Notes(part.lines)]
    grid = make_grid(part)
    columns = guess_roles(grid, fields)
    games = read_games(grid, columns, fields, DateCarrier(clock), GameKeys(), lexicon).games
    bad_lines = _collect_lines(game for game in games if _is_unrecordable(game))
    if games and not bad_lines:
        return _split_off_notes(
            part, TextTable(grid, columns), _find_prefixed_lines(games, columns, lexicon), fields, lexicon
        )
    lines_as_table = len(grid.rows) - len(bad_lines) - columns.head
    reader = NoteReader(fields, DateCarrier(clock), GameKeys(), lexicon)
    for number, line in part.lines if count_words(part.lines) <= MAX_WORDS else ():
        reader.read(number, line)
    reader.flush()
    lines_as_notes = len(_collect_lines(game for game in reader.games if not _is_unrecordable(game)))
    has_name_heading = columns.head and any(role in NAME_ROLES for role in columns.roles)
    if (not has_name_heading and lines_as_notes > lines_as_table) or not (
        lines_as_table or lines_as_notes or _looks_like_table(grid, columns)
    ):
        return [Notes(part.lines)]
    return _split_off_notes(
        part, TextTable(grid, columns), bad_lines | _find_prefixed_lines(games, columns, lexicon), fields, lexicon
    )


def _collect_lines(games: Iterable[PastedGame]) -> set[int]:
    return {line for game in games for line in game.lines}


def _find_prefixed_lines(games: Sequence[PastedGame], columns: TableRoles, lexicon: Lexicon) -> set[int]:
    """Return the lines of a table without headings whose names have a prefix: a bullet, a day, a sender."""
    if columns.head or not lexicon:
        return set()
    return _collect_lines(game for game in games if any(map(_has_prefix, (seat.name for seat in game.seats))))


def _has_prefix(name: str) -> bool:
    weekday = find_weekday(name.split(" ", maxsplit=1)[0]) is not None
    return bool(name) and (weekday or not name[0].isalpha() or any(map(str.isdigit, name)))


def _split_off_notes(
    part: TextPart, table: TextTable, lines: set[int], fields: SheetFields, lexicon: Lexicon
) -> list[TextTable | Notes]:
    """Split off, as notes, those of the given lines that do not match the table and are games on their own."""
    texts = dict(part.lines)
    note_lines = {
        row.line
        for row in table.grid.rows[int(table.columns.head) :]
        if row.line in lines and not _matches_head(row, table) and is_line_of_games(texts[row.line], lexicon, fields)
    }
    rows = tuple(row for row in table.grid.rows if row.line not in note_lines)
    tables = [replace(table, grid=replace(table.grid, rows=rows))] if rows else []
    return [*tables, Notes(tuple((line, texts[line]) for line in sorted(note_lines)))] if note_lines else [table]


def _matches_head(row: TextRow, table: TextTable) -> bool:
    """Return whether a line has a cell for each heading, and no words in number columns."""
    number_cells = [cell for role, cell in zip(table.columns.roles, row.cells, strict=False) if role in (SCORE, PLACE)]
    has_words = any(letter.isalpha() for cell in number_cells for letter in cell)
    return table.columns.head and len(row.cells) >= len(table.grid.rows[0].cells) and not has_words


def _is_unrecordable(game: PastedGame) -> bool:
    """Return whether a game has a problem, too few seats, or a seat without score and place."""
    return (
        bool(game.problems)
        or len(game.seats) < 2
        or any(seat.score is None and seat.place is None and not seat.sets for seat in game.seats)
    )


def _looks_like_table(grid: Grid, columns: TableRoles) -> bool:
    """Return whether a grid has headings, or three or more cells on every line."""
    sizes = {len(row.cells) for row in grid.rows}
    has_numbers = any(is_numeric(cell) for row in grid.rows for cell in row.cells)
    has_known_heading = columns.head and any(role not in (IGNORED, UNKNOWN) for role in columns.roles)
    return has_known_heading or (len(sizes) == 1 and min(sizes) > 2 and has_numbers)
