"""A competition of teams as a tournament report file: players with their games, lines 310 and what goes with them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ratings.contract.competition import ByeKind, CompetitionData, FixtureData, PointsTable
from ratings.contract.result_table import tabulate_results
from ratings.contract.tie_break import select_score
from ratings.standings.tie_break_codes import write_listed_code
from ratings.trf.building import LINE_END, list_header
from ratings.trf.competition import TrfCompetition
from ratings.trf.document import TrfCell, TrfColumns, TrfDocument, TrfLine, TrfPlayer, TrfTeam, TrfText, TrfValue
from ratings.trf.points import GAME_POINTS, format_points
from ratings.trf.teams import COLOURS

#: Format -> texts of lines 092 and 192; teams of a Swiss system are paired like single players.
KINDS = {
    "swiss": ("Team: Swiss-System", "CUSTOM_TEAM_SWISS_{score}"),
    "round_robin": ("Team: Round-Robin", "BERGER_TEAM_ROUNDROBIN"),
    "free": ("Team: Free fixtures", ""),
}
#: Codes of line 362 -> points of matches.
MATCH_CODES = {"W": "win", "D": "draw", "L": "loss", "P": "pairing_bye"}
#: Places of a match without play -> its code in line 330.
FORFEITS = {(1, 2): "+-", (2, 1): "-+", (2, 2): "--"}


@dataclass(frozen=True)
class TrfBoard:
    """A board of a match: start numbers of both players, White first, 0 for an empty seat; and their results."""

    round: int
    players: tuple[int, int]
    results: tuple[str, str]


@dataclass(frozen=True)
class TrfTeamReport:
    """What a report of teams is made of.

    ``head``: the tournament and all players, without rounds; its points are those of boards. ``data``: of the teams.
    ``line_ups``: round, team and opponent -> start numbers by board, 0 for an empty seat. ``byes``: round, team and
    kind of those in rounds to come.
    """

    head: TrfCompetition
    data: CompetitionData
    teams: Sequence[TrfTeam]
    boards: Sequence[TrfBoard]
    line_ups: Mapping[tuple[int, int, int], Sequence[int]]
    byes: Sequence[tuple[int, int, ByeKind]] = ()


def build_team_document(report: TrfTeamReport, ranks: Mapping[int, int]) -> TrfDocument:
    """Return the document of a competition of teams; ``ranks``: of the standings, by team."""
    values: list[tuple[str, TrfValue]] = [
        *_list_head(report),
        *(("001", player) for player in _list_players(report)),
        *(("310", team) for team in _list_teams(report, ranks)),
        *_list_matches(report),
        *_list_awards(report.data),
    ]
    return TrfDocument(tuple(TrfLine(tag, value, end=LINE_END) for tag, value in values))


def _list_head(report: TrfTeamReport) -> Iterator[tuple[str, TrfValue]]:
    teams = report.data.teams
    assert teams is not None
    kind, code = KINDS.get(report.head.format.key, ("", ""))
    if report.head.format.double:
        kind, code = "Team: Double Round-Robin", "BERGER_TEAM_DOUBLEROUNDROBIN"
    score = "MP" if teams.primary == "match" else "GP"
    codes = ["MPTS" if score == "MP" else "GPTS", *map(write_listed_code, report.head.tie_breaks)]
    own: dict[str, TrfValue] = {"092": TrfText(kind), "212": TrfText(",".join(dict.fromkeys(codes)))}
    if code:
        own["192"] = TrfText(code.format(score=score))
    for tag, value in list_header(replace(report.head, tie_breaks=()), "26"):
        if tag == "092":
            yield "082", TrfText(str(len(report.teams)))
        if tag != "192":
            yield tag, own.pop(tag, value)
    yield from sorted(own.items())
    yield "352", TrfColumns((COLOURS * teams.boards)[: teams.boards])
    table = report.data.points
    amounts = [(code, getattr(table, name)) for code, name in MATCH_CODES.items()]
    yield "362", TrfColumns(" " + "    ".join(f"{code}{format_points(points):>4}" for code, points in amounts))


def _list_players(report: TrfTeamReport) -> Iterator[TrfPlayer]:
    """Yield the lines of players, whose points are those of their boards."""
    rounds = len(report.data.rounds)
    cells: dict[int, list[TrfCell]] = {player.number: [TrfCell(0, "", "Z")] * rounds for player in report.head.players}
    for board in report.boards:
        for seat, (number, result) in enumerate(zip(board.players, board.results, strict=True)):
            if number:
                opponent = board.players[1 - seat]
                cells[number][board.round - 1] = TrfCell(opponent, "wb"[seat] if opponent else "", result)
    table: PointsTable = report.head.data.points
    for player in report.head.players:
        own = cells[player.number]
        points = sum(
            (getattr(table, GAME_POINTS[cell.result]) for cell in own if cell.result in GAME_POINTS), Fraction()
        )
        yield replace(player, rounds=tuple(own), points=points)


def _list_teams(report: TrfTeamReport, ranks: Mapping[int, int]) -> Iterator[TrfTeam]:
    table = tabulate_results(report.data)
    match, board = select_score(table, "match"), select_score(table, "board")
    for team in report.teams:
        yield replace(
            team,
            points=Fraction(match.points[team.number], match.scale),
            board_points=Fraction(board.points[team.number], board.scale),
            rank=ranks.get(team.number),
        )


def _list_matches(report: TrfTeamReport) -> Iterator[tuple[str, TrfValue]]:
    """Yield who sat out of order, byes, and matches that were forfeited as a whole."""
    for (number, team, opponent), players in sorted(report.line_ups.items()):
        # An empty seat before others would let them move up.
        if 0 in players and any(players[players.index(0) :]):
            row = " ".join(f"{player:4}" for player in players)
            yield "300", TrfColumns(f"{number:3} {team:3} {opponent:3} {row}")
    byes = [_find_bye(one.fixtures, "pairing_bye") for one in report.data.rounds]
    if any(byes):
        points = report.data.points.pairing_bye
        boards = _get_bye_boards(report.data)
        rounds = "".join(f" {bye:3}" for bye in byes)
        yield "320", TrfColumns(f"{format_points(points):>4} {format_points(boards):>4}{rounds}")
    for one in report.data.rounds:
        for fixture in one.fixtures:
            if fixture.kind == "forfeit" and not _has_pair(report, one.number, fixture):
                first, second = fixture.seats
                code = FORFEITS[first.place, second.place]
                yield "330", TrfColumns(f"{code} {one.number:3} {first.entry:3} {second.entry:3}")
            elif fixture.kind in ("full_bye", "half_bye"):
                yield "240", _build_bye(one.number, fixture.seats[0].entry, fixture.kind)
    for number, team, kind in report.byes:
        yield "240", _build_bye(number, team, kind)


def _list_awards(data: CompetitionData) -> Iterator[tuple[str, TrfValue]]:
    """Yield the match points that an arbiter gave for a match, and those that were added to a team's."""
    for one in data.rounds:
        for fixture in one.fixtures:
            for at, seat in enumerate(fixture.seats):
                boards = sum((board[at] for board in fixture.boards), Fraction())
                # Without points on any board both lose, as every reader finds.
                if seat.points is not None and (seat.points or any(map(any, fixture.boards))):
                    places = [other.place for other in fixture.seats]
                    code = "L" if seat.place != 1 else "W" if len(set(places)) > 1 else "D"
                    yield "299", _build_award(code, seat.points, boards, one.number, seat.entry)
    for entry in data.entries:
        for number, added in entry.added:
            yield "299", _build_award(" ", added, Fraction(), number, entry.number)


def _build_award(code: str, match: Fraction, boards: Fraction, number: int, team: int) -> TrfColumns:
    return TrfColumns(f"{code}  {format_points(match):>4}  {format_points(boards):>4}  {number:3} {team:4}")


def _build_bye(number: int, team: int, kind: str) -> TrfColumns:
    return TrfColumns(f"{kind[0].upper()} {number:03} {team:4}")


def _find_bye(fixtures: Sequence[FixtureData], kind: str) -> int:
    return next((fixture.seats[0].entry for fixture in fixtures if fixture.kind == kind), 0)


def _get_bye_boards(data: CompetitionData) -> Fraction:
    assert data.teams is not None
    return data.teams.build_match_table().pairing_bye


def _has_pair(report: TrfTeamReport, number: int, fixture: FixtureData) -> bool:
    """Return whether two players of a match met, if only by a forfeit."""
    squads = {team.number: set(team.players) for team in report.teams}
    first, second = (squads[seat.entry] for seat in fixture.seats)
    return any(
        all(board.players) and not first.isdisjoint(board.players) and not second.isdisjoint(board.players)
        for board in report.boards
        if board.round == number
    )
