"""Two who sat at one table of doubles enter its game: it is the same one where the partners are, whatever their number.

What is expected is said by hand: a draw of 9 : 9 says of four people who they are and nothing of who played with whom.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from league.apps.reports.models import Report
from league.apps.reports.services.entering import SimilarReport, enter_report
from league.core.games.services.game_input import NewGame, NewResult
from tests.helpers.builders import FOUR
from tests.helpers.report_builders import built_club, link_of, played, reported, reporting_club
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(reporting_club)


def draw(sides: Sequence[int | None], names: Sequence[str] = FOUR) -> NewGame:
    """Return a draw of the four on these sides."""
    return replace(
        played(), results=[NewResult(name, 9.0, None, side) for name, side in zip(names, sides, strict=True)]
    )


SAME: list[Sequence[int | None]] = [(1, 1, 2, 2), (2, 2, 1, 1), (5, 5, 3, 3), (None,) * 4]
OTHERS = [(1, 2, 1, 2), (1, 2, 2, 1), (1, 2, 2, 2)]


def test_the_numbers_and_seats_of_sides_do_not_matter() -> None:
    league = built_club()
    reported(link_of(league, "anna"), draw((1, 1, 2, 2)))
    cleo = link_of(league, "cleo")
    for new in (*map(draw, SAME), draw((1, 2, 1, 2), ("dan", "ben", "cleo", "anna"))):
        with pytest.raises(SimilarReport):
            enter_report(cleo, new, key="another")
    assert Report.objects.count() == 1


@pytest.mark.parametrize("sides", OTHERS)
def test_other_partners_play_another_game(sides: tuple[int, ...]) -> None:
    league = built_club()
    reported(link_of(league, "anna"), draw((1, 1, 2, 2)))
    enter_report(link_of(league, "cleo"), draw(sides), key="another")
    assert Report.objects.count() == 2


def test_other_places_are_another_game() -> None:
    league = built_club()
    for name, places in (("anna", (1, 2)), ("ben", (2, 1))):
        results = [NewResult(one, None, place) for one, place in zip(("anna", "ben"), places, strict=True)]
        enter_report(link_of(league, name), replace(played(), results=results), key=name)
    assert Report.objects.count() == 2
