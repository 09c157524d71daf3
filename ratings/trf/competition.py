"""A tournament report file as a competition, and a competition as a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction

from ratings.contract.competition import (
    ByeKind,
    CompetitionData,
    EntryData,
    FixtureData,
    PointsTable,
    RoundData,
    Seat,
    build_bye,
)
from ratings.contract.pairing_format import PairingRequest
from ratings.contract.result_table import compute_fixture_points
from ratings.pairing_formats.swiss import Swiss
from ratings.trf.document import (
    UNOPPOSED,
    UNRATED,
    TrfAccelerations,
    TrfCell,
    TrfDocument,
    TrfFirstColour,
    TrfForbidden,
    TrfPlayer,
)
from ratings.trf.formats import TrfFormat, detect_format
from ratings.trf.points import list_byes, read_awards, read_points_table

#: Result of one side -> its place; "" has none yet.
PLACES = {"1": 1, "=": 1, "0": 2, "W": 1, "D": 1, "L": 2, "+": 1, "-": 2, "": 0, "?": 0}
#: Result of one side -> the points that an arbiter gave it, when the other side lost too.
AWARDED = {"0": "loss", "L": "loss", "=": "draw", "D": "draw"}


@dataclass(frozen=True)
class TrfCompetition:
    """A competition of a file.

    ``players``: by number, without their rounds. ``byes``: those that were asked for, round -> number -> kind.
    ``unrated``: games that were played but do not count for ratings, as (round, number of White).
    ``forbidden``: players who must not meet. ``first_colour``: white, black, or "" if nothing shows it.
    ``time_control``: as line 122 says it in words; ``seconds``: as line 222 has it. ``program``: of line 182.
    ``ranking``: how numbers follow from ratings (line 172), "" if nothing states it. ``national``: the players as the
    federation ``nation`` has them, with its rating and ID.
    """

    title: str
    data: CompetitionData
    players: tuple[TrfPlayer, ...]
    format: TrfFormat
    city: str = ""
    federation: str = ""
    starts: date | None = None
    ends: date | None = None
    kind: str = ""
    arbiter: str = ""
    deputies: tuple[str, ...] = ()
    time_control: str = ""
    round_days: tuple[date | None, ...] = ()
    tie_breaks: tuple[str, ...] = ()
    first_colour: str = ""
    byes: Mapping[int, Mapping[int, ByeKind]] = field(default_factory=dict)
    unrated: frozenset[tuple[int, int]] = frozenset()
    forbidden: tuple[TrfForbidden, ...] = ()
    seconds: str = ""
    program: str = ""
    nation: str = ""
    ranking: str = ""
    national: tuple[TrfPlayer, ...] = ()

    def list_not_against(self, number: int) -> frozenset[frozenset[int]]:
        """Return the pairs that must not meet in a round."""
        return frozenset(
            frozenset((first, second))
            for group in self.forbidden
            if not group.last_round or group.first_round <= number <= group.last_round
            for first in group.players
            for second in group.players
            if first < second
        )

    def build_request(self, seed: int = 0) -> PairingRequest:
        """Return what the next round is paired from."""
        number = len(self.data.rounds) + 1
        return PairingRequest(
            self.data, number, byes=self.byes.get(number, {}), not_against=self.list_not_against(number), seed=seed
        )


def read_competition(document: TrfDocument) -> TrfCompetition:
    """Return the competition of a document without errors."""
    paired, byes, table = document.paired_rounds, list_byes(document), read_points_table(document)
    found = detect_format(document)
    builder = _RoundBuilder(document, found, table, byes)
    players = [document.players[number] for number in sorted(document.players)]
    virtual = _read_virtual_points(document) if found.acceleration == "given" else {}
    data = CompetitionData(
        tuple(
            EntryData(
                player.number,
                player.rating,
                player.title,
                builder.awards.added.get(player.number, ()),
                virtual.get(player.number, ()),
            )
            for player in players
        ),
        tuple(builder.build(number) for number in range(1, paired + 1)),
        table,
        found.predetermined,
        document.planned_rounds,
    )
    if virtual and document.get_text("192").upper().endswith("_BAKU") and list_virtual_points(data, "baku") == virtual:
        # The lines of points say what the method gives anyway.
        found = found._replace(acceleration="baku")
        data = replace(data, entries=tuple(replace(entry, virtual=()) for entry in data.entries))
    for player in players:
        for number, cell in enumerate(player.rounds[paired:], paired + 1):
            if cell and cell.result:
                byes.setdefault(number, {})[player.number] = UNOPPOSED[cell.result]
    return TrfCompetition(
        document.get_text("012"),
        data,
        tuple(replace(player, rounds=()) for player in players),
        found,
        document.get_text("022"),
        document.get_text("032"),
        document.days.find_first(),
        document.days.last,
        document.get_text("092"),
        document.get_text("102"),
        tuple(document.list_texts("112")),
        document.get_text("122"),
        document.days.rounds,
        list_tie_breaks(document),
        {"w": "white", "b": "black", "": ""}[_find_first_colour(document)],
        {number: in_round for number, in_round in sorted(byes.items()) if number > paired},
        frozenset(builder.unrated),
        tuple(document.list_values(TrfForbidden)),
        document.get_text("222"),
        document.get_text("182"),
    )


def _read_virtual_points(document: TrfDocument) -> dict[int, tuple[Fraction, ...]]:
    """Return player -> by round, the points that count for its pairing alone; a later line outweighs an earlier one."""
    points: dict[int, dict[int, Fraction]] = {}
    for line in document.list_values(TrfAccelerations):
        for run in line.runs:
            rounds = dict.fromkeys(range(run.first_round, run.last_round + 1), run.points)
            for player in document.players:
                if run.first_player <= player <= run.last_player:
                    points.setdefault(player, {}).update(rounds)
    found = {}
    for player, by_round in points.items():
        accelerated = [number for number, one in by_round.items() if one]
        if accelerated:
            found[player] = tuple(by_round.get(number, Fraction(0)) for number in range(1, max(accelerated) + 1))
    return found


def list_virtual_points(competition: CompetitionData, acceleration: str) -> dict[int, tuple[Fraction, ...]]:
    """Return player -> by round, the points that count for its pairing alone, of an acceleration of ``TrfFormat``."""
    request = PairingRequest(competition, len(competition.rounds) + 1)
    return Swiss(acceleration=acceleration or "none").list_virtual_points(request)


def _find_first_colour(document: TrfDocument) -> str:
    """Return the colour that the file states, otherwise the one that round 1 was paired with: w, b or "".

    In round 1 of the Dutch system, the better of two players has this colour if the number is odd, else the other one.
    Start numbers may have gaps: the place among them counts.
    """
    for stated in document.list_values(TrfFirstColour):
        if stated.colour:
            return stated.colour
    tops = [
        (place, cell.colour)
        for place, (number, player) in enumerate(sorted(document.players.items()), start=1)
        if (cell := player.get_cell(1)) and cell.opponent > number and cell.colour
    ]
    followed = {colour if place % 2 else ("w" if colour == "b" else "b") for place, colour in tops}
    if len(followed) == 1:
        return followed.pop()
    return tops[0][1] if tops else ""


def list_tie_breaks(document: TrfDocument) -> tuple[str, ...]:
    """Return the codes of line 202, which come after the points, or 212, where the points have a place."""
    stated, listed = (document.get_text(tag).replace(",", " ").upper().split() for tag in ("202", "212"))
    if stated or listed[:1] == ["PTS"]:
        return tuple(code for code in stated or listed if code != "PTS")
    return tuple(listed)


class _RoundBuilder:
    """Builds rounds of fixtures from the lines of the players."""

    def __init__(
        self,
        document: TrfDocument,
        found: TrfFormat,
        table: PointsTable,
        byes: Mapping[int, Mapping[int, ByeKind]],
    ) -> None:
        self.unrated: set[tuple[int, int]] = set()
        self._players, self._table, self._byes = document.players, table, byes
        self._predetermined = found.predetermined
        self.awards = read_awards(document)
        self._without_rounds = CompetitionData((), (), table)

    def build(self, number: int) -> RoundData:
        """Return a round, in the order of the start numbers."""
        fixtures = []
        for player in sorted(self._players):
            cell = self._players[player].get_cell(number) or TrfCell()
            if cell.opponent:
                if self._is_first(number, player, cell):
                    fixtures.append(self._build_game(number, player, cell))
            elif kind := self._get_bye(number, player, cell):
                bye = build_bye(player, kind)
                fixtures.append(self._award(number, bye))
        return RoundData(number, tuple(fixtures))

    def _get_bye(self, number: int, player: int, cell: TrfCell) -> ByeKind | None:
        """Return the kind of a bye. In a round robin nobody is absent on purpose: a free round is no bye."""
        kind = UNOPPOSED[cell.result] if cell.result else self._byes.get(number, {}).get(player)
        return None if self._predetermined and kind == "zero_bye" else kind

    def _is_first(self, number: int, player: int, cell: TrfCell) -> bool:
        """Return whether a player has White; without colours, as in some forfeits, the lower number has it."""
        other = self._players[cell.opponent].get_cell(number) or TrfCell()
        if cell.colour or other.colour:
            return cell.colour == "w" or other.colour == "b"
        return player < cell.opponent

    def _build_game(self, number: int, white: int, cell: TrfCell) -> FixtureData:
        other = self._players[cell.opponent].get_cell(number) or TrfCell()
        results = (cell.result, other.result)
        if cell.result in UNRATED and cell.result:
            self.unrated.add((number, white))
        adjourned = "?" in results
        kind = "planned" if adjourned or not cell.result else "forfeit" if cell.result in "+-" else "played"
        seats = tuple(
            Seat(entry, PLACES[result]) for entry, result in zip((white, cell.opponent), results, strict=True)
        )
        if kind == "played" and not set(results) & {"1", "W"} and results not in (("=", "="), ("D", "D")):
            seats = tuple(
                seat._replace(place=1, points=getattr(self._table, AWARDED[result]))
                for seat, result in zip(seats, results, strict=True)
            )
        return self._award(number, FixtureData(seats, kind, adjourned))  # type: ignore[arg-type]  # one of the kinds

    def _award(self, number: int, fixture: FixtureData) -> FixtureData:
        """Return a fixture with the points that an arbiter awarded."""
        if not self.awards.instead or fixture.kind == "planned":
            return fixture
        seats = []
        for seat, points in zip(fixture.seats, compute_fixture_points(self._without_rounds, fixture), strict=True):
            awarded = self.awards.instead.get((seat.entry, number), points)
            seats.append(seat if awarded == points else seat._replace(points=awarded))
        return replace(fixture, seats=tuple(seats))
