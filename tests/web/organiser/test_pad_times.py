"""When a sheet that waited in a browser was typed: whatever the clocks and the network, in the order of typing."""

from datetime import UTC, datetime, timedelta
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


def test_a_sheet_that_waited_counts_as_played_when_it_was_typed(olga: Client) -> None:
    make_league()
    for ago, seconds in (
        ("3600000", 3600), ("1500", 1.5), ("99999999999", 14 * 86400), ("-5", 0), ("soon", 0), ("", 0),
    ):  # fmt: skip
        assert played(olga, ago=ago) == pytest.approx(seconds, abs=0.01), ago
    # A time that is written on the sheet goes before.
    played(olga, ago="60000", played_at="2024-03-20T20:00")
    assert Game.objects.latest("number").played_at == datetime(2024, 3, 20, 20, 0, tzinfo=UTC)
    # A sheet that comes again later is still one game.
    before = Game.objects.count()
    for ago in ("0", "500", "90000"):
        played(olga, once="a" * 32, ago=ago)
    assert Game.objects.count() == before + 1


def test_what_a_request_takes_is_no_part_of_how_long_a_sheet_waited(olga: Client) -> None:
    make_league()
    # The request took eight seconds: the sheet was typed ten seconds before it was sent. A clock that was set
    # meanwhile explains nothing: then when the request came is all that is known.
    for late, seconds in ((8, 18), (0, 10), (61, 10), (-1, 10), (-86400, 10)):
        sent = NOW - timedelta(seconds=late)
        assert played(olga, ago="10000", clock=milliseconds(sent)) == pytest.approx(seconds, abs=0.01), late


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


def test_times_that_no_browser_says_move_nothing_out_of_its_fortnight(olga: Client) -> None:
    make_league()
    told: list[tuple[dict[str, str], float]] = [
        ({"after": "2999-01-01T00:00:00+00:00"}, 0),
        ({"after": "9999-12-31T23:59:59.999999+00:00"}, 0),
        ({"after": "0001-01-01T00:00:00+00:00"}, 8),
        ({"before": "0001-01-01T00:00:00+00:00"}, 14 * 86400),
        ({"before": "2999-01-01T00:00:00+00:00"}, 8),
        ({"after": "soon", "before": "2024-03-05", "clock": "noon"}, 8),
        ({"clock": "9" * 40}, 8),
    ]
    for said, seconds in told:
        assert played(olga, ago="8000", **said) == pytest.approx(seconds, abs=0.01), said
