"""From bytes to text, and from text to rows of cells: which letters, and what parts one cell from the next."""

import csv
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from league.errors import Invalid
from league.spreadsheets import plain
from league.wording import gettext as _
from league.wording import gettext_noop, grouped, ngettext

#: More than any evening, season or year; what is longer comes by a file, which a worker reads.
MOST_LINES, MOST_COLUMNS, MOST_CELLS, LONGEST_LINE = 10_000, 300, 200_000, 10_000
#: Letters of what tells one line from another.
MARK = 6
SEPARATORS = {
    "\t": gettext_noop("tabs"),
    ";": gettext_noop("semicolons"),
    ",": gettext_noop("commas"),
    "|": gettext_noop("bars"),
    "  ": gettext_noop("spaces"),
    " ": gettext_noop("the last space"),
}
#: A comma that parts cells; one between two digits may be a decimal one.
COMMA = re.compile(r"(?<!\d),|,(?!\d)")
GAPS = re.compile(r"\s{2,}")
LAST = re.compile(r"(.*\S)[\s:]+([-−–+]?[\d½]\S*)")


@dataclass(frozen=True)
class Row:
    """The cells of a line; ``after_gap``: a blank line stood before it."""

    line: int
    cells: tuple[str, ...]
    after_gap: bool = False


@dataclass(frozen=True)
class Grid:
    """All lines that say something, and by which sign their cells are parted."""

    rows: tuple[Row, ...]
    separator: str

    @property
    def width(self) -> int:
        """Return how many columns there are."""
        return max((len(row.cells) for row in self.rows), default=0)


def decoded(data: bytes) -> str:
    """Return the text of a file: UTF-16 with its mark, UTF-8, else windows-1252; raises Invalid."""
    try:
        marked = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        text = data.decode("utf-16") if marked else utf8_or_windows(data)
    except UnicodeDecodeError:
        raise Invalid(
            _("This is no text in UTF-8, UTF-16 or windows-1252. Save the sheet as CSV, or paste it.")
        ) from None
    if "\0" in text:
        raise Invalid(_("This is no text: it holds NUL characters. Save the sheet as CSV, or paste it."))
    return text


def utf8_or_windows(data: bytes) -> str:
    """Return a text in UTF-8, or in what spreadsheets on Windows write; raises UnicodeDecodeError."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, whoever's line ends it has."""
    return re.split(r"\r\n|\r|\n", text)


def marks_of(text: str) -> str:
    """Return what tells a text from others, line by line: what is said of it holds while it is mended."""
    return "".join(map(mark, filled(text)))


def is_mended(text: str, marks: str) -> bool:
    """Tell whether a text is the one of these marks, or that one mended: more than half of its lines are the same."""
    known = {marks[start : start + MARK] for start in range(0, len(marks), MARK)}
    found = [mark(line) in known for line in filled(text)]
    return 2 * sum(found) > len(found)


def filled(text: str) -> list[str]:
    """Return the lines of a text that say something."""
    return [line for line in map(str.strip, lines_of(text)) if line]


def mark(line: str) -> str:
    """Return what tells a line from others, as far as a form needs it."""
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:MARK]


def cut(text: str) -> Grid:
    """Return the cells of a text; raises Invalid where it is longer or wider than what a page is for."""
    lines = lines_of(text.lstrip("\ufeff"))
    filled = sum(1 for line in lines if line.strip())
    if filled > MOST_LINES:
        raise Invalid(
            ngettext(
                "This is {count} line; a paste takes {most}. Bring them as a file: a worker imports it, and the "
                "page tells how far it is. Nothing was recorded.",
                "These are {count} lines; a paste takes {most}. Bring them as a file: a worker imports it, and the "
                "page tells how far it is. Nothing was recorded.",
                filled,
            ).format(count=grouped(filled), most=grouped(MOST_LINES))
        )
    if long := next((number for number, line in enumerate(lines, start=1) if len(line) > LONGEST_LINE), 0):
        raise Invalid(
            _("Line {line} is longer than {most} letters: that is no line of games.").format(
                line=long, most=grouped(LONGEST_LINE)
            )
        )
    separator = separator_of([line for line in lines if line.strip()][:200])
    rows: list[Row] = []
    gap = False
    for line, cells in cells_of(lines, separator):
        if not any(cells):
            gap = True
            continue
        rows.append(Row(line, tuple(cells), gap and bool(rows)))
        gap = False
    grid = Grid(tuple(rows), separator)
    refuse_wide(grid)
    return grid


def refuse_wide(grid: Grid) -> None:
    """Raise Invalid where a text has more columns or cells than what a page is for."""
    if grid.width > MOST_COLUMNS:
        raise Invalid(
            ngettext(
                "There is {count} column; a paste takes {most}. Nothing was recorded.",
                "There are {count} columns; a paste takes {most}. Nothing was recorded.",
                grid.width,
            ).format(count=grouped(grid.width), most=MOST_COLUMNS)
        )
    if grid.width * len(grid.rows) > MOST_CELLS:
        count = grid.width * len(grid.rows)
        raise Invalid(
            ngettext(
                "This is {count} cell; a paste takes {most}. Paste a part of it. Nothing was recorded.",
                "These are {count} cells; a paste takes {most}. Paste a part of it. Nothing was recorded.",
                count,
            ).format(count=grouped(count), most=grouped(MOST_CELLS))
        )


def separator_of(lines: Sequence[str]) -> str:
    """Return what parts the cells: the strongest sign that stands on half of the lines."""
    half = max(len(lines) / 2, 1)
    for sign in ("\t", ";", "|"):
        if sum(sign in line for line in lines) >= half:
            return sign
    if sum(COMMA.search(line) is not None for line in lines) >= half:
        return ","
    if sum(GAPS.search(line.strip()) is not None for line in lines) >= half:
        return "  "
    return " " if sum(LAST.fullmatch(line.strip()) is not None for line in lines) >= half else ","


def cells_of(lines: Sequence[str], separator: str) -> list[tuple[int, list[str]]]:
    """Return line number and cells of each line, blank ones too; quoted cells may hold signs and line breaks."""
    if separator in ("  ", " "):
        return [(number, parted(line.strip(), separator)) for number, line in enumerate(lines, start=1)]
    if any('"' in line for line in lines):
        try:
            return quoted(lines, separator)
        except csv.Error:
            pass  # a quotation mark that nothing closes is a letter like others
    return [(number, clean(line.split(separator))) for number, line in enumerate(lines, start=1)]


def quoted(lines: Sequence[str], separator: str) -> list[tuple[int, list[str]]]:
    """Return line number and cells as CSV has them; raises csv.Error where a quotation mark stays open."""
    reader = csv.reader(StringIO("\n".join(lines), newline=""), delimiter=separator, strict=True)
    found, before = [], 0
    for cells in reader:
        found.append((before + 1, clean(cells)))
        before = reader.line_num
    return found


def parted(line: str, separator: str) -> list[str]:
    """Return the cells of a line that spaces part."""
    if separator == "  ":
        return clean(GAPS.split(line))
    match = LAST.fullmatch(line)
    return clean([match[1], match[2]] if match else [line])


def clean(cells: Sequence[str]) -> list[str]:
    """Return cells without spaces around them, and without empty ones at the end."""
    found = [plain(" ".join(cell.split())) for cell in cells]
    while found and not found[-1]:
        found.pop()
    return found
