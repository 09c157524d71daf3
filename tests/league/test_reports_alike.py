"""Two who sat at one table of doubles enter its game: it is the same one where the partners are, whatever their number.

What is expected is said by hand: a draw of 9 : 9 says of four people who they are and nothing of who played with whom.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from league.models import Report
from league.services.recording.game_input import NewGame, NewResult
from league.services.reports.entering import Alike, enter
from tests.helpers.builders import FOUR
from tests.helpers.report_builders import link_of, played, reported, reporting_club

pytestmark = pytest.mark.django_db


def draw(sides: Sequence[int | None], names: Sequence[str] = FOUR) -> NewGame:
    """Return a draw of the four on these sides."""
    return replace(
        played(), results=[NewResult(name, 9.0, None, side) for name, side in zip(names, sides, strict=True)]
    )


@pytest.mark.parametrize(
    ("sides", "names"),
    [
        *(((one, FOUR)) for one in ((1, 1, 2, 2), (2, 2, 1, 1), (5, 5, 3, 3), (None,) * 4)),
        ((1, 2, 1, 2), ("dan", "ben", "cleo", "anna")),
    ],
)
def test_the_same_partners_are_asked_about_however_sides_are_numbered_and_seated(
    sides: tuple[int | None, ...], names: tuple[str, ...]
) -> None:
    league = reporting_club()
    reported(link_of(league, "anna"), draw((1, 1, 2, 2)))
    with pytest.raises(Alike):
        enter(link_of(league, "cleo"), draw(sides, names), key="another")
    assert Report.objects.count() == 1


@pytest.mark.parametrize("sides", [(1, 2, 1, 2), (1, 2, 2, 1), (1, 2, 2, 2)])
def test_other_partners_play_another_game(sides: tuple[int, ...]) -> None:
    league = reporting_club()
    reported(link_of(league, "anna"), draw((1, 1, 2, 2)))
    enter(link_of(league, "cleo"), draw(sides), key="another")
    assert Report.objects.count() == 2


def test_other_places_are_another_game() -> None:
    league = reporting_club()
    for name, places in (("anna", (1, 2)), ("ben", (2, 1))):
        results = [NewResult(one, None, place) for one, place in zip(("anna", "ben"), places, strict=True)]
        enter(link_of(league, name), replace(played(), results=results), key=name)
    assert Report.objects.count() == 2
