"""Tournament reports of teams: what is written is read as the same standings, here and by FIDE's checker."""

from fractions import Fraction
from typing import Any

import pytest
from gacrux.tiebreak import tiebreak
from gacrux.trf2json import trf2json

from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.competitions import start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.rounds import make_round, publish_round
from league.apps.competitions.services.team_matches import BoardResult, enter_match
from league.models import League
from ratings.standings.ranking import rank_standings
from ratings.tournaments.checking import check_text
from ratings.trf.reading import read_text
from ratings.trf.teams import read_teams
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition

pytestmark = pytest.mark.django_db
#: Line-ups and results of the matches of a round, in their order: somebody misses board 2, a team does not come.
ROUNDS: list[list[tuple[list[int], list[int], dict[int, BoardResult]]]] = [
    [
        ([1, 2, 4], [1, 2, 3], {1: BoardResult((1, 0)), 2: BoardResult((0.5, 0.5)), 3: BoardResult((0, 1))}),
        ([1, 0, 3], [1, 2, 3], {1: BoardResult((1, 0)), 3: BoardResult((0.5, 0.5))}),
    ],
    [
        ([1, 2, 3], [2, 3, 4], {1: BoardResult((0, 1)), 2: BoardResult(losers=(0,)), 3: BoardResult((1, 0))}),
        ([0, 0, 0], [1, 2, 3], {}),
    ],
]


def make_cup(**settings: Any) -> League:
    names = [f"{team}{place}" for team in "abcde" for place in range(1, 5)]
    league = make_league("elo", names, slug="club", game="Chess")
    teams: Any = {"sides_of": 3, "rounds": 2, "tie_breaks": ["MPVGP", "EDE", "EMGSB", "BC"], **settings}
    make_competition(league, "swiss", **teams)
    new = [NewEntry(names[4 * at : 4 * at + 4], name=f"Team {at + 1}", rating=2000 - at) for at in range(5)]
    add_entries(league.pk, "cup", new, by="test")
    start_competition(league.pk, "cup", by="test")
    for number, played in enumerate(ROUNDS, 1):
        make_round(league.pk, "cup", by="test")
        publish_round(league.pk, "cup", number, by="test")
        matches = [one for one in load(league).list_fixtures(number) if one.kind == "match"]
        for match, (first, second, results) in zip(matches, played, strict=True):
            line_ups = dict(zip(match.entries, (first, second), strict=True))
            own = {
                board: BoardResult(one.scores, tuple(match.entries[seat] for seat in one.losers))
                for board, one in results.items()
            }
            enter_match(league.pk, match.number, line_ups, own, by="test")
    return league


def load(league: League) -> Any:
    return load_competition(find_competition(league, "cup"))


@pytest.mark.parametrize("primary", ["match", "board"])
def test_a_report_of_teams_has_their_standings(primary: str) -> None:
    loaded = load(make_cup(teams={"primary": primary}))
    rows = {row.entry: (row.rank, list(row.values.values())) for row in compute_standings(loaded).rows}
    text = export_report(loaded).decode()
    found = read_teams(read_text(text))
    assert found is not None
    read = {
        row.entry: (row.rank, list(row.values.values())) for row in rank_standings(found.data, found.tie_breaks).rows
    }
    assert read == rows
    assert check_text(text).differences == []
    reader = trf2json()
    reader.parse_file(text, False)
    tournament = reader.get_tournament(1)
    codes = ["MPTS" if primary == "match" else "GPTS", "MPVGP"]
    parameters = {"tiebreak": codes, "check": False, "unrated": None, "pre_determined": False, "swiss": True}
    checked = tiebreak(tournament, -1, parameters).compute_tiebreaks(tournament, parameters)
    assert {line["cid"]: [Fraction(value) for value in line["tiebreakScore"]] for line in checked["competitors"]} == {
        entry: values[:2] for entry, (_rank, values) in rows.items()
    }
