"""Competitions: entries, rounds of fixtures and the points they give.

This is the input of tie-breaks, standings and pairing formats. It serves Swiss tournaments, round robins, knock-outs,
tables of three to seven and free fixtures. An entry is a player or a side. It has no names, dates or database.
All points are exact fractions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

#: planned: without a result. forfeit: at least one entry lost without play. The byes have one seat.
FixtureKind: TypeAlias = Literal["planned", "played", "forfeit", "pairing_bye", "full_bye", "half_bye", "zero_bye"]
ByeKind: TypeAlias = Literal["pairing_bye", "full_bye", "half_bye", "zero_bye"]
Outcome: TypeAlias = Literal["win", "draw", "loss"]
#: Which points of teams: those of matches, or those of their boards.
ScoreName: TypeAlias = Literal["match", "board"]


@dataclass(frozen=True, slots=True)
class EntryData:
    """A participant. ``number``: its key, from 1. ``rating``: whole (ruling R13), at the start.

    ``moved``: its pairing number, if that is another than ``number``, as entries came late or exchanged numbers.
    ``added``: points that an arbiter added or took, each with the round after which it counts (ruling R175).
    ``virtual``: by round, points that count for the pairing of that round alone. ``added_boards``: as ``added``, board
    points of a team. ``by_hand``: a value that an arbiter typed, for the tie-break HAND. ``later``: the ratings that
    apply later in a long event, each with its first round, in their order.
    """

    number: int
    rating: int | None = None
    title: str = ""
    added: tuple[tuple[int, Fraction], ...] = ()
    virtual: tuple[Fraction, ...] = ()
    added_boards: tuple[tuple[int, Fraction], ...] = ()
    by_hand: Fraction | None = None
    later: tuple[tuple[int, int], ...] = ()
    moved: int | None = None

    @property
    def pairing_number(self) -> int:
        """The number by which it is paired, and which separates ties."""
        return self.number if self.moved is None else self.moved

    def find_rating(self, number: int) -> int | None:
        """Return the rating that applies in a round; 0: at the start."""
        return next((rating for first, rating in reversed(self.later) if first <= number), self.rating)

    def sum_added(self, last_round: int) -> Fraction:
        """Return the points that were added up to a round."""
        return sum((points for number, points in self.added if number <= last_round), Fraction(0))


class Seat(NamedTuple):
    """An entry's seat in a fixture. In a game of two, the first seat has White.

    ``place``: 1 is best, equal places are a tie, 0 is unknown. In a forfeit, those who lost have place 2.
    ``score``: the score of the game (goals, card points), if the game has scores.
    ``points``: the points of the competition, if an arbiter awarded others than the table gives.
    """

    entry: int
    place: int = 0
    score: Fraction | None = None
    points: Fraction | None = None


@dataclass(frozen=True, slots=True)
class FixtureData:
    """Entries that meet, with the result if there is one; or an entry's bye.

    ``adjourned``: it has begun, and its result comes later. ``boards``: of a match of teams, by board from 1, the
    points of both seats; their sums are the scores of the seats.
    """

    seats: tuple[Seat, ...]
    kind: FixtureKind = "planned"
    adjourned: bool = False
    boards: tuple[tuple[Fraction, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class RoundData:
    """A round. Several games of the same entries in a round, as in a knock-out, are several fixtures."""

    number: int
    fixtures: tuple[FixtureData, ...]


@dataclass(frozen=True)
class PointsTable:
    """The points for each outcome. ``places``: at tables of three or more, from the first place on; ties share.

    By default a place at a table gives a point for each place below it.
    """

    win: Fraction = Fraction(1)
    draw: Fraction = Fraction(1, 2)
    loss: Fraction = Fraction(0)
    pairing_bye: Fraction = Fraction(1)
    full_bye: Fraction = Fraction(1)
    half_bye: Fraction = Fraction(1, 2)
    zero_bye: Fraction = Fraction(0)
    forfeit_win: Fraction = Fraction(1)
    forfeit_loss: Fraction = Fraction(0)
    places: tuple[Fraction, ...] = ()

    @classmethod
    def from_json(cls, given: Mapping[str, float], places: Sequence[float] = ()) -> "PointsTable":
        """Build from JSON numbers, exactly as they are written; missing names take their defaults."""
        return cls(
            **{name: parse_fraction(value) for name, value in given.items()},
            places=tuple(parse_fraction(value) for value in places),
        )

    @property
    def highest(self) -> Fraction:
        """The most points that an entry can get in a round of games of two."""
        return max(self._outcomes())

    @property
    def lowest(self) -> Fraction:
        """The fewest points that an entry can get in a round of games of two."""
        return min(self._outcomes())

    def list_pairs(self, *, unplayed: bool = False) -> set[tuple[Fraction, Fraction]]:
        """Return what an open game of two can give to both seats; ``unplayed``: one or both may lose by forfeit."""
        pairs = [(self.win, self.loss), (self.draw, self.draw)]
        if unplayed:
            pairs += [(self.forfeit_win, self.forfeit_loss), (self.forfeit_loss, self.forfeit_loss)]
        return {*pairs, *((other, own) for own, other in pairs)}

    def _outcomes(self) -> list[Fraction]:
        return [getattr(self, field.name) for field in fields(self) if field.name != "places"]

    def share_places(self, places: Sequence[int]) -> list[Fraction]:
        """Return the points of a table's seats by their places; seats with the same place share."""
        size = len(places)
        by_place = self.places or tuple(Fraction(size - place) for place in range(1, size + 1))
        by_place += (Fraction(0),) * (size - len(by_place))
        shared: dict[int, Fraction] = {}
        for place in set(places):
            better, level = sum(other < place for other in places), places.count(place)
            shared[place] = sum(by_place[better : better + level], Fraction(0)) / level
        return [shared[place] for place in places]


@dataclass(frozen=True)
class TeamRules:
    """Teams meet on ``boards`` boards, each of which gives points by the table ``points``.

    ``primary``: the points that come first in the standings. ``bye``: the board points of a pairing-allocated bye;
    None: those of a draw on each board.
    """

    boards: int
    primary: ScoreName = "match"
    points: PointsTable = PointsTable()
    bye: Fraction | None = None

    def build_match_table(self) -> PointsTable:
        """Return the board points of whole matches."""
        win, draw, loss = (getattr(self.points, name) * self.boards for name in ("win", "draw", "loss"))
        return PointsTable(
            win=win,
            draw=draw,
            loss=loss,
            pairing_bye=draw if self.bye is None else self.bye,
            full_bye=win,
            half_bye=draw,
            forfeit_win=self.points.forfeit_win * self.boards,
            forfeit_loss=self.points.forfeit_loss * self.boards,
        )


@dataclass(frozen=True)
class CompetitionData:
    """A competition as of a round. ``entries``: in the order of their pairing numbers.

    ``predetermined``: no pairing depends on results, as in round robins and free fixtures. Then forfeits count as
    played (15.2), and a round without a fixture is no bye. Otherwise an entry without a fixture in a round has a
    zero-point bye.
    ``planned_rounds``: rounds in all; 0: as many as there are.
    ``lowest_wins``: the lower score of a game is better.
    ``teams``: the entries are teams, and ``points`` are those of matches.
    """

    entries: tuple[EntryData, ...]
    rounds: tuple[RoundData, ...]
    points: PointsTable = PointsTable()
    predetermined: bool = False
    planned_rounds: int = 0
    lowest_wins: bool = False
    teams: TeamRules | None = None

    @property
    def last_round(self) -> int:
        """The number of the final round."""
        return max([self.planned_rounds, *(one_round.number for one_round in self.rounds)])


def apply_primary(competition: CompetitionData) -> CompetitionData:
    """Return a competition whose points are those that come first; only of teams they may be those of boards."""
    teams = competition.teams
    if teams is None or teams.primary == "match":
        return competition
    rounds = tuple(
        replace(one, fixtures=tuple(_count_boards(fixture) for fixture in one.fixtures)) for one in competition.rounds
    )
    entries = tuple(replace(entry, added=entry.added_boards) for entry in competition.entries)
    return replace(competition, entries=entries, rounds=rounds, points=teams.build_match_table())


def _count_boards(fixture: FixtureData) -> FixtureData:
    """Return a match with its board points as points."""
    if fixture.kind == "planned":
        return fixture
    return replace(fixture, seats=tuple(seat._replace(points=seat.score) for seat in fixture.seats))


def score_unplayed(competition: CompetitionData) -> CompetitionData:
    """Return a competition of teams in which byes, and matches without play, have board points."""
    if competition.teams is None:
        return competition
    table = competition.teams.build_match_table()
    rounds = tuple(
        replace(one, fixtures=tuple(_score_match(fixture, table) for fixture in one.fixtures))
        for one in competition.rounds
    )
    return replace(competition, rounds=rounds)


def _score_match(fixture: FixtureData, table: PointsTable) -> FixtureData:
    if fixture.kind in ("planned", "played") or fixture.boards:
        return fixture
    by_place = {1: table.forfeit_win, 2: table.forfeit_loss}
    whole = len(fixture.seats) > 1
    seats = tuple(
        seat
        if seat.score is not None
        else seat._replace(score=by_place[seat.place] if whole else getattr(table, fixture.kind))
        for seat in fixture.seats
    )
    return replace(fixture, seats=seats)


def parse_fraction(value: float | str | Fraction) -> Fraction:
    """Return a number exactly as it is written: 0.1 is a tenth, not the float64 next to it."""
    return value if isinstance(value, Fraction) else Fraction(str(value))


def build_fixture(*entries: int) -> FixtureData:
    """Return a fixture without a result."""
    return FixtureData(tuple(Seat(entry) for entry in entries))


def build_game(white: int, black: int, outcome: Outcome, scores: tuple[float, float] | None = None) -> FixtureData:
    """Return a game of two with its outcome for the first."""
    places = {"win": (1, 2), "draw": (1, 1), "loss": (2, 1)}[outcome]
    first, second = (parse_fraction(score) for score in scores) if scores else (None, None)
    return FixtureData((Seat(white, places[0], first), Seat(black, places[1], second)), "played")


def build_forfeit(white: int, black: int, *losers: int) -> FixtureData:
    """Return a game of two that was not played; one or both lose."""
    return FixtureData(tuple(Seat(entry, 2 if entry in losers else 1) for entry in (white, black)), "forfeit")


def build_bye(entry: int, kind: ByeKind) -> FixtureData:
    """Return an entry's bye."""
    return FixtureData((Seat(entry, 1),), kind)


def build_table(places: Mapping[int, int], scores: Mapping[int, float] | None = None) -> FixtureData:
    """Return a played table: entry -> place, in seat order."""
    scores_by_entry = scores or {}
    seats = [
        Seat(entry, place, parse_fraction(scores_by_entry[entry]) if entry in scores_by_entry else None)
        for entry, place in places.items()
    ]
    return FixtureData(tuple(seats), "played")
