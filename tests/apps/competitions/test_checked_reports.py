"""``rungs check`` agrees with the site's own reports: what an arbiter changed by hand is in their remarks."""

from fractions import Fraction

import pytest

from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.pairing_checks import list_outdated_pairings
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry
from league.apps.competitions.services.rounds import make_round
from league.core.errors import Invalid
from league.core.verify.run import verify_league
from ratings.tournaments.checking import check_text
from tests.helpers.builders import FOUR, make_league
from tests.helpers.changed_competitions import ChangedCompetition
from tests.helpers.desk_client import sign_in_member
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition
from tests.helpers.tiers import long_way, mark_slow
from tests.ratings.tournaments.report_cells import read_cells, write_cell

pytestmark = pytest.mark.django_db
#: Seeds whose competitions have rounds by hand, late corrections, adjourned games and points by decision.
SEEDS = [0, 37, 111, 207, 210, *range(300, 340)]


def draw_report(seed: int) -> str:
    """Return the report of a drawn competition with changes by hand."""
    drawn = ChangedCompetition(seed)
    drawn.play()
    return export_report(loaded_cup(drawn.league), with_remarks=True).decode().replace("\r\n", "\n")


@long_way
@pytest.mark.parametrize("seed", mark_slow(SEEDS, "Competitions with a database; one is held.", but=(0,)))
def test_a_report_with_changes_by_hand_agrees_and_a_planted_fault_is_found(seed: int) -> None:
    text = draw_report(seed)
    assert text.count("### ") > 5
    assert [one.locate() for one in check_text(text).differences] == []
    # Two games of a round exchange their Black players; each result goes with the colour.
    for number in range(1, 6):
        cells = read_cells(text)
        games = [(one, row[number - 1]) for one, row in cells.items() if row[number - 1].colour == "w"]
        (white, first), (other_white, other) = games[:2]
        planted = text
        for player, opponent, source in (
            (white, other.opponent, white), (other.opponent, white, first.opponent),
            (other_white, first.opponent, other_white), (first.opponent, other_white, other.opponent),
        ):  # fmt: skip
            cell = cells[source][number - 1]._replace(opponent=opponent)
            planted = write_cell(planted, player, number, cell)
        found = check_text(planted)
        assert number in {one.round for one in found.differences if one.code in ("pairing_differs", "remark_differs")}


@long_way
def test_a_late_entry_has_half_a_point_for_a_missed_round_and_no_pairing_changes() -> None:
    league = make_league(players=(*FOUR, "eva", "finn"), game="Chess")
    run_competition(league, FOUR, rounds=3, parameters={"first_colour": "white"}, tie_breaks=["BH"])
    for number in (1, 2):
        play_round(league, number, (1, 0), (1, 0))
    desk, address = sign_in_member("olga", "arbiter", league), "/admin/leagues/club/competitions/cup/entries/"
    assert "Half-point bye in a round that was missed" in desk.get(address).content.decode()
    assert desk.post(address, {"player": ["eva"], "lines": "", "missed": "1"}).status_code == 302
    (late,) = add_entries(league.pk, "cup", [NewEntry(["finn"], byes=[{"round": 2, "kind": "half_bye"}])], by="olga")
    with pytest.raises(Invalid, match="has been made"):
        change_entry(league.pk, "cup", late.number, {"byes": []}, by="olga")
    loaded = loaded_cup(league)
    points = {row.entry: row.points for row in compute_standings(loaded).rows}
    assert points[5] == points[6] == Fraction(1, 2)
    assert list_outdated_pairings(loaded) == []
    text = export_report(loaded, with_remarks=True).decode()
    assert "### MPA @ Round 1: 5 H, after the pairing of round 2" in text
    assert [one.locate() for one in check_text(text).differences] == []
    make_round(league.pk, "cup", by="olga")
    assert {5, 6} <= {entry for one in loaded_cup(league).list_fixtures(3) for entry in one.entries}
    assert verify_league(league.pk).state == "is right"
