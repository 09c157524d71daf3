"""Compares the points and ranks of the teams of a tournament report with those that the boards give."""

from collections.abc import Collection, Iterator
from fractions import Fraction

from ratings.contract.competition import ScoreName
from ratings.contract.result_table import tabulate_results
from ratings.contract.tie_break import select_score
from ratings.texts import N_, say
from ratings.tournaments.findings import TournamentFinding
from ratings.tournaments.places import check_places
from ratings.trf.document import TrfDocument
from ratings.trf.points import format_points
from ratings.trf.teams import TrfTeamCompetition

PLACE = N_("Team {player} has rank {rank}; the results give {expected} ({values}).")
POINTS: dict[ScoreName, str] = {
    "match": N_("Team {team} has {points} match points in the file; the results give {computed}."),
    "board": N_("Team {team} has {points} board points in the file; the results give {computed}."),
}


def check_teams(
    document: TrfDocument, teams: TrfTeamCompetition, left_out: Collection[int]
) -> tuple[int, list[TournamentFinding]]:
    """Return the number of ranks that were compared, and the points and ranks of teams that do not follow."""
    ranks = {number: team.rank for number, team in teams.teams.items() if team.rank}
    places, found = check_places(document, teams.data, teams.tie_breaks, ranks, teams.lines, PLACE, left_out=left_out)
    return places, [*_list_points(teams), *found]


def _list_points(teams: TrfTeamCompetition) -> Iterator[TournamentFinding]:
    if not teams.data.rounds:
        return
    tables = {score: select_score(tabulate_results(teams.data), score) for score in POINTS}
    for number, team in teams.teams.items():
        stated: dict[ScoreName, Fraction | None] = {"match": team.points, "board": team.board_points}
        for score, points in stated.items():
            computed = Fraction(tables[score].points[number], tables[score].scale)
            if points is not None and points != computed:
                sentence = say(
                    POINTS[score], team=number, points=format_points(points), computed=format_points(computed)
                )
                yield TournamentFinding(0, teams.lines[number], "points_differ", sentence)
