"""The competition of teams of a tournament report file: matches, their boards, and what gives points without play.

Players have the games; lines 310 (or 013) say whose they are, 300 who sat where, 320, 330, 240 and 299 what was not
played.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, zip_longest

from ratings.contract.competition import (
    ByeKind,
    CompetitionData,
    EntryData,
    FixtureData,
    PointsTable,
    RoundData,
    ScoreName,
    Seat,
    TeamRules,
    build_bye,
    score_unplayed,
)
from ratings.trf.competition import list_tie_breaks
from ratings.trf.document import AT_THE_END, BYES, TrfCell, TrfDocument, TrfTeam
from ratings.trf.fields import read_numbers, read_points, read_whole
from ratings.trf.formats import TrfFormat, find_stated_format
from ratings.trf.points import GAME_POINTS, read_points_table
from ratings.trf.problems import TrfProblem, TrfProblemCollector
from ratings.trf.records import parse_162

#: The points of matches, if the file states none.
MATCH_POINTS = PointsTable(
    win=Fraction(2), draw=Fraction(1), pairing_bye=Fraction(1), full_bye=Fraction(2), half_bye=Fraction(1),
    forfeit_win=Fraction(2),
)  # fmt: skip
#: Who has White on each board: W is the first team.
COLOURS = "WB"
OTHER_COLOURS = str.maketrans("WB", "BW")
#: Line 330 -> the places of the two teams.
FORFEITED = {
    **dict.fromkeys(("+-", "10", "WL", "WZ"), (1, 2)),
    **dict.fromkeys(("-+", "01", "LW", "ZW"), (2, 1)),
    **dict.fromkeys(("--", "00", "LL", "ZZ"), (2, 2)),
}
#: Code of line 299 for all teams -> the match points that it sets.
UNPLAYED = {
    "+": "forfeit_win",
    "-": "forfeit_loss",
    "F": "full_bye",
    "H": "half_bye",
    "Z": "zero_bye",
    "U": "pairing_bye",
}
PRIMARY = re.compile(r"_(MP|GP)(?=_|\Z)")


@dataclass(frozen=True)
class TrfTeamCompetition:
    """A competition of teams. ``teams``: by number. ``lines``: of the file, by the number of the team.

    ``line_ups``: (round, first team) -> the players of both teams on each board, 0 for an empty seat. ``colours``: of
    the first team on the boards. ``byes``: that teams asked for, by round and team.
    """

    data: CompetitionData
    teams: Mapping[int, TrfTeam]
    lines: Mapping[int, int]
    tie_breaks: tuple[str, ...]
    format: TrfFormat
    colours: str
    line_ups: Mapping[tuple[int, int], Sequence[tuple[int, int]]]
    byes: Mapping[tuple[int, int], ByeKind]

    def is_first(self, board: int) -> bool:
        """Return whether the first team has White on a board, from 1."""
        return self.colours[(board - 1) % len(self.colours)] == "W"


@dataclass(frozen=True)
class TeamAward:
    """Line 299 of teams: match points and board points."""

    code: str
    match: Fraction
    board: Fraction
    round: int
    teams: tuple[int, ...]


@dataclass
class _TeamRecords:
    """What lines other than those of players say of matches."""

    orders: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    byes: dict[tuple[int, int], ByeKind] = field(default_factory=dict)
    forfeits: list[tuple[int, int, int, tuple[int, int]]] = field(default_factory=list)
    awards: list[TeamAward] = field(default_factory=list)
    bye: tuple[Fraction, Fraction] | None = None
    unread: list[int] = field(default_factory=list)
    """The numbers of lines in which something is unreadable."""


def read_teams(document: TrfDocument) -> TrfTeamCompetition | None:
    """Return the competition of teams of a document without errors; None if it has no teams."""
    teams: dict[int, TrfTeam] = {}
    lines: dict[int, int] = {}
    for line in document.lines:
        if isinstance(line.value, TrfTeam):
            number = line.value.number or len(teams) + 1
            teams[number], lines[number] = line.value, line.number
    if not (document.of_teams and teams):
        return None
    return _TeamReader(document, teams).build(lines)


def _ignore(column: int, code: str, **values: object) -> None:
    """Ignore what is wrong in line 362: the usual points count."""


class _TeamReader:
    """Builds the rounds of matches."""

    def __init__(self, document: TrfDocument, teams: Mapping[int, TrfTeam]) -> None:
        self._document, self._teams = document, teams
        self._team_of = {player: number for number, team in teams.items() for player in team.players}
        self._points = read_points_table(document)
        self._records = _read_records(document)
        text = next((line.text or "" for line in document.list_lines("352")), "")[4:].strip().upper()
        stated = text if re.fullmatch("[WB]+", text) else ""
        self._rounds = max([document.paired_rounds, *(one[0] for one in self._records.forfeits), *self._list_byes()])
        used = max(
            (len(self._list_players(team, at)) for at in range(1, self._rounds + 1) for team in teams), default=1
        )
        self._boards = max(len(stated), used) if len(stated) < 3 else len(stated)
        # Of the team with White on the first board, which is the first one of a match here.
        self._colours = (stated if stated.startswith("W") else stated.translate(OTHER_COLOURS)) or COLOURS
        self._line_ups: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def build(self, lines: Mapping[int, int]) -> TrfTeamCompetition:
        """Return the competition."""
        document = self._document
        found = self._find_format()
        rounds = []
        for number in range(1, self._rounds + 1):
            fixtures = list(self._list_matches(number))
            paired = {seat.entry for fixture in fixtures for seat in fixture.seats}
            for team in sorted(self._teams.keys() - paired):
                kind = self._find_bye(team, number)
                if not (found.predetermined and kind == "zero_bye"):
                    fixtures.append(build_bye(team, kind))
            rounds.append(RoundData(number, tuple(self._award(number, one) for one in fixtures)))
        table, bye = self._read_match_points()
        entries = tuple(
            EntryData(number, self._teams[number].strength, added=added[0], added_boards=added[1])
            for number in sorted(self._teams)
            for added in [self._list_added(number)]
        )
        data = CompetitionData(
            entries,
            tuple(rounds),
            table,
            found.predetermined,
            document.planned_rounds,
            teams=TeamRules(self._boards, self._find_primary(), self._points, bye),
        )
        codes = list_tie_breaks(document)
        return TrfTeamCompetition(
            score_unplayed(data),
            self._teams,
            lines,
            codes,
            found,
            self._colours,
            self._line_ups,
            {key: kind for key, kind in self._records.byes.items() if kind != "pairing_bye"},
        )

    def _list_byes(self) -> Iterator[int]:
        """Yield rounds that were made and may have byes alone: all players are absent in them.

        A bye in a round in which a player's cell is blank is one of a round to come.
        """
        players = self._document.players.values()
        for number, _team in self._records.byes:
            if players and all(player.get_cell(number) != TrfCell() for player in players):
                yield number

    def _find_primary(self) -> ScoreName:
        named = PRIMARY.search(self._document.get_text("192").upper())
        codes = self._document.get_text("212").replace(",", " ").upper().split()
        first = named[1] if named else "GP" if codes[:1] == ["GPTS"] else "MP"
        return "board" if first == "GP" else "match"

    def _find_format(self) -> TrfFormat:
        found = find_stated_format(self._document)
        if found is not None:
            return found
        met = Counter(
            frozenset(seat.entry for seat in match.seats)
            for number in range(1, self._rounds + 1)
            for match in self._list_matches(number)
        )
        size = len(self._teams)
        often = set(met.values())
        everyone = size > 2 and len(met) == size * (size - 1) // 2 and len(often) == 1
        return TrfFormat("round_robin", often == {2}) if everyone else TrfFormat("swiss")

    def _read_match_points(self) -> tuple[PointsTable, Fraction | None]:
        """Return the points of matches, and the board points of a pairing-allocated bye."""
        amounts: dict[str, Fraction] = {}
        for line in self._document.list_lines("362"):
            value = parse_162(line.text or "", _ignore)
            amounts |= dict(value.amounts) if value else {}
            if value and not re.search(r"\bP\s*\d", (line.text or "")[5:]):
                amounts.pop("pairing_bye", None)
        table = replace(MATCH_POINTS, **amounts)  # type: ignore[arg-type]  # none of them is places
        if "pairing_bye" not in amounts:
            table = replace(table, pairing_bye=table.draw)
        bye = None
        if self._records.bye is not None:
            table, bye = replace(table, pairing_bye=self._records.bye[0]), self._records.bye[1]
        for award in self._records.awards:
            if award.code in UNPLAYED and not award.round and not award.teams:
                table = replace(table, **{UNPLAYED[award.code]: award.match})  # type: ignore[arg-type]  # as above
        return table, bye

    def _list_added(self, team: int) -> list[tuple[tuple[int, Fraction], ...]]:
        """Return the match points and the board points that were added, each with its round."""
        own = [award for award in self._records.awards if not award.code and team in award.teams]
        last = max(self._document.planned_rounds, self._rounds)
        rounds = [last if award.round == AT_THE_END else award.round for award in own]
        return [
            tuple((at, points) for at, points in zip(rounds, amounts, strict=True) if points)
            for amounts in ([award.match for award in own], [award.board for award in own])
        ]

    def _get_cell(self, player: int, number: int) -> TrfCell:
        found = self._document.players.get(player)
        return (found.get_cell(number) if found else None) or TrfCell()

    def _list_players(self, team: int, number: int) -> list[int]:
        """Return the players of a team who had a board in a round, in the order of the boards."""
        order = self._records.orders.get((number, team))
        if order is not None:
            return order
        return [player for player in self._teams[team].players if _has_board(self._get_cell(player, number))]

    def _list_matches(self, number: int) -> Iterator[FixtureData]:
        """Yield the matches of a round, by the number of the team that is lower."""
        done: set[int] = set()
        for at, first, second, places in self._records.forfeits:
            if at == number and not {first, second} & done and {first, second} <= self._teams.keys():
                done |= {first, second}
                sides = self._list_players(first, number), self._list_players(second, number)
                self._keep_line_up(number, first, zip_longest(sides[0], sides[1], fillvalue=0))
                yield FixtureData((Seat(first, places[0]), Seat(second, places[1])), "forfeit")
        for team in sorted(self._teams):
            if team in done:
                continue
            opponents = Counter(
                self._team_of[cell.opponent]
                for player in self._list_players(team, number)
                if (cell := self._get_cell(player, number)).opponent in self._team_of
            )
            opponents.pop(team, None)
            if opponents:
                other = opponents.most_common(1)[0][0]
                done |= {team, other}
                yield self._build_match(number, team, other)

    def _build_match(self, number: int, team: int, other: int) -> FixtureData:
        rows = self._align(number, self._list_players(team, number), self._list_players(other, number))
        if not self._is_first(number, rows):
            rows, team, other = [(second, first) for first, second in rows], other, team
        self._keep_line_up(number, team, rows)
        boards, played = [], False
        for row in rows[: self._boards]:
            cells = [self._get_cell(player, number) if player else TrfCell() for player in row]
            played = played or any(cell.opponent and cell.result not in ("+", "-", "") for cell in cells)
            boards.append((self._get_points(cells[0]), self._get_points(cells[1])))
        first, second = (sum((board[seat] for board in boards), Fraction(0)) for seat in (0, 1))
        if not played and any(
            self._get_cell(player, number).result in ("", "?") for row in rows for player in row if player
        ):
            return FixtureData((Seat(team), Seat(other)), "planned")
        # Without play, points of both sides are those of a match.
        kind = "played" if played or (first and second) else "forfeit"
        places = (1 if first >= second and first else 2, 1 if second >= first and second else 2)
        seats: tuple[Seat, ...] = (Seat(team, places[0], first), Seat(other, places[1], second))
        if kind == "played" and not (first or second):
            # Each lost on all boards.
            seats = tuple(seat._replace(place=1, points=Fraction(0)) for seat in seats)
        return FixtureData(seats, kind, boards=tuple(boards))  # type: ignore[arg-type]  # one of the kinds

    def _keep_line_up(self, number: int, team: int, rows: Iterable[tuple[int, int]]) -> None:
        self._line_ups[number, team] = [
            (self._find_present(number, first), self._find_present(number, second))
            for first, second in islice(rows, self._boards)
        ]

    def _find_present(self, number: int, player: int) -> int:
        """Return the player, 0 for one who lost without an opponent: the seat was empty."""
        cell = self._get_cell(player, number) if player else TrfCell()
        return 0 if cell.result == "-" and not cell.opponent else player

    def _get_points(self, cell: TrfCell) -> Fraction:
        name = GAME_POINTS.get(cell.result, "")
        points: Fraction = getattr(self._points, name) if name else Fraction(0)
        return points

    def _align(self, number: int, first: Sequence[int], second: Sequence[int]) -> list[tuple[int, int]]:
        """Return the boards of a match: a player of each team, 0 for an empty seat."""
        rows: list[tuple[int, int]] = []
        left, right = list(first), list(second)
        while left or right:
            one, other = (left or [0])[0], (right or [0])[0]
            opponent = self._get_cell(one, number).opponent if one else 0
            if opponent and opponent in right:
                # Who is before the opponent, and has none, sat alone; others sat out of order.
                at = right.index(opponent)
                alone = [player for player in right[:at] if self._get_cell(player, number).opponent not in left]
                rows += [(0, player) for player in alone if player]
                rows.append((one, opponent))
                left, right = left[1:], [player for player in right if player not in (opponent, *alone)]
            elif other and (facing := self._get_cell(other, number).opponent) and facing in left:
                rows.append((one, 0))
                left = left[1:]
            else:
                rows.append((one, other))
                left, right = left[1:], right[1:]
        return rows

    def _is_first(self, number: int, rows: Sequence[tuple[int, int]]) -> bool:
        """Return whether the first team of the rows has the colours of the first team."""
        for at, row in enumerate(rows):
            wanted = self._colours[at % len(self._colours)].lower()
            colours = [self._get_cell(player, number).colour if player else "" for player in row]
            if colours[0] or colours[1]:
                return colours[0] == wanted or bool(colours[1] and colours[1] != wanted)
        return True

    def _find_bye(self, team: int, number: int) -> ByeKind:
        """Return the bye of a team without a match."""
        if (stated := self._records.byes.get((number, team))) is not None:
            return stated
        results = Counter(
            cell.result
            for player in self._teams[team].players
            if (cell := self._get_cell(player, number)).result in BYES
        )
        results.pop("Z", None)
        return BYES[results.most_common(1)[0][0]] if results else "zero_bye"

    def _award(self, number: int, fixture: FixtureData) -> FixtureData:
        """Return a match with the points that an arbiter gave."""
        given = {team: award for award in self._records.awards
                 if award.code and award.round == number for team in award.teams}  # fmt: skip
        seats = tuple(
            seat._replace(points=given[seat.entry].match, score=given[seat.entry].board)
            if seat.entry in given
            else seat
            for seat in fixture.seats
        )
        return replace(fixture, seats=seats)


def _has_board(cell: TrfCell) -> bool:
    return bool(cell.opponent) or cell.result in ("+", "-")


class _TeamLine:
    """A line of teams by its columns. ``is_readable``: until something in it is missing or unreadable."""

    def __init__(self, text: str) -> None:
        self.text, self.is_readable = text, True

    def report(self, column: int, code: str, **values: object) -> None:
        """Note that something is not what it should be."""
        self.is_readable = False

    def require(self, *values: object) -> None:
        """Note that something is missing, if one of the values is."""
        self.is_readable = self.is_readable and all(values)

    def get_number(self, first: int, last: int) -> int:
        """Return the whole number in some columns, 0 without one."""
        return read_whole(self.text, first, last, self.report) or 0

    def get_points(self, first: int, last: int) -> Fraction:
        """Return the points in some columns, 0 without any."""
        return read_points(self.text, first, last, self.report) or Fraction(0)

    def get_numbers(self, first: int) -> tuple[int, ...]:
        """Return the numbers from a column on, without zeros."""
        return read_numbers(self.text, first, self.report)

    def list_starts(self, first: int, width: int) -> range:
        """Return where fields of a width begin, from a column to the end of the line."""
        return range(first, len(self.text.rstrip()) + 1, width)


def list_bye_rounds(document: TrfDocument) -> set[int]:
    """Return the rounds in which lines 240 and 320 give a team a bye."""
    return {number for number, _team in _read_records(document).byes}


def check_team_lines(document: TrfDocument) -> list[TrfProblem]:
    """Return a warning for each line of teams that cannot be read, of an event of teams."""
    collector = TrfProblemCollector()
    for number in _read_records(document).unread if document.of_teams else ():
        collector.report(number, 0, "team_unread")
    return collector.problems


def _read_records(document: TrfDocument) -> _TeamRecords:
    """Return what lines 300, 320, 330, 240 and 299 say; what is unreadable in them says nothing."""
    records = _TeamRecords()
    for line in document.lines:
        reader = READERS.get(line.tag)
        if reader is not None:
            columns = _TeamLine(line.text or "")
            reader(records, columns)
            if not columns.is_readable:
                records.unread.append(line.number)
    return records


def _read_300(records: _TeamRecords, line: _TeamLine) -> None:
    """Read who sat on which board: 0 is an empty seat."""
    number, team = line.get_number(5, 7), line.get_number(9, 11)
    records.orders[number, team] = [line.get_number(start, start + 3) for start in line.list_starts(17, 5)]
    line.require(number, team)


def _read_320(records: _TeamRecords, line: _TeamLine) -> None:
    """Read the pairing-allocated byes: the points, then a team for each round."""
    records.bye = line.get_points(5, 8), line.get_points(10, 13)
    for number, start in enumerate(line.list_starts(15, 4), 1):
        if team := line.get_number(start, start + 2):
            records.byes[number, team] = "pairing_bye"


def _read_330(records: _TeamRecords, line: _TeamLine) -> None:
    """Read a match that was forfeited as a whole."""
    places = FORFEITED.get(line.text[4:6].upper())
    number, first, second = line.get_number(8, 10), line.get_number(12, 14), line.get_number(16, 18)
    if places and first and second:
        records.forfeits.append((number, first, second, places))
    line.require(places, number, first, second)


def _read_240(records: _TeamRecords, line: _TeamLine) -> None:
    """Read the byes that teams asked for."""
    kind, number, teams = BYES.get(line.text[4:5].upper()), line.get_number(7, 9), line.get_numbers(10)
    for team in teams if kind else ():
        records.byes[number, team] = kind or "zero_bye"
    line.require(kind, teams)


def _read_299(records: _TeamRecords, line: _TeamLine) -> None:
    """Read match points and board points that an arbiter gave."""
    number, teams = line.get_number(20, 22), line.get_numbers(23)
    code = line.text[4:5].strip().upper()
    records.awards.append(TeamAward(code, line.get_points(8, 11), line.get_points(14, 17), number, teams))


READERS = {"300": _read_300, "320": _read_320, "330": _read_330, "240": _read_240, "299": _read_299}
