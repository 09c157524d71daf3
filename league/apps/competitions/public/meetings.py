"""Every meeting of a competition: the cross table, and the table by rounds."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import pgettext, pgettext_lazy

from league.apps.competitions.models import Fixture
from league.apps.competitions.public.context import CompetitionPage
from league.apps.competitions.public.lines import FixtureLine, ShownEntry
from league.apps.competitions.public.standings_table import StandingsLine, StandingsTable
from league.apps.competitions.selectors.result_texts import format_game_points
from ratings.contract.competition import CompetitionData
from ratings.contract.result_table import compute_fixture_points

#: Names of byes in a narrow column; the points stand above them.
SHORT_BYES = {
    Fixture.Kind.PAIRING_BYE: pgettext_lazy("short for a pairing bye", "bye"),
    Fixture.Kind.FULL_BYE: pgettext_lazy("short for a full-point bye", "1 bye"),
    Fixture.Kind.HALF_BYE: pgettext_lazy("short for a half-point bye", "½ bye"),
    Fixture.Kind.ZERO_BYE: pgettext_lazy("short for a zero-point bye", "0 bye"),
}


@dataclass(frozen=True)
class MeetingOutcome:
    """What the entry of a row got in one meeting. ``opponent``: whom tables by rounds name, by its ``place``.

    ``address``: of the page with the meeting. ``sign``: + or − of a forfeit, which paper shows.
    """

    text: str
    address: str = ""
    opponent: ShownEntry | None = None
    white: bool | None = None
    note: str = ""
    sign: str = ""
    place: str = ""


@dataclass(frozen=True)
class MeetingRow:
    """An entry with its cells, in the order of the columns. A cell has several meetings, none, or is its own.

    ``place``: in the order of the standings, – without a rank; entries that share a rank have places of their own,
    by which cells name opponents. ``shared_rank``: the rank of the standings if it is not the place.
    """

    place: str
    shared_rank: int | None
    entry: ShownEntry
    cells: tuple[tuple[MeetingOutcome, ...] | None, ...]
    points: str


def build_cross_table(
    table: StandingsTable, fixtures: Sequence[FixtureLine], data: CompetitionData
) -> list[MeetingRow]:
    """Return a row for each entry with its meetings with each other, both in the order of the standings.

    The cell of an entry with itself is None.
    """
    met: defaultdict[tuple[int, int], list[MeetingOutcome]] = defaultdict(list)
    for line in fixtures:
        if len(line.seats) == 2 and not line.is_open:
            for cell, own, other in _build_cells(line, data):
                met[own, other].append(cell)
    order = [row.entry for row in table.standings.rows]
    return [
        MeetingRow(
            _write_place(place, line.left_out),
            _find_shared_rank(place, line),
            line.entry,
            tuple(None if other == line.entry.number else tuple(met[line.entry.number, other]) for other in order),
            line.points,
        )
        for place, line in enumerate(table.lines, 1)
    ]


def _write_place(place: int, left_out: str) -> str:
    return "–" if left_out else str(place)


def _find_shared_rank(place: int, line: StandingsLine) -> int | None:
    return line.rank if not line.left_out and line.rank != place else None


def build_round_table(
    table: StandingsTable,
    lines: Iterable[StandingsLine],
    fixtures: Sequence[FixtureLine],
    rounds: Sequence[int],
    data: CompetitionData,
) -> list[MeetingRow]:
    """Return a row for each line of a page of the standings with its entry's games by round."""
    numbers = {row.entry: place for place, row in enumerate(table.standings.rows, 1)}
    places = {row.entry: _write_place(numbers[row.entry], row.left_out) for row in table.standings.rows}
    cells: defaultdict[tuple[int, int], list[MeetingOutcome]] = defaultdict(list)
    for line in fixtures:
        number = line.state.round
        if number is None:
            continue
        if len(line.seats) == 1:
            kind = Fixture.Kind(line.state.kind)
            name = str(SHORT_BYES.get(kind) or kind.label)
            cells[line.seats[0].entry.number, number].append(MeetingOutcome(line.result, note=name))
            continue
        for cell, own, other in _build_cells(line, data):
            cells[own, number].append(replace(cell, place=places.get(other, "")))
    return [
        MeetingRow(
            places[line.entry.number],
            _find_shared_rank(numbers[line.entry.number], line),
            line.entry,
            tuple(tuple(cells[line.entry.number, number]) for number in rounds),
            line.points,
        )
        for line in lines
    ]


def _build_cells(line: FixtureLine, data: CompetitionData) -> list[tuple[MeetingOutcome, int, int]]:
    """Return a cell of each seat with the numbers of the entry and, in a game of two, of its opponent."""
    state = line.state
    awarded = list(compute_fixture_points(data, state.data)) if not line.is_open else [None] * len(line.seats)
    forfeit = state.status == "forfeited"
    cells = []
    for place, (seat, points) in enumerate(zip(line.seats, awarded, strict=True)):
        opponent = line.seats[1 - place].entry if line.of_two else None
        cell = MeetingOutcome(
            "" if points is None else format_game_points(points),
            "" if line.is_open else line.game_address,
            opponent,
            place == 0 if line.of_two else None,
            pgettext("result", "forfeit") if forfeit else "",
            ("+" if seat.won else "−") if forfeit else "",
        )
        cells.append((cell, seat.entry.number, opponent.number if opponent else 0))
    return cells


def list_told_rounds(page: CompetitionPage) -> list[int]:
    """Return the rounds that a table by rounds has: at tables of three and more, only those with a result."""
    shown = {line.state.round for line in page.fixtures if line.of_two or not line.is_open}
    return [number for number in page.rounds if number in shown]
