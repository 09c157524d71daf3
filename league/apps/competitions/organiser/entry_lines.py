"""Reads pasted entries: one a line, with what an entry brings along."""

import re
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from league.apps.competitions.models import Entry
from league.apps.competitions.organiser.pasted_people import ID_NUMBER, write_id
from league.apps.competitions.services.entries import NewEntry
from league.core.db.field_bounds import get_bounds
from league.web.organiser.forms import parse_whole_number

#: Separates columns.
SEPARATOR = r"[;\t]"
#: The end of a column.
END = rf"\s*(?:{SEPARATOR}|$)"
#: Numbers or bullets before a name or an id: "1. Anna", "(3) 78123", "- Eva"; or alone: "4.". "#78123" is an id.
BULLET = re.compile(
    rf"^\s*(?:[-–—*•]\s+|\(?\d+[.)]\s*(?=[^\W\d]|#?{ID_NUMBER}{END})|#\d+[^\S\t]+(?=[^\s;])"
    rf"|(?:\(?\d{{1,3}}[.)]|#\d{{1,2}})(?={END}))"
)
#: Separators of columns, and of the players of a side.
COLUMN, PLAYER = re.compile(SEPARATOR), re.compile(r"[,/+&]")
MAX_LINES = 500
#: What follows the name, column by column.
BROUGHT = ("rating", "title", "federation")


class PastedEntry(NamedTuple):
    """The number of a line, and its entry, whose players are named by texts."""

    line: int
    new: NewEntry


def parse_entry_lines(text: str, sizes: range) -> tuple[list[PastedEntry], list[str]]:
    """Return the entries of a text and messages about lines that cannot be read.

    A line has up to four columns: ``Anna Ek; 1850; FM; SWE``. The players of a side are ``Owls: Anna, Ben`` or
    ``Anna / Ben``.
    """
    lines: list[PastedEntry] = []
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        columns = [" ".join(part.split()) for part in COLUMN.split(BULLET.sub("", line))]
        if not any(columns):
            continue
        problem = _find_problem(columns, number)
        if problem:
            problems.append(problem)
            continue
        name, players = "", [write_id(columns[0])]
        if sizes[-1] > 1:
            before, colon, after = columns[0].partition(":")
            name, members = (before.strip(), after) if colon else ("", columns[0])
            players = [player.strip() for player in PLAYER.split(members) if player.strip()]
            if len(players) not in sizes:
                message = (
                    _("Line {line}: an entry has {count} players, e.g. Owls: Anna, Ben.")
                    if len(sizes) == 1
                    else _("Line {line}: a squad has 1 to {count} players, e.g. Owls: Anna, Ben.")
                )
                problems.append(message.format(line=number, count=sizes[-1]))
                continue
        brought: dict[str, Any] = dict(zip(BROUGHT, columns[1:], strict=False))
        brought["rating"] = int(brought["rating"]) if brought.get("rating") else None
        lines.append(PastedEntry(number, NewEntry(players, name=name, **brought)))
    if len(lines) > MAX_LINES:
        message = _("You can add at most {limit} entries at once; this list has {count}.")
        problems.append(message.format(limit=MAX_LINES, count=len(lines)))
    return lines, problems


def _find_problem(columns: list[str], number: int) -> str:
    """Return why the columns of a line are no entry, or ""."""
    if not columns[0]:
        return _("Line {line}: the name is missing.").format(line=number)
    if len(columns) > 4:
        return _("Line {line}: a line has at most name, rating, title and federation.").format(line=number)
    rating = columns[1] if len(columns) > 1 else ""
    low, high = get_bounds(Entry._meta.get_field("rating"))
    value = parse_whole_number(rating, len(str(high)))
    if rating and (value is None or not low <= value <= high):
        template = _("Line {line}: the rating “{rating}” must be a whole number from {low} to {high}.")
        return template.format(line=number, rating=rating, low=low, high=high)
    return ""
