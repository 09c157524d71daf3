"""Decodes files and splits text into rows of cells."""

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

#: Longer texts must be imported as a file, which a worker reads.
MAX_LINES, MAX_COLUMNS, MAX_CELLS, MAX_LINE_LENGTH = 10_000, 300, 200_000, 10_000
#: Characters of a line's hash.
LINE_HASH_LENGTH = 6
SEPARATORS = {
    "\t": gettext_noop("tabs"),
    ";": gettext_noop("semicolons"),
    ",": gettext_noop("commas"),
    "|": gettext_noop("bars"),
    "  ": gettext_noop("spaces"),
}
#: Separators that occur only in tables, the strongest first.
TABLE_SEPARATORS = ("\t", ";", "|")
#: A comma between cells; between two digits it may be a decimal comma.
COMMA = re.compile(r"(?<!\d),|,(?!\d)")
SPACE_GAP = re.compile(r"\s{2,}")


@dataclass(frozen=True)
class TextRow:
    """The cells of a line; ``after_gap``: a blank line precedes it."""

    line: int
    cells: tuple[str, ...]
    after_gap: bool = False


@dataclass(frozen=True)
class Grid:
    """All lines that are not blank, and the separator of their cells."""

    rows: tuple[TextRow, ...]
    separator: str

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return max((len(row.cells) for row in self.rows), default=0)


def decode_file(data: bytes) -> str:
    """Decode a file as UTF-16 with a byte order mark, UTF-8 or windows-1252; raises Invalid."""
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
    """Decode UTF-8 or windows-1252; raises UnicodeDecodeError."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def split_lines(text: str) -> list[str]:
    """Split a text at the line ends of any system."""
    return re.split(r"\r\n|\r|\n", text)


def hash_lines(text: str) -> str:
    """Return the hashes of all lines, so that answers remain valid while the text is edited."""
    return "".join(map(hash_line, list_nonblank_lines(text)))


def is_edited_version(text: str, marks: str) -> bool:
    """Return whether more than half of a text's lines have one of these hashes."""
    known = {marks[start : start + LINE_HASH_LENGTH] for start in range(0, len(marks), LINE_HASH_LENGTH)}
    matches = [hash_line(line) in known for line in list_nonblank_lines(text)]
    return 2 * sum(matches) > len(matches)


def list_nonblank_lines(text: str) -> list[str]:
    """Return the stripped lines of a text without blank ones."""
    return [line for line in map(str.strip, split_lines(text)) if line]


def hash_line(line: str) -> str:
    """Return a short hash of a line."""
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:LINE_HASH_LENGTH]


@dataclass(frozen=True)
class TextPart:
    """Lines of a text with their numbers; ``separator`` separates a table's cells and is "" for notes."""

    lines: tuple[tuple[int, str], ...]
    separator: str


def split_parts(text: str) -> list[TextPart]:
    """Split a text into tables and notes; raises Invalid if it is too long.

    A table continues while lines have its separator; it may contain blank lines.
    """
    parts: list[TextPart] = []
    lines: list[tuple[int, str]] = []
    separator, in_quotes = "", False
    for number, line in enumerate(split_checked_lines(text), start=1):
        same_part = (in_quotes and '"' in line) or continues_part(line, separator)
        current = separator if same_part else find_separator(line)
        if lines and current != separator:
            parts.append(TextPart(tuple(lines), separator))
            lines, in_quotes = [], False
        lines.append((number, line))
        separator, in_quotes = current, in_quotes != bool(line.count('"') % 2)
    return [*parts, TextPart(tuple(lines), separator)] if lines else parts


def split_checked_lines(text: str) -> list[str]:
    """Split a text into lines; raises Invalid if there are too many or one is too long."""
    lines = split_lines(text.lstrip("\ufeff"))
    count = sum(1 for line in lines if line.strip())
    if count > MAX_LINES:
        raise Invalid(
            ngettext(
                "This is {count} line; a paste can have at most {most}. Import them as a file, which "
                "runs in the background. Nothing was recorded.",
                "These are {count} lines; a paste can have at most {most}. Import them as a file, "
                "which runs in the background. Nothing was recorded.",
                count,
            ).format(count=with_thousands_separator(count), most=with_thousands_separator(MAX_LINES))
        )
    if long := next((number for number, line in enumerate(lines, start=1) if len(line) > MAX_LINE_LENGTH), 0):
        raise Invalid(
            _("Line {line} is longer than {most} characters and cannot be a list of games.").format(
                line=long, most=with_thousands_separator(MAX_LINE_LENGTH)
            )
        )
    return lines


def continues_part(line: str, separator: str) -> bool:
    """Return whether a line is blank, or has the separator of the part before it and no stronger one."""
    if not line.strip():
        return True
    other = find_separator(line)
    stronger = other in TABLE_SEPARATORS and separator not in TABLE_SEPARATORS
    return other == separator or (bool(separator) and separator in line and separator != "  " and not stronger)


def find_separator(line: str) -> str:
    """Return the separator of a line's cells, "" if it has none."""
    if separator := next((separator for separator in TABLE_SEPARATORS if separator in line), ""):
        return separator
    return "," if COMMA.search(line) else "  " if SPACE_GAP.search(line.strip()) else ""


def make_grid(part: TextPart) -> Grid:
    """Make the grid of a table; raises Invalid if it is too large."""
    rows: list[TextRow] = []
    gap = False
    for line, cells in split_cells(part):
        if not any(cells):
            gap = True
            continue
        if not any(letter.isalnum() or letter == "½" for cell in cells for letter in cell):
            continue  # a rule below the headings
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
    """Return the number and cells of each line, including blank ones.

    Quoted cells may contain separators and line breaks.
    """
    first, lines = part.lines[0][0], [line for _number, line in part.lines]
    if part.separator == "  ":
        return [(number, clean_cells(SPACE_GAP.split(line.strip()))) for number, line in part.lines]
    if any('"' in line for line in lines):
        try:
            return [(first - 1 + number, cells) for number, cells in split_quoted_cells(lines, part.separator)]
        except csv.Error:
            pass  # an unclosed quotation mark is an ordinary character
    return [(number, clean_cells(line.split(part.separator))) for number, line in part.lines]


def split_quoted_cells(lines: Sequence[str], separator: str) -> list[tuple[int, list[str]]]:
    """Return line numbers and cells, read as CSV; raises csv.Error for an unclosed quotation mark."""
    reader = csv.reader(StringIO("\n".join(lines), newline=""), delimiter=separator, strict=True)
    rows, last_line = [], 0
    for cells in reader:
        rows.append((last_line + 1, clean_cells(cells)))
        last_line = reader.line_num
    return rows


def clean_cells(cells: Sequence[str]) -> list[str]:
    """Strip spaces around cells, and drop empty cells at the end."""
    return drop_empty_tail([unquote_cell(" ".join(cell.split())) for cell in cells])


def drop_empty_tail(cells: list[str]) -> list[str]:
    """Drop empty cells at the end of a row."""
    while cells and not cells[-1]:
        cells.pop()
    return cells
