"""The results of a competition by entry, with points in whole units, and what article 16 makes of unplayed rounds."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    FixtureKind,
    RoundData,
    Seat,
    apply_primary,
)

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


class SeatOutcome(NamedTuple):
    """What a seat of a fixture has; ``half_points`` as in ``RoundResult``."""

    points: Fraction
    half_points: int


@dataclass
class ResultTable:
    """The results of each entry by round. ``scale``: units per point, so that all points are whole numbers of units.

    ``win``, ``draw``, ``loss``, ``points`` and ``added`` are in units. ``points`` are those of the rounds and
    those that an arbiter added. ``rounds``: the number of rounds so far. ``two_seats``: no table has three or more.
    ``pairing_numbers`` of the entries. ``ratings``: at the start; ``changing``: the entries whose rating is another one
    in later rounds. ``cache`` holds what several tie-breaks need.
    """

    competition: CompetitionData
    scale: int
    rounds: int
    results: dict[int, list[RoundResult]]
    points: dict[int, int]
    pairing_numbers: dict[int, int]
    ratings: dict[int, int | None]
    two_seats: bool
    win: int
    draw: int
    loss: int
    added: dict[int, int] = field(default_factory=dict)
    changing: dict[int, EntryData] = field(default_factory=dict)
    cache: dict[Hashable, Any] = field(default_factory=dict)

    def list_entries(self) -> list[int]:
        """Return the entries in the order of their pairing numbers."""
        return sorted(self.results, key=self.pairing_numbers.__getitem__)

    def find_rating(self, entry: int, number: int) -> int | None:
        """Return the rating of an entry that applies in a round; 0: at the start."""
        return self.changing[entry].find_rating(number) if entry in self.changing else self.ratings[entry]

    def sum_rounds(self, entry: int) -> int:
        """Return the points of an entry's rounds, without those that were added."""
        return self.points[entry] - self.added.get(entry, 0)


def tabulate_results(competition: CompetitionData) -> ResultTable:
    """Return the results of a competition by entry."""
    stated, competition = competition, apply_primary(competition)
    points = competition.points
    #: The same few outcomes occur again and again, and fractions are slow.
    outcomes: dict[tuple[Any, ...], list[SeatOutcome]] = {}
    judged: list[tuple[int, list[tuple[FixtureData, list[SeatOutcome]]]]] = []
    for one_round in competition.rounds:
        with_outcomes = []
        for fixture in one_round.fixtures:
            key = (fixture.kind, *[seat[1:4:2] for seat in fixture.seats])
            if key not in outcomes:
                outcomes[key] = _judge_seats(competition, fixture)
            with_outcomes.append((fixture, outcomes[key]))
        judged.append((one_round.number, with_outcomes))
    fixed = (points.win, points.draw, points.loss, points.zero_bye)
    gained = {seat.points for outcome in outcomes.values() for seat in outcome}
    added = _sum_added(competition)
    gained |= {one for entry in competition.entries for _, one in entry.added}
    scale = lcm(2, *{one.denominator for one in (*fixed, *gained)})
    win, draw, loss, zero_bye = (_count_units(one, scale) for one in fixed)
    units = {id(outcome): [_count_units(seat.points, scale) for seat in outcome] for outcome in outcomes.values()}
    results: dict[int, list[RoundResult]] = {entry.number: [] for entry in competition.entries}
    for number, with_outcomes in judged:
        paired: set[int] = set()
        for fixture, outcome in with_outcomes:
            for result, seat in zip(
                _list_results(number, fixture, outcome, units[id(outcome)]), fixture.seats, strict=True
            ):
                results[seat.entry].append(result)
                paired.add(seat.entry)
        if not competition.predetermined:
            unpaired = RoundResult(number, "zero_bye", zero_bye)
            for entry in results.keys() - paired:
                results[entry].append(unpaired)
    added_units = {entry: _count_units(one, scale) for entry, one in added.items()}
    return ResultTable(
        stated,
        scale,
        len(competition.rounds),
        results,
        _sum_points(results, added_units),
        {entry.number: entry.pairing_number for entry in competition.entries},
        {entry.number: entry.rating for entry in competition.entries},
        all(len(outcome) <= 2 for outcome in outcomes.values()),
        win=win,
        draw=draw,
        loss=loss,
        added=added_units,
        changing={entry.number: entry for entry in competition.entries if entry.later},
    )


def _sum_added(competition: CompetitionData) -> dict[int, Fraction]:
    """Return the points that an arbiter added or took until the last round, of those who have any."""
    last = max((one_round.number for one_round in competition.rounds), default=0)
    return {entry.number: entry.sum_added(last) for entry in competition.entries if entry.added}


def _sum_points(results: Mapping[int, Sequence[RoundResult]], added: Mapping[int, int]) -> dict[int, int]:
    points = {entry: sum([result.points for result in lines]) for entry, lines in results.items()}
    return points | {entry: points[entry] + units for entry, units in added.items()} if added else points


def _count_units(points: Fraction, scale: int) -> int:
    return points.numerator * (scale // points.denominator)


def cut_rounds(table: ResultTable, last_round: int) -> ResultTable:
    """Return the table as it was after a round, as if that were the final one."""
    rounds = tuple(one for one in table.competition.rounds if one.number <= last_round)
    results = {
        entry: [result for result in lines if result.round <= last_round] for entry, lines in table.results.items()
    }
    competition = replace(table.competition, rounds=rounds, planned_rounds=last_round)
    added = {entry: _count_units(one, table.scale) for entry, one in _sum_added(apply_primary(competition)).items()}
    return replace(
        table,
        competition=competition,
        rounds=len(rounds),
        results=results,
        points=_sum_points(results, added),
        added=added,
        two_seats=table.two_seats or all(len(fixture.seats) <= 2 for one in rounds for fixture in one.fixtures),
        cache={},
    )


def decide_games(table: ResultTable, games: Mapping[int, FixtureData]) -> ResultTable:
    """Return the table with played games of two in the place of fixtures, by the identity (id) of each fixture."""
    competition, results, points = table.competition, dict(table.results), dict(table.points)
    for game in games.values():
        outcome = _judge_seats(competition, game)
        units = [_count_units(seat.points, table.scale) for seat in outcome]
        for decided, seat in zip(_list_results(0, game, outcome, units), game.seats, strict=True):
            results[seat.entry] = [
                decided._replace(round=line.round) if games.get(id(line.fixture)) is game else line
                for line in results[seat.entry]
            ]
            points[seat.entry] = sum([line.points for line in results[seat.entry]]) + table.added.get(seat.entry, 0)
    rounds = [
        RoundData(one.number, tuple([games.get(id(fixture), fixture) for fixture in one.fixtures]))
        for one in competition.rounds
    ]
    competition = replace(competition, rounds=tuple(rounds))
    return replace(table, competition=competition, results=results, points=points, cache={})


def compute_fixture_points(competition: CompetitionData, fixture: FixtureData) -> list[Fraction]:
    """Return the points of each seat."""
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
    return [points if seat.points is None else seat.points for seat, points in zip(seats, awarded, strict=True)]


def _judge_seats(competition: CompetitionData, fixture: FixtureData) -> list[SeatOutcome]:
    """Return the outcome of each seat."""
    kind, seats, points = fixture.kind, fixture.seats, compute_fixture_points(competition, fixture)
    halves = [0] * len(seats)
    if len(seats) == 2:
        first, second = seats[0].place, seats[1].place
        if kind == "forfeit":
            halves = [2 * (first == 1), 2 * (second == 1)]
        elif kind == "played" and first != second:
            halves = [2 * (first < second), 2 * (second < first)]
        elif kind == "played":
            # In a game that the arbiter decided, 0–0 or ½–0, those without points lost.
            halves = [int(seat.points is None or seat.points > competition.points.loss) for seat in seats]
    return [SeatOutcome(gained, half) for gained, half in zip(points, halves, strict=True)]


def _list_results(
    number: int, fixture: FixtureData, outcome: Sequence[SeatOutcome], units: Sequence[int]
) -> list[RoundResult]:
    """Return the result of each seat; ``units``: the points of each, in units."""
    kind, seats = fixture.kind, fixture.seats
    opponents = (seats[1].entry, seats[0].entry) if len(seats) == 2 else (0,) * len(seats)
    return [
        RoundResult(number, kind, units[seat], opponent, outcome[seat].half_points, seat, fixture)
        for seat, opponent in enumerate(opponents)
    ]
