"""The results of a competition by entry, with points in whole units, and what article 16 makes of unplayed rounds."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from ratings.contract.competition import CompetitionData, FixtureData, FixtureKind, Seat

REQUESTED_BYES = ("half_bye", "zero_bye")


class RoundResult(NamedTuple):
    """An entry's result in a round. ``points`` are in units (``ResultTable.scale``).

    ``opponent`` is 0 without one, and at tables of three or more. ``half_points``: 2, 1 or 0 for a win, draw or loss
    in a game of two, played or not. ``seat`` counts from 0; ``fixture`` is None if the entry has no fixture in the
    round.
    """

    round: int
    kind: FixtureKind
    points: int
    opponent: int = 0
    half_points: int = 0
    seat: int = 0
    fixture: FixtureData | None = None

    @property
    def played(self) -> bool:
        """Whether it is a played game of two."""
        return self.kind == "played" and self.opponent > 0

    @property
    def voluntary(self) -> bool:
        """Whether it is a voluntary unplayed round (16.1.2): a requested bye or a forfeit loss."""
        return self.kind in REQUESTED_BYES or (self.kind == "forfeit" and self.half_points == 0)

    @property
    def own_seat(self) -> Seat | None:
        """The entry's seat, if it has a fixture."""
        return self.fixture.seats[self.seat] if self.fixture else None


@dataclass
class ResultTable:
    """The results of each entry by round. ``scale``: units per point, so that all points are whole numbers of units.

    ``win``, ``draw``, ``loss`` and ``points`` are in units. ``rounds``: the number of rounds so far. ``two_seats``: no
    table has three or more. ``cache`` holds what several tie-breaks need.
    """

    competition: CompetitionData
    scale: int
    rounds: int
    results: dict[int, list[RoundResult]]
    points: dict[int, int]
    ratings: dict[int, int | None]
    two_seats: bool
    win: int
    draw: int
    loss: int
    cache: dict[Hashable, Any] = field(default_factory=dict)


def tabulate_results(competition: CompetitionData) -> ResultTable:
    """Return the results of a competition by entry."""
    lines_by_entry: dict[int, list[tuple[int, FixtureData | None, int, Fraction]]] = {
        entry.number: [] for entry in competition.entries
    }
    scale, two_seats = 2, True
    for one_round in competition.rounds:
        paired: set[int] = set()
        for fixture in one_round.fixtures:
            two_seats &= len(fixture.seats) <= 2
            for seat, points in enumerate(compute_fixture_points(competition, fixture)):
                entry = fixture.seats[seat].entry
                lines_by_entry[entry].append((one_round.number, fixture, seat, points))
                paired.add(entry)
                scale = lcm(scale, points.denominator)
        if not competition.predetermined:
            zero = competition.points.zero_bye
            for entry in lines_by_entry.keys() - paired:
                lines_by_entry[entry].append((one_round.number, None, 0, zero))
    table = competition.points
    scale = lcm(scale, *(points.denominator for points in (table.win, table.draw, table.loss, table.zero_bye)))
    results = {entry: [_result(scale, *line) for line in lines] for entry, lines in lines_by_entry.items()}
    return ResultTable(
        competition,
        scale,
        len(competition.rounds),
        results,
        {entry: sum(result.points for result in lines) for entry, lines in results.items()},
        {entry.number: entry.rating for entry in competition.entries},
        two_seats,
        win=int(table.win * scale),
        draw=int(table.draw * scale),
        loss=int(table.loss * scale),
    )


def compute_fixture_points(competition: CompetitionData, fixture: FixtureData) -> Iterator[Fraction]:
    """Yield the points of each seat."""
    table, kind, seats = competition.points, fixture.kind, fixture.seats
    if kind == "planned":
        awarded = [Fraction(0)] * len(seats)
    elif kind == "forfeit":
        awarded = [table.forfeit_win if seat.place == 1 else table.forfeit_loss for seat in seats]
    elif kind != "played":
        awarded = [getattr(table, kind)]
    elif len(seats) == 2:
        first, second = seats[0].place, seats[1].place
        awarded = [table.draw] * 2 if first == second else [table.win, table.loss][:: 1 if first < second else -1]
    else:
        awarded = table.share_places([seat.place for seat in seats])
    for seat, points in zip(seats, awarded, strict=True):
        yield points if seat.points is None else seat.points


def _result(scale: int, number: int, fixture: FixtureData | None, seat: int, points: Fraction) -> RoundResult:
    units = points.numerator * (scale // points.denominator)
    if fixture is None:
        return RoundResult(number, "zero_bye", units)
    opponent = half_points = 0
    if len(fixture.seats) == 2:
        own, other = fixture.seats[seat], fixture.seats[1 - seat]
        opponent = other.entry
        if fixture.kind == "forfeit":
            half_points = 2 if own.place == 1 else 0
        elif fixture.kind == "played":
            half_points = 1 + (own.place < other.place) - (own.place > other.place)
    return RoundResult(number, fixture.kind, units, opponent, half_points, seat, fixture)
