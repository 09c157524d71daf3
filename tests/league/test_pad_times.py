"""When a sheet that waited in a browser was typed: whatever the clocks and the network, in the order of typing."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from league.models import Game
from tests.helpers.builders import EVENING, make_league
from tests.helpers.desk_client import PAD, sheet_fields
from tests.helpers.ladder_builders import clock

pytestmark = pytest.mark.django_db

NOW = EVENING + timedelta(days=30)


def milliseconds(moment: datetime) -> str:
    """Return a moment as a browser writes it."""
    return str(round(moment.timestamp() * 1000))


def played(browser: Client, **more: Any) -> float:
    """Return how many seconds before now a sheet is played that waited."""
    with clock(NOW):
        browser.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), **more))
    game = Game.objects.latest("number")
    return (NOW - game.played_at).total_seconds()


@pytest.mark.parametrize(
    ("late", "seconds"),
    [
        # The request took so long: the sheet was typed ten seconds before it was sent.
        (8, 18),
        (0, 10),
        # A clock that was set meanwhile explains nothing: then when the request came is all that is known.
        (61, 10),
        (-1, 10),
        (-86400, 10),
    ],
)
def test_what_a_request_takes_is_no_part_of_how_long_a_sheet_waited(olga: Client, late: int, seconds: int) -> None:
    make_league()
    sent = NOW - timedelta(seconds=late)
    assert played(olga, ago="10000", clock=milliseconds(sent)) == pytest.approx(seconds, abs=0.01)


def test_sheets_keep_the_order_in_which_they_were_typed_whatever_the_clocks(olga: Client) -> None:
    make_league()
    # Typed eight seconds ago, after one that got its time five seconds ago.
    after = (NOW - timedelta(seconds=5)).isoformat()
    assert played(olga, ago="8000", after=after) == pytest.approx(4.999, abs=1e-7)
    # One that was refused, typed before one that got its time twenty seconds ago.
    before = (NOW - timedelta(seconds=20)).isoformat()
    assert played(olga, ago="8000", before=before, _again="1") == pytest.approx(20.000001, abs=1e-7)
    assert [game.number for game in Game.objects.order_by("played_at", "order_key")] == [2, 1]


def test_a_sheet_that_was_refused_goes_back_between_its_neighbours(olga: Client) -> None:
    """Three of one second, of which the second was refused: whatever its clock says, it is the second again."""
    make_league()
    first = (NOW - timedelta(seconds=20)).isoformat()
    played(olga, ago="20000")
    played(olga, ago="20000", after=first, _again="1")
    third = Game.objects.get(number=2).played_at.isoformat()
    for ago in ("0", "20000", "86400000"):
        played(olga, ago=ago, after=first, before=third, _again="2")
    order = Game.objects.order_by("played_at", "order_key").values_list("number", flat=True)
    assert (order[0], order[4]) == (1, 2)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ({"after": "2999-01-01T00:00:00+00:00"}, 0),
        ({"after": "9999-12-31T23:59:59.999999+00:00"}, 0),
        ({"after": "0001-01-01T00:00:00+00:00"}, 8),
        ({"before": "0001-01-01T00:00:00+00:00"}, 14 * 86400),
        ({"before": "2999-01-01T00:00:00+00:00"}, 8),
        ({"after": "soon", "before": "2024-03-05", "clock": "noon"}, 8),
        ({"clock": "9" * 40}, 8),
    ],
)
def test_times_that_no_browser_says_move_nothing_out_of_its_fortnight(
    olga: Client, said: dict[str, str], seconds: float
) -> None:
    make_league()
    assert played(olga, ago="8000", **said) == pytest.approx(seconds, abs=0.01)
