"""From bytes to text, and from text to rows of cells: which letters, and what parts one cell from the next."""

import csv
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from league.core.errors import Invalid
from league.core.text.spreadsheet_cells import unquote_cell
from league.core.text.wording import gettext as _
from league.core.text.wording import gettext_noop, ngettext, with_thousands_separator

#: More than any evening, season or year; what is longer comes by a file, which a worker reads.
MAX_LINES, MAX_COLUMNS, MAX_CELLS, MAX_LINE_LENGTH = 10_000, 300, 200_000, 10_000
#: Letters of what tells one line from another.
LINE_HASH_LENGTH = 6
SEPARATORS = {
    "\t": gettext_noop("tabs"),
    ";": gettext_noop("semicolons"),
    ",": gettext_noop("commas"),
    "|": gettext_noop("bars"),
    "  ": gettext_noop("spaces"),
}
#: Signs that are in tables only, the strongest first.
TABLE_SEPARATORS = ("\t", ";", "|")
#: A comma that parts cells; one between two digits may be a decimal one.
COMMA = re.compile(r"(?<!\d),|,(?!\d)")
SPACE_GAP = re.compile(r"\s{2,}")


@dataclass(frozen=True)
class TextRow:
    """The cells of a line; ``after_gap``: a blank line stood before it."""

    line: int
    cells: tuple[str, ...]
    after_gap: bool = False


@dataclass(frozen=True)
class Grid:
    """All lines that say something, and by which sign their cells are parted."""

    rows: tuple[TextRow, ...]
    separator: str

    @property
    def width(self) -> int:
        """Return how many columns there are."""
        return max((len(row.cells) for row in self.rows), default=0)


def decode_file(data: bytes) -> str:
    """Return the text of a file: UTF-16 with its mark, UTF-8, else windows-1252; raises Invalid."""
    try:
        marked = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        text = data.decode("utf-16") if marked else decode_utf8_or_windows(data)
    except UnicodeDecodeError:
        raise Invalid(
            _("This is not text in UTF-8, UTF-16 or windows-1252. Save the sheet as CSV, or paste it.")
        ) from None
    if "\0" in text:
        raise Invalid(_("This is not text: it contains NUL characters. Save the sheet as CSV, or paste it."))
    return text


def decode_utf8_or_windows(data: bytes) -> str:
    """Return a text in UTF-8, or in what spreadsheets on Windows write; raises UnicodeDecodeError."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, whoever's line ends it has."""
    return re.split(r"\r\n|\r|\n", text)


def hash_lines(text: str) -> str:
    """Return what tells a text from others, line by line: what is said of it holds while it is mended."""
    return "".join(map(hash_line, list_nonblank_lines(text)))


def is_edited_version(text: str, marks: str) -> bool:
    """Return whether a text is the one of these marks, or that one mended: more than half of its lines are the same."""
    known = {marks[start : start + LINE_HASH_LENGTH] for start in range(0, len(marks), LINE_HASH_LENGTH)}
    found = [hash_line(line) in known for line in list_nonblank_lines(text)]
    return 2 * sum(found) > len(found)


def list_nonblank_lines(text: str) -> list[str]:
    """Return the lines of a text that say something."""
    return [line for line in map(str.strip, split_lines(text)) if line]


def hash_line(line: str) -> str:
    """Return what tells a line from others, as far as a form needs it."""
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:LINE_HASH_LENGTH]


@dataclass(frozen=True)
class TextPart:
    """Lines of a text, each with its number: those of a table by the sign that parts their cells, or "" for notes."""

    lines: tuple[tuple[int, str], ...]
    separator: str


def split_parts(text: str) -> list[TextPart]:
    """Return the tables and notes of a text in their order; raises Invalid if it is longer than a page is for.

    A table goes on as long as lines have its sign; blank lines may be in it.
    """
    parts: list[TextPart] = []
    lines: list[tuple[int, str]] = []
    sign, quoted = "", False
    for number, line in enumerate(split_checked_lines(text), start=1):
        here = sign if (quoted and '"' in line) or continues_part(line, sign) else find_separator(line)
        if lines and here != sign:
            parts.append(TextPart(tuple(lines), sign))
            lines, quoted = [], False
        lines.append((number, line))
        sign, quoted = here, quoted != bool(line.count('"') % 2)
    return [*parts, TextPart(tuple(lines), sign)] if lines else parts


def split_checked_lines(text: str) -> list[str]:
    """Return the lines of a text; raises Invalid if they are more, or longer, than what a page is for."""
    lines = split_lines(text.lstrip("\ufeff"))
    filled = sum(1 for line in lines if line.strip())
    if filled > MAX_LINES:
        raise Invalid(
            ngettext(
                "This is {count} line; a paste can have at most {most}. Import them as a file, which "
                "runs in the background. Nothing was recorded.",
                "These are {count} lines; a paste can have at most {most}. Import them as a file, "
                "which runs in the background. Nothing was recorded.",
                filled,
            ).format(count=with_thousands_separator(filled), most=with_thousands_separator(MAX_LINES))
        )
    if long := next((number for number, line in enumerate(lines, start=1) if len(line) > MAX_LINE_LENGTH), 0):
        raise Invalid(
            _("Line {line} is longer than {most} characters and cannot be a list of games.").format(
                line=long, most=with_thousands_separator(MAX_LINE_LENGTH)
            )
        )
    return lines


def continues_part(line: str, sign: str) -> bool:
    """Return whether a line belongs to the part before it: it is blank, or has its sign and no stronger one."""
    if not line.strip():
        return True
    other = find_separator(line)
    stronger = other in TABLE_SEPARATORS and sign not in TABLE_SEPARATORS
    return other == sign or (bool(sign) and sign in line and sign != "  " and not stronger)


def find_separator(line: str) -> str:
    """Return the sign that parts the cells of a line, "" if none does."""
    if sign := next((sign for sign in TABLE_SEPARATORS if sign in line), ""):
        return sign
    return "," if COMMA.search(line) else "  " if SPACE_GAP.search(line.strip()) else ""


def make_grid(part: TextPart) -> Grid:
    """Return the cells of a table; raises Invalid if it is wider than what a page is for."""
    rows: list[TextRow] = []
    gap = False
    for line, cells in split_cells(part):
        if not any(cells):
            gap = True
            continue
        if not any(letter.isalnum() or letter == "½" for cell in cells for letter in cell):
            continue  # a rule below a head
        rows.append(TextRow(line, tuple(cells), gap and bool(rows)))
        gap = False
    grid = Grid(tuple(rows), part.separator)
    if grid.width > MAX_COLUMNS:
        raise Invalid(
            ngettext(
                "There is {count} column; a paste can have at most {most}. Nothing was recorded.",
                "There are {count} columns; a paste can have at most {most}. Nothing was recorded.",
                grid.width,
            ).format(count=with_thousands_separator(grid.width), most=MAX_COLUMNS)
        )
    if grid.width * len(grid.rows) > MAX_CELLS:
        count = grid.width * len(grid.rows)
        raise Invalid(
            ngettext(
                "This is {count} cell; a paste can have at most {most}. Paste only part of it. Nothing was recorded.",
                "These are {count} cells; a paste can have at most {most}. Paste only part of them. "
                "Nothing was recorded.",
                count,
            ).format(count=with_thousands_separator(count), most=with_thousands_separator(MAX_CELLS))
        )
    return grid


def split_cells(part: TextPart) -> list[tuple[int, list[str]]]:
    """Return line number and cells of each line, blank ones too; quoted cells may hold signs and line breaks."""
    first, lines = part.lines[0][0], [line for _number, line in part.lines]
    if part.separator == "  ":
        return [(number, clean_cells(SPACE_GAP.split(line.strip()))) for number, line in part.lines]
    if any('"' in line for line in lines):
        try:
            return [(first - 1 + number, cells) for number, cells in split_quoted_cells(lines, part.separator)]
        except csv.Error:
            pass  # a quotation mark that nothing closes is a letter like others
    return [(number, clean_cells(line.split(part.separator))) for number, line in part.lines]


def split_quoted_cells(lines: Sequence[str], separator: str) -> list[tuple[int, list[str]]]:
    """Return line number and cells as CSV has them; raises csv.Error if a quotation mark stays open."""
    reader = csv.reader(StringIO("\n".join(lines), newline=""), delimiter=separator, strict=True)
    found, before = [], 0
    for cells in reader:
        found.append((before + 1, clean_cells(cells)))
        before = reader.line_num
    return found


def clean_cells(cells: Sequence[str]) -> list[str]:
    """Return cells without spaces around them, and without empty ones at the end."""
    return drop_empty_tail([unquote_cell(" ".join(cell.split())) for cell in cells])


def drop_empty_tail(cells: list[str]) -> list[str]:
    """Return the cells of a row up to the last that says something."""
    while cells and not cells[-1]:
        cells.pop()
    return cells
