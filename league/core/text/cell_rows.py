"""Reads rows of cells as programs and people write them: any separator, quotes, blank rows, spare cells at the end."""

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from django.utils.translation import gettext as _

from league.core.errors import Invalid

#: Separators that occur only in tables, the strongest first.
TABLE_SEPARATORS = ("\t", ";", "|")
#: A comma between cells; between two digits it may be a decimal comma.
SEPARATING_COMMA = re.compile(r"(?<!\d),|,(?!\d)")
SPACE_GAP = re.compile(r"\s{2,}")
#: The first line by which Excel is told the separator.
STATED_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
QUOTED = re.compile('"[^"]*"')


def find_separator(line: str) -> str:
    """Return the separator of a line's cells, "" if it has none."""
    if separator := next((separator for separator in TABLE_SEPARATORS if separator in line), ""):
        return separator
    return "," if SEPARATING_COMMA.search(line) else "  " if SPACE_GAP.search(line.strip()) else ""


def find_stated_separator(line: str) -> str:
    """Return the separator that a first line such as ``sep=;`` states, "" for other lines."""
    match = STATED_SEPARATOR.fullmatch(line)
    return match[1] if match else ""


def simplify_heading(text: str) -> str:
    """Return the name of a column without differences of case and spaces: "Played at" is played_at."""
    return "_".join(text.casefold().replace("_", " ").split())


class CellRows:
    """The rows below a header, without blank ones; ``line`` is where the newest one began.

    A quoted cell may hold line breaks. Empty cells beyond the header are dropped.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        """Read the header; raises Invalid if it is no CSV."""
        iterator = iter(lines)
        self.line, self._before = 0, 0
        first = self._find_first_line(iterator)
        separator = find_stated_separator(first)
        if separator:
            first = self._find_first_line(iterator)
        separator = separator or find_separator(QUOTED.sub("", first)).strip(" ") or ","
        self._reader = csv.reader(chain([first], iterator), delimiter=separator, strict=True)
        self._before -= 1
        self.header: list[str] = []
        self.header_line = self._before + 1
        self.header = [" ".join(name.split()) for name in next(self, [])]
        while self.header and not self.header[-1]:
            self.header.pop()

    def _find_first_line(self, lines: Iterator[str]) -> str:
        """Return the next line that is not blank, "" at the end."""
        for line in lines:
            self._before += 1
            if line.strip(" \t\r\n,;|"):
                return line
        return ""

    def __iter__(self) -> Iterator[list[str]]:
        """Return the rows one by one."""
        return self

    def __next__(self) -> list[str]:
        """Return the next row; raises Invalid if it is no CSV."""
        reader, width = self._reader, len(self.header)
        while True:
            self.line = self._before + reader.line_num + 1
            try:
                cells = next(reader)
            except csv.Error as error:
                why = _("Line {line}: this is not CSV ({error}); is a quotation mark left open?").format(
                    line=self.line, error=error
                )
                raise Invalid(_("Nothing was imported. {why}").format(why=why)) from None
            if len(cells) > width > 0 and not any(map(str.strip, cells[width:])):
                del cells[width:]
            if any(cells) and any(map(str.strip, cells)):
                return cells
