"""``rungs check`` agrees with the site's own reports: what an arbiter changed by hand is in their remarks."""

import pytest

from league.apps.competitions.selectors.exporting import export_report
from ratings.tournaments.checking import check_text
from tests.helpers.changed_competitions import ChangedCompetition
from tests.helpers.running_competitions import loaded_cup
from tests.helpers.tiers import mark_slow
from tests.ratings.tournaments.report_cells import read_cells, write_cell

pytestmark = pytest.mark.django_db
#: Seeds whose competitions have rounds by hand, late corrections, adjourned games and points by decision.
SEEDS = [0, 37, 111, 207, 210, *range(300, 340)]


def draw_report(seed: int) -> str:
    """Return the report of a drawn competition with changes by hand."""
    drawn = ChangedCompetition(seed)
    drawn.play()
    return export_report(loaded_cup(drawn.league), with_remarks=True).decode().replace("\r\n", "\n")


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
