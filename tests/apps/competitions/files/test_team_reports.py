"""Tournament reports of teams: what is written is read as the same standings, here and by FIDE's checker."""

from fractions import Fraction

import pytest
from gacrux.tiebreak import tiebreak
from gacrux.trf2json import trf2json

from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.standings import compute_standings
from ratings.standings.ranking import rank_standings
from ratings.tournaments.checking import check_text
from ratings.trf.reading import read_text
from ratings.trf.teams import read_teams
from tests.helpers.team_cups import load, make_swiss_cup

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("primary", ["match", "board"])
def test_a_report_of_teams_has_their_standings(primary: str) -> None:
    loaded = load(make_swiss_cup(teams={"primary": primary}))
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
