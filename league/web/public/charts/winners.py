"""The grid of the periods won: a row for each year, a cell for each period in the colour of its winner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from django.utils.dateformat import format as formatted
from django.utils.translation import pgettext

from league.core.calendar import Span, parse_span
from league.core.ladders.selectors.ladders import PublishedPeriod
from league.core.text.display_formats import format_number
from league.core.text.names import isolate_direction

#: Number of cells in a row by cadence: a year, or ten years; cells of other cadences follow each other.
COLUMNS = {"month": 12, "quarter": 4, "year": 10}
#: Hues of the winners as steps from the league's own, of which there are twelve: the first ones are far apart.
HUE_STEPS = (0, 6, 3, 9, 2, 8, 5, 11, 1, 7, 4, 10)
#: Maximum number of winners named in a cell.
MAX_MARKS = 3
#: Number of last characters shown of a single word with digits, such as a sail number.
NUMBER_LENGTH = 4


class WinnerMark(NamedTuple):
    """A winner in a cell: initials, and the hue from 1 to 12, 0 for none."""

    initials: str
    hue: int


@dataclass(frozen=True)
class WinnerCell:
    """A closed period: its short label, its winners, and both in words."""

    key: str
    label: str
    marks: list[WinnerMark]
    words: str


@dataclass(frozen=True)
class WinnerYear:
    """A row of the grid: the year or decade, "" for longer periods; ``cells``: None for no closed period."""

    year: str
    cells: list[WinnerCell | None]


@dataclass(frozen=True)
class WinnersGrid:
    """The rows, the latest first; ``columns``: 0 if the cells follow each other; ``labels`` of months and quarters."""

    years: list[WinnerYear]
    columns: int
    labels: list[str]


def choose_hues(heroes: Sequence[Mapping[str, Any]], league_hue: int) -> dict[str, int]:
    """Return player -> hue for the players with most titles; the first has the league's own."""
    steps = zip(heroes, HUE_STEPS, strict=False)
    return {hero["player"]: (league_hue - 1 + step) % len(HUE_STEPS) + 1 for hero, step in steps}


def format_initials(name: str) -> str:
    """Return the first letters of the first and last word of a name; of a single word its first three.

    A single word with digits gives its last four characters: a sail number differs at its end.
    """
    words = [word for word in name.split() if word[0].isalnum()] or name.split()
    if len(words) > 1:
        return (words[0][0] + words[-1][0]).upper()
    is_number = any(letter.isdigit() for letter in words[0])
    return (words[0][-NUMBER_LENGTH:] if is_number else words[0][:3]).upper()


def build_grid(
    entries: Sequence[PublishedPeriod], players: Mapping[str, tuple[str, str]], hues: Mapping[str, int]
) -> WinnersGrid:
    """Return the grid of closed periods, given latest first; ``players``: handle -> handle and name to show."""
    spans = [parse_span(entry.edition.key) for entry in entries]
    cadences = {span.cadence if span else "" for span in spans}
    columns = COLUMNS.get(cadences.pop(), 0) if len(cadences) == 1 else 0
    cells = [
        (get_year(span), get_place(span), _build_cell(entry, span, players, hues))
        for entry, span in zip(entries, spans, strict=True)
    ]
    years = []
    for year, group in groupby(cells, key=lambda cell: cell[0]):
        placed = [(place, cell) for _, place, cell in group][::-1]
        by_place = dict(placed)
        row: list[WinnerCell | None] = [cell for _, cell in placed]
        years.append(WinnerYear(year, [by_place.get(place) for place in range(1, columns + 1)] if columns else row))
    return WinnersGrid(years, columns, [format_label(span) for span in _list_spans(spans[0], columns)])


def _list_spans(span: Span | None, columns: int) -> list[Span | None]:
    """Return the months or quarters of a span's year."""
    if not columns or span is None or span.cadence == "year":
        return []
    form = "{}-{:02}" if span.cadence == "month" else "{}-Q{}"
    return [parse_span(form.format(span.key[:4], place)) for place in range(1, columns + 1)]


def get_year(span: Span | None) -> str:
    """Return the year of a week, month or quarter, and the decade of a year: 1990–99; "" for other periods."""
    if span is None or span.cadence == "all_time":
        return ""
    return f"{span.key[:3]}0–{span.key[2]}9" if span.cadence == "year" else span.key[:4]


def get_place(span: Span | None) -> int:
    """Return the number of a period in its year, or of a year in its decade, from 1; 0 for other periods."""
    if span is None or span.cadence == "all_time":
        return 0
    return int(span.key[3]) + 1 if span.cadence == "year" else int(span.key[4:].lstrip("-WQ"))


def _build_cell(
    entry: PublishedPeriod, span: Span | None, players: Mapping[str, tuple[str, str]], hues: Mapping[str, int]
) -> WinnerCell:
    """Return the cell of a closed period."""
    edition = entry.edition
    shown = [players.get(winner["player"], (winner["player"], winner["name"])) for winner in edition.winners]
    marks = [WinnerMark(format_initials(name), hues.get(handle, 0)) for handle, name in shown[:MAX_MARKS]]
    names = ", ".join(isolate_direction(name) for _, name in shown)
    words = entry.name
    if names:
        words += f": {names}, {format_number(edition.winners[0]['score'], entry.method.decimals)}"
    return WinnerCell(edition.key, format_label(span) or entry.name, marks, words)


def format_label(span: Span | None) -> str:
    """Return the short name of a period in its year: Jun, Q2, 26; a year in full; "" for other periods."""
    if span is None or span.cadence == "all_time":
        return ""
    if span.cadence == "month":
        return formatted(span.first, "M")
    if span.cadence == "quarter":
        return pgettext("the second quarter of a year", "Q{number}").format(number=get_place(span))
    return span.key if span.cadence == "year" else str(get_place(span))
