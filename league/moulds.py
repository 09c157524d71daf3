"""Long tables whose rows differ in figures only: a row's template is rendered once for each shape that rows have.

What differs from row to row is poured into the mould. Rendered row by row, a page of a hundred took four times as long.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from django.template import Context
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

#: Characters of nobody's writing, between which a mould has the name of what is poured in.
BEGIN, END = "\ue000", "\ue001"
CELL = re.compile(f"{BEGIN}([a-z_0-9]+){END}")


@dataclass(frozen=True, slots=True)
class Cast:
    """A row: what its template asks for, which few rows have of their own, and the words and figures of its cells."""

    shape: tuple[tuple[str, Any], ...]
    cells: Mapping[str, str]


def marked(name: str) -> str:
    """Return what a mould has where something is poured in."""
    return f"{BEGIN}{name}{END}"


class Marks(dict[str, str]):
    """The cells of a mould: whatever it asks for, a mark of that name."""

    def __missing__(self, name: str) -> str:
        """Return the mark."""
        return marked(name)


def poured(context: Context, template: str, rows: Iterable[Cast]) -> SafeString:
    """Return rows by their template, which finds its shape's names beside those of the page, and marks in ``cell``."""
    moulds: dict[tuple[tuple[str, Any], ...], str] = {}
    found = []
    for row in rows:
        mould = moulds.get(row.shape)
        if mould is None:
            mould = moulds[row.shape] = mould_of(context, template, dict(row.shape))
        found.append(mould % {name: escaped(text) for name, text in row.cells.items()})
    return mark_safe("".join(found))  # noqa: S308 -- the template has escaped its texts, and the cells are escaped


def mould_of(context: Context, template: str, shape: Mapping[str, Any]) -> str:
    """Return a row's shape as a format of named cells, on lines of its own."""
    loaded: Any = get_template(template)
    with context.push(**shape, cell=Marks()):
        made: str = loaded.template.render(context)
    return CELL.sub(r"%(\1)s", f"\n  {made.strip()}\n  ".replace("%", "%%"))


def escaped(text: str) -> str:
    """Return a text as a template writes it: what is markup stays."""
    return text if isinstance(text, SafeString) else escape(text)
