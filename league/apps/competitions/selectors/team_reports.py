"""A competition of teams as the data of a tournament report."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.report_head import list_days, read_head
from league.apps.competitions.selectors.standings import compute_standings
from league.core.errors import Refused
from league.models import ExternalId
from ratings.contract.competition import CompetitionData
from ratings.person_names import put_surname_first
from ratings.trf.competition import TrfCompetition
from ratings.trf.document import TrfDocument, TrfPlayer, TrfTeam
from ratings.trf.formats import TrfFormat
from ratings.trf.team_building import TrfBoard, TrfTeamReport, build_team_document

#: Places of a board that was played -> the results of both seats.
RESULTS = {(1, 2): ("1", "0"), (2, 1): ("0", "1"), (1, 1): ("=", "=")}


def build_team_report(loaded: LoadedCompetition) -> TrfDocument:
    """Return the report of a competition of teams; raises Refused for matches without a round."""
    if any(fixture.round is None for fixture in loaded.fixtures if fixture.status != "cancelled"):
        raise Refused(_("The format has rounds only. Give each match a round, or export CSV or JSON."))
    numbers: dict[tuple[int, int], int] = {}
    for team, entry in loaded.entries.items():
        for place in range(1, len(entry.survivors) + 1):
            numbers[team, place] = len(numbers) + 1
    matches = [one for one in loaded.hide_unpublished().fixtures if one.boards and one.status != "cancelled"]
    teams = [
        TrfTeam(
            loaded.name(team),
            tuple(numbers[team, place] for place in range(1, len(entry.survivors) + 1)),
            team,
            strength=entry.rating,
        )
        for team, entry in loaded.entries.items()
    ]
    report = TrfTeamReport(
        _build_head(loaded, numbers),
        loaded.data,
        teams,
        [_build_board(match, board, numbers) for match in matches for board in match.boards],
        dict(item for match in matches for item in _list_line_ups(match, numbers)),
        [
            (bye["round"], team, bye["kind"])
            for team, entry in loaded.entries.items()
            for bye in entry.byes
            if bye["round"] > len(loaded.data.rounds)
        ],
    )
    return build_team_document(report, {row.entry: row.rank for row in compute_standings(loaded).rows})


def _build_head(loaded: LoadedCompetition, numbers: Mapping[tuple[int, int], int]) -> TrfCompetition:
    competition, teams = loaded.competition, loaded.data.teams
    assert teams is not None
    ids = dict(ExternalId.objects.filter(provider="fide", player__in=loaded.people).values_list("player", "value"))
    players = []
    for (team, place), number in numbers.items():
        person = loaded.entries[team].survivors[place - 1]
        players.append(TrfPlayer(number, put_surname_first(person.name), fide_id=ids.get(person.pk, "")[:11]))
    starts, ends = list_days(competition)
    rounds = loaded.data.rounds
    head: dict[str, Any] = {name: stated for name, (stated, _read) in read_head(competition).items()}
    return TrfCompetition(
        competition.title,
        CompetitionData((), rounds, teams.points, planned_rounds=loaded.planned_rounds),
        tuple(players),
        TrfFormat(competition.format, competition.parameters.get("turns") == "double"),
        competition.venue,
        starts=starts,
        ends=ends,
        tie_breaks=tuple(competition.tie_breaks),
        **head,
    )


def _build_board(match: FixtureState, board: FixtureState, numbers: Mapping[tuple[int, int], int]) -> TrfBoard:
    seats: Any = zip(board.entries, board.members, strict=True)
    white, black = (numbers.get((team, member or 0), 0) for team, member in seats)
    return TrfBoard(match.round or 0, (white, black), _list_results(board))


def _list_results(board: FixtureState) -> tuple[str, str]:
    places: Sequence[int] = [seat.place for seat in board.data.seats]
    if board.status == "forfeited":
        first, second = ("+" if place == 1 else "-" for place in places)
        return first, second
    if board.status != "played":
        return "", ""
    awarded = [seat.points for seat in board.data.seats]
    if None not in awarded and awarded[0] != awarded[1]:
        return ("=", "0") if (awarded[0] or 0) > (awarded[1] or 0) else ("0", "=")
    if None not in awarded and not awarded[0]:
        return "0", "0"
    return RESULTS[places[0], places[1]]


def _list_line_ups(
    match: FixtureState, numbers: Mapping[tuple[int, int], int]
) -> list[tuple[tuple[int, int, int], list[int]]]:
    first, second = match.entries
    found = []
    for team, opponent in ((first, second), (second, first)):
        members = [dict(zip(board.entries, board.members, strict=True))[team] for board in match.boards]
        found.append(((match.round or 0, team, opponent), [numbers.get((team, one or 0), 0) for one in members]))
    return found
