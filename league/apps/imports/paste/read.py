"""A text as its tables and notes, and all games of both in their order.

Lines with cells are tables if they can be read as such; what only the notes' reader understands is a note.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from league.apps.imports.paste.days import find_weekday
from league.apps.imports.paste.figures import is_numeric
from league.apps.imports.paste.games import read_games
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
from league.apps.imports.paste.seats import DateCarrier, GameKeys, PasteClock, PastedGame
from league.apps.imports.paste.text import Grid, TextPart, TextRow, make_grid, split_parts
from league.apps.imports.paste.tokens import Lexicon


@dataclass(frozen=True)
class TextTable:
    """Lines with cells, and what their columns seem to mean."""

    grid: Grid
    columns: TableRoles


@dataclass(frozen=True)
class Notes:
    """Lines that people write, each with its number."""

    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class ParsedText:
    """All games of a text; the days that are written, and whether some game has none."""

    games: list[PastedGame]
    aside: list[int]
    days: list[str]
    undated: bool


def split_blocks(text: str, asked: SheetFields, clock: PasteClock, lexicon: Lexicon) -> list[TextTable | Notes]:
    """Return the tables and notes of a text; raises Invalid if it is longer or wider than a page is for."""
    trial = replace(clock, order="day", day=clock.today)
    return [block for part in split_parts(text) for block in _split_part(part, asked, trial, lexicon)]


def read_blocks(
    blocks: Sequence[TextTable | Notes], asked: SheetFields, clock: PasteClock, lexicon: Lexicon
) -> ParsedText:
    """Read all games of a text; what is wrong is noted at each."""
    dates, keys = DateCarrier(clock), GameKeys()
    notes = NoteReader(asked, dates, keys, lexicon)
    aside: list[int] = []
    for block in blocks:
        if isinstance(block, Notes):
            for number, line in block.lines:
                notes.read(number, line)
        else:
            notes.flush()
            read = read_games(block.grid, block.columns, asked, dates, keys, lexicon)
            notes.games += read.games
            aside += read.aside
    notes.flush()
    games = sorted(notes.games, key=lambda game: game.lines[0])
    return ParsedText(games, sorted(aside + notes.aside), dates.written, dates.guessed)


def _split_part(part: TextPart, asked: SheetFields, clock: PasteClock, lexicon: Lexicon) -> list[TextTable | Notes]:
    """Return a part as a table with the notes that are in it, or as notes: what leaves fewer questions."""
    if not part.separator:
        return [Notes(part.lines)]
    grid = make_grid(part)
    columns = guess_roles(grid, asked)
    games = read_games(grid, columns, asked, DateCarrier(clock), GameKeys(), lexicon).games
    bad = _collect_lines(game for game in games if _is_unrecordable(game))
    if games and not bad:
        return _split_off_notes(
            part, TextTable(grid, columns), _find_prefixed_lines(games, columns, lexicon), asked, lexicon
        )
    good = len(grid.rows) - len(bad) - columns.head
    reader = NoteReader(asked, DateCarrier(clock), GameKeys(), lexicon)
    for number, line in part.lines:
        reader.read(number, line)
    reader.flush()
    noted = len(_collect_lines(game for game in reader.games if not _is_unrecordable(game)))
    named = columns.head and any(role in NAME_ROLES for role in columns.roles)
    if (not named and noted > good) or not (good or noted or _looks_like_table(grid, columns)):
        return [Notes(part.lines)]
    return _split_off_notes(
        part, TextTable(grid, columns), bad | _find_prefixed_lines(games, columns, lexicon), asked, lexicon
    )


def _collect_lines(games: Iterable[PastedGame]) -> set[int]:
    return {line for game in games for line in game.lines}


def _find_prefixed_lines(games: Sequence[PastedGame], columns: TableRoles, lexicon: Lexicon) -> set[int]:
    """Return the lines of a table without a head in which something is before a name: a bullet, a day, a sender."""
    if columns.head or not lexicon:
        return set()
    return _collect_lines(game for game in games if any(map(_has_prefix, (seat.name for seat in game.seats))))


def _has_prefix(name: str) -> bool:
    weekday = find_weekday(name.split(" ", maxsplit=1)[0]) is not None
    return bool(name) and (weekday or not name[0].isalpha() or any(map(str.isdigit, name)))


def _split_off_notes(
    part: TextPart, table: TextTable, lines: set[int], asked: SheetFields, lexicon: Lexicon
) -> list[TextTable | Notes]:
    """Return a table without those of some lines that do not fit it and are games by themselves, and these as notes."""
    texts = dict(part.lines)
    apart = {
        row.line
        for row in table.grid.rows[int(table.columns.head) :]
        if row.line in lines and not _matches_head(row, table) and is_line_of_games(texts[row.line], lexicon, asked)
    }
    rows = tuple(row for row in table.grid.rows if row.line not in apart)
    tables = [replace(table, grid=replace(table.grid, rows=rows))] if rows else []
    return [*tables, Notes(tuple((line, texts[line]) for line in sorted(apart)))] if apart else [table]


def _matches_head(row: TextRow, table: TextTable) -> bool:
    """Return whether a line has the cells of the head above it, and no words where figures stand."""
    figures = [cell for role, cell in zip(table.columns.roles, row.cells, strict=False) if role in (SCORE, PLACE)]
    words = any(letter.isalpha() for cell in figures for letter in cell)
    return table.columns.head and len(row.cells) >= len(table.grid.rows[0].cells) and not words


def _is_unrecordable(game: PastedGame) -> bool:
    """Return whether a game cannot be recorded as it was read: something is wrong, or a seat has nothing."""
    return (
        bool(game.wrong) or len(game.seats) < 2 or any(seat.score is None and seat.place is None for seat in game.seats)
    )


def _looks_like_table(grid: Grid, columns: TableRoles) -> bool:
    """Return whether lines look like those of a table: with a head, or as many cells on each, three or more."""
    sizes = {len(row.cells) for row in grid.rows}
    figures = any(is_numeric(cell) for row in grid.rows for cell in row.cells)
    head = columns.head and any(role not in (IGNORED, UNKNOWN) for role in columns.roles)
    return head or (len(sizes) == 1 and min(sizes) > 2 and figures)
