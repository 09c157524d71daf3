"""The tables of a page, by columns."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

#: A number as pages show it, alone in its cell or in a part of it; provisional ones, after ≈, have no decimals.
FIGURE = re.compile(r"[+−±]?\s?\d[\d,\u202f]*(?:\.\d+)?")

TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)


@dataclass
class PageTable:
    """A table: its caption, the headings of its columns, and its rows of cells."""

    caption: str = ""
    headings: list[str] = field(default_factory=list)
    rows: list[list[list[str]]] = field(default_factory=list)
    """A cell is a list of its texts, one for each element."""
    nums: list[list[bool]] = field(default_factory=list)
    """Whether a cell has the class of figures."""


class TableReader(HTMLParser):
    """Reads the tables of a page; what is for screen readers alone is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[PageTable] = []
        self._within: list[str] = []
        self._open: PageTable | None = None
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Open a table, a row or a cell."""
        classes = (dict(attributes).get("class") or "").split()
        if tag == "table":
            self._open = PageTable()
            self.tables.append(self._open)
        if self._open is None:
            return
        if tag in ("thead", "tbody", "caption"):
            self._within.append(tag)
        elif tag == "tr" and "thead" not in self._within:
            self._open.rows.append([])
            self._open.nums.append([])
        elif tag in ("td", "th"):
            self._cell = []
            if "thead" in self._within:
                self._open.headings.append("")
            else:
                span = int(dict(attributes).get("colspan") or 1)
                self._open.rows[-1] += [self._cell, *([[]] * (span - 1))]
                self._open.nums[-1] += ["num" in classes] * span

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened."""
        if tag == "table":
            self._open, self._within = None, []
        elif tag in self._within:
            self._within.remove(tag)
        elif tag in ("td", "th"):
            self._cell = None

    def handle_data(self, text: str) -> None:
        """Keep a text of a cell, a heading or the caption."""
        text = " ".join(text.split())
        if self._open is None or not text:
            return
        if "caption" in self._within:
            self._open.caption += text
        elif "thead" in self._within and self._open.headings:
            self._open.headings[-1] += text
        elif self._cell is not None:
            self._cell.append(text)


def read_tables(page: str) -> list[PageTable]:
    """Return the tables of a page."""
    reader = TableReader()
    # The parser is slow, and most of a page is no table.
    reader.feed("".join(TABLE.findall(page)))
    return reader.tables


def list_mixed_columns(page: str) -> list[tuple[str, str, list[str]]]:
    """Return caption, heading and figures of each column whose figures have several numbers of decimals."""
    mixed = []
    for table in read_tables(page):
        width = max((len(row) for row in table.rows), default=0)
        for column in range(width):
            texts = [text for row in table.rows if len(row) > column for text in row[column]]
            figures = [text for text in texts if FIGURE.fullmatch(text.lstrip("\u200e"))]
            if len({len(text.partition(".")[2]) for text in figures}) > 1:
                heading = table.headings[column] if column < len(table.headings) else ""
                mixed.append((table.caption, heading, figures))
    return mixed
