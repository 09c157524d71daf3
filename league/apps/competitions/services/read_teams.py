"""The teams of a tournament report as what is imported: squads, matches, and who sat on which board."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.models import MAX_SIDE, MAX_SQUAD, Entry
from league.apps.competitions.services.imported_competition import (
    FROM_FILE,
    ImportedEntry,
    ImportedFixture,
    ImportedRound,
    ImportWarning,
    name_person,
)
from league.apps.competitions.services.setting_rules import TEAM_FORMATS
from ratings.contract.competition import EntryData, FixtureData, Seat, TeamRules
from ratings.trf.competition import TrfCompetition
from ratings.trf.document import TrfDocument, TrfPlayer
from ratings.trf.teams import TrfTeamCompetition, read_teams

MAX_NAME = Entry._meta.get_field("name").max_length
#: Two players of a file who met in a round -> their game.
Games = Mapping[tuple[int, frozenset[int]], FixtureData]


class TeamFile:
    """A competition of teams in a file, with the games of its players."""

    def __init__(self, competition: TrfCompetition, teams: TrfTeamCompetition, lines: Mapping[int, int]) -> None:
        assert teams.data.teams is not None
        self.teams, self.rules = teams, teams.data.teams
        self._competition, self._lines = competition, lines
        self._games: Games = {
            (one.number, frozenset(seat.entry for seat in game.seats)): game
            for one in competition.data.rounds
            for game in one.fixtures
            if len(game.seats) > 1
        }
        self._places = {
            player: (number, place)
            for number, team in teams.teams.items()
            for place, player in enumerate(team.players, start=1)
        }

    def is_whole(self) -> bool:
        """Return whether the squads have everyone who played, once, and each game is on a board of a match."""
        squads = [team.players for team in self.teams.teams.values()]
        listed = [player for squad in squads for player in squad]
        met, open_pairs = set[tuple[int, frozenset[int]]](), set[tuple[int, frozenset[int]]]()
        for one in self.teams.data.rounds:
            for match in one.fixtures:
                rows = self.teams.line_ups.get((one.number, match.seats[0].entry), ())
                pairs = {(one.number, frozenset(row)) for row in rows if all(row)}
                if match.kind == "planned":
                    open_pairs |= pairs
                else:
                    met |= pairs
        return (
            self.teams.format.key in TEAM_FORMATS
            and 2 <= self.rules.boards <= MAX_SIDE
            and all(0 < len(squad) <= MAX_SQUAD for squad in squads)
            and len(set(listed)) == len(listed)
            and {player.number for player in self._competition.players}.issuperset(listed)
            and met <= self._games.keys() <= met | open_pairs
        )

    def write_settings(self) -> dict[str, Any]:
        """Return the settings that only a competition of teams has."""
        rules: TeamRules = self.rules
        points = {"win": rules.points.win, "draw": rules.points.draw, "loss": rules.points.loss, "bye": rules.bye}
        stated = {name: None if value is None else float(value) for name, value in points.items()}
        return {"sides_of": rules.boards, "teams": {"primary": rules.primary, **stated}}

    def list_tie_breaks(self) -> list[str]:
        """Return the codes behind the points that come first."""
        first, other = ("MPTS", "GPTS") if self.rules.primary == "match" else ("GPTS", "MPTS")
        return ["MPVGP" if code == other else code for code in self.teams.tie_breaks if code != first]

    def list_warnings(self) -> Iterator[ImportWarning]:
        """Yield what is not imported of the teams."""
        given = {entry.number for entry in self.teams.data.entries if entry.added_boards}
        for one in self.teams.data.rounds:
            for fixture in one.fixtures:
                sums = [sum(board[seat] for board in fixture.boards) for seat in range(len(fixture.seats))]
                given |= {
                    seat.entry
                    for seat, points in zip(fixture.seats, sums, strict=True)
                    if fixture.boards and seat.score != points
                }
        for number in sorted(given):
            message = _("Board points that the file gives {team} without a game are not imported.")
            name = self.teams.teams[number].name
            yield ImportWarning(self.teams.lines[number], 0, "board_points", message.format(team=name))

    def list_entries(self) -> Iterator[ImportedEntry]:
        """Yield the teams with their squads."""
        players = {player.number: player for player in self._competition.players}
        paired = len(self.teams.data.rounds)
        for data in self.teams.data.entries:
            team = self.teams.teams[data.number]
            people = tuple(name_person(players[number], self._lines[number]) for number in team.players)
            byes = tuple((at, kind) for (at, of), kind in self.teams.byes.items() if of == data.number and at > paired)
            yield ImportedEntry(data.number, people, _build_row(team.name, data), byes=byes)

    def list_rounds(self) -> Iterator[ImportedRound]:
        """Yield the rounds with their matches and byes."""
        days = self._competition.round_days
        for one in self.teams.data.rounds:
            table, fixtures = 0, []
            for fixture in one.fixtures:
                line = self.teams.lines[fixture.seats[0].entry]
                if len(fixture.seats) == 1:
                    fixtures.append(ImportedFixture(fixture.seats, fixture.kind, line=line))
                    continue
                table += 1
                boards = tuple(self._list_boards(one.number, fixture, line))
                fixtures.append(
                    ImportedFixture(
                        fixture.seats,
                        fixture.kind,
                        table=table,
                        line=line,
                        adjourned=any(board.adjourned for board in boards),
                        boards=boards,
                    )
                )
            day = days[one.number - 1] if one.number <= len(days) else None
            yield ImportedRound(one.number, tuple(fixtures), day)

    def _list_boards(self, number: int, match: FixtureData, line: int) -> Iterator[ImportedFixture]:
        """Yield the boards of a match; none if nobody knows yet who will sit there."""
        first, second = (seat.entry for seat in match.seats)
        rows: Sequence[tuple[int, int]] = self.teams.line_ups.get((number, first), ())
        if match.kind == "planned" and not any(map(any, rows)):
            return
        nobody: list[int | None] = [0, 0]
        if match.kind == "planned":
            # Of a team that named somebody, a seat opposite somebody is empty.
            nobody = [0 if any(row[seat] for row in rows) else None for seat in (0, 1)]
        elif not match.boards and match.kind == "forfeit":
            # Forfeited as a whole: who wins may have brought others than the file names, too.
            nobody = [None if seat.place == 1 else 0 for seat in match.seats]
        for board in range(1, self.rules.boards + 1):
            players = rows[board - 1] if board <= len(rows) else (0, 0)
            if match.kind == "planned" and not any(players):
                nobody = [None, None]
            game = self._games.get((number, frozenset(players))) if all(players) else None
            if game is not None:
                yield self._build_game(number, game)
                continue
            sides = zip((first, second), players, nobody, strict=True)
            seats = [(Seat(team), self._places[player][1] if player else other) for team, player, other in sides]
            if not self.teams.is_first(board):
                seats.reverse()
            yield ImportedFixture(
                tuple(seat for seat, _member in seats),
                "planned",
                line=line,
                members=tuple(member for _seat, member in seats),
            )

    def _build_game(self, number: int, game: FixtureData) -> ImportedFixture:
        """Return a board at which two players sat, White first."""
        places = [self._places[seat.entry] for seat in game.seats]
        return ImportedFixture(
            tuple(seat._replace(entry=team) for seat, (team, _place) in zip(game.seats, places, strict=True)),
            game.kind,
            rated=(number, game.seats[0].entry) not in self._competition.unrated,
            line=self._lines[game.seats[0].entry],
            adjourned=game.adjourned,
            members=tuple(place for _team, place in places),
        )


def find_teams(document: TrfDocument, competition: TrfCompetition) -> TeamFile | None:
    """Return the teams of a file if they can be imported with their boards."""
    teams = read_teams(document)
    if teams is None:
        return None
    lines = {line.value.number: line.number for line in document.lines if isinstance(line.value, TrfPlayer)}
    found = TeamFile(competition, teams, lines)
    return found if found.is_whole() else None


def _build_row(name: str, data: EntryData) -> Entry:
    row = Entry(name=" ".join(name.split())[:MAX_NAME], rating=data.rating)
    row.added_points = [{"round": number, "points": str(points), "reason": FROM_FILE} for number, points in data.added]
    return row
