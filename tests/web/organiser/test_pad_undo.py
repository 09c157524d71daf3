"""The seats of a game that was undone on the score pad: there until they are used, whoever looks at the pad."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.core.games.services.record import restore_game
from league.models import Game
from tests.helpers.builders import make_league
from tests.helpers.desk_client import PAD, sheet_fields
from tests.helpers.ladder_builders import clock

pytestmark = pytest.mark.django_db
UNDO = "/admin/leagues/club/games/{}/undo/"


def at_the_pad(browser: Client, path: str = PAD) -> list[Any]:
    """Return who sits at the pad that somebody looks at."""
    forms = browser.get(path).context["sheet"].formset.forms
    return [form["player"].value() for form in forms if form["player"].value()]


@pytest.fixture
def undone(olga: Client) -> Client:
    """Return a browser in which the only game of the club was undone."""
    make_league(players=("anna", "ben", "cleo", "dan"))
    olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")))
    olga.post(UNDO.format(1))
    return olga


def test_looking_takes_no_seats_away_and_they_wait_for_the_pad_of_their_own_league(undone: Client) -> None:
    make_league(slug="other")
    assert at_the_pad(undone, "/admin/leagues/other/record/") == []
    # A table that is asked for goes before them.
    assert at_the_pad(undone, f"{PAD}?players=cleo,dan") == ["cleo", "dan"]
    for _ in range(2):
        assert at_the_pad(undone) == ["anna", "ben"]
    page = undone.get(PAD).content.decode()
    assert "Game 1, undone, is filled in." in page
    assert 'data-undone="1"' in page
    assert '<input type="hidden" name="undone" value="1">' in page


def test_only_the_answer_to_undo_is_marked_and_a_cleared_pad_uses_them_up(olga: Client) -> None:
    make_league(players=("anna", "ben", "cleo", "dan"))
    olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")))
    assert olga.post(UNDO.format(1)).headers["Location"] == f"{PAD}?undone=1"
    cleared = f"{PAD}?players=&undone=1"
    page = olga.get(cleared).content.decode()
    assert "is filled in" not in page
    assert '<input type="hidden" name="undone" value="1">' in page
    assert at_the_pad(olga, cleared) == []
    olga.post(PAD, sheet_fields(("cleo", "1"), ("dan", "0"), undone="1"))
    assert at_the_pad(olga) == []


def test_they_go_when_they_are_recorded_or_replaced(undone: Client) -> None:
    refused = undone.post(PAD, sheet_fields(("anna", "x"), ("ben", "0"), undone="1"))
    assert '<input type="hidden" name="undone" value="1">' in refused.content.decode()
    assert at_the_pad(undone) == ["anna", "ben"]
    undone.post(PAD, sheet_fields(("ben", "1"), ("cleo", "0"), undone="1"))
    assert Game.objects.filter(voided_at=None).count() == 1
    assert at_the_pad(undone) == []


def test_a_game_of_another_tab_leaves_them_and_another_undo_takes_their_place(undone: Client) -> None:
    undone.post(PAD, sheet_fields(("cleo", "1"), ("dan", "0")))
    assert at_the_pad(undone) == ["anna", "ben"]
    undone.post(UNDO.format(2))
    assert at_the_pad(undone) == ["cleo", "dan"]


def test_they_do_not_come_back_for_a_game_that_counts_again_nor_the_next_day(undone: Client) -> None:
    game = Game.objects.get()
    with clock(timezone.now() + timedelta(hours=13)):
        assert at_the_pad(undone) == []
    restore_game(game.league_id, 1, reason="it counts", username="olga")
    assert at_the_pad(undone) == []


def test_what_an_earlier_version_kept_of_them_brings_nothing_back(undone: Client) -> None:
    session = undone.session
    session[f"undone-{Game.objects.get().league_id}"] = [{"player": "anna"}]
    session.save()
    assert at_the_pad(undone) == []
    undone.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), undone="None"))
    assert Game.objects.filter(voided_at=None).count() == 1
