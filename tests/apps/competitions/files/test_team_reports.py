"""Tournament reports of teams: what is written is read as the same standings, here and by FIDE's checker."""

import pytest

from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.standings import compute_standings
from ratings.standings.ranking import rank_standings
from ratings.tournaments.checking import check_text
from ratings.trf.reading import read_text
from ratings.trf.teams import read_teams
from tests.helpers.team_cups import load, make_swiss_cup
from tests.helpers.team_texts import ask_checker

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
    checked = ask_checker(text, ["MPTS" if primary == "match" else "GPTS", "MPVGP"], round_robin=False)
    assert {team: values for team, (_rank, values) in checked.items()} == {
        entry: values[:2] for entry, (_rank, values) in rows.items()
    }
