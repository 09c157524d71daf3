"""A desk's first page: the evening, the table, who is invited."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from league.services.recording.games import void_game
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.desk_client import DESK, PAD
from tests.helpers.ladder_builders import clock


@pytest.mark.django_db
def test_the_desk_says_who_is_at_the_table_and_goes_on_with_them(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "anna"), (1, 0), minutes=5))
    with clock(EVENING + timedelta(hours=1)):
        page = olga.get(DESK).content.decode()
    assert "At the table" in page
    (asked,) = re.findall(r'record/\?([^"]*)">Go on with this table', page)
    assert asked == "players=cleo%2Canna&amp;keep=same"
    seats = olga.get(f"{PAD}?{asked.replace('&amp;', '&')}").context["sheet"].formset.forms
    assert [seat["player"].value() for seat in seats][:3] == ["cleo", "anna", None]
    with clock(EVENING + timedelta(days=2)):
        assert "At the table" not in olga.get(DESK).content.decode()


@pytest.mark.django_db
def test_every_game_of_tonight_can_be_undone(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "anna"), (1, 0), minutes=5))
    with clock(EVENING + timedelta(hours=1)):
        page = olga.get(DESK).content.decode()
    assert re.findall(r"games/\d/(?:undo|void)/", page) == ["games/2/undo/", "games/1/void/"]


@pytest.mark.django_db
def test_open_invitations_stand_beside_the_members(olga: Client) -> None:
    make_league()
    olga.post("/admin/leagues/club/people/invite/", {"role": "recorder", "note": "Ruth"})
    assert "Ruth, 7 days left" in olga.get(DESK).content.decode()


@pytest.mark.django_db
def test_the_books_count_the_games_that_count(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "anna"), (1, 0), minutes=5))
    void_game(league.pk, 1, reason="A friendly.", by="test")
    assert "<dt>Games</dt><dd>1</dd>" in olga.get(DESK).content.decode()
