"""A form that comes twice is carried out once: double click, reload, back and send again."""

import pytest
from django.db import connections
from django.test import Client

from league.models import Game, RequestKey
from tests.helpers.builders import make_league
from tests.helpers.desk_client import PAD, dated_sheet, once_key, page_messages
from tests.helpers.threads import in_threads

WON = (("anna", 1), ("ben", 0))


@pytest.mark.django_db
def test_a_sheet_that_comes_twice_is_one_game_and_leads_there(olga: Client) -> None:
    make_league()
    data = dated_sheet(*WON, once=once_key(olga.get(PAD)))
    first = olga.post(PAD, data)
    second = olga.post(PAD, data)
    assert Game.objects.count() == 1
    assert first["Location"] == second["Location"] == f"{PAD}?just=1"
    page = olga.get(second["Location"])
    assert "Game 1 is recorded already: this sheet came twice." in page_messages(page)


@pytest.mark.django_db
def test_each_sheet_has_a_key_of_its_own(olga: Client) -> None:
    make_league()
    keys = [once_key(olga.get(PAD)) for _ in range(2)]
    assert len(set(keys)) == 2
    for score, key in enumerate(keys):
        olga.post(PAD, dated_sheet(("anna", score), ("ben", 5), once=key))
    assert Game.objects.count() == 2


@pytest.mark.django_db
def test_the_next_sheet_follows_a_double_click_too(olga: Client) -> None:
    make_league()
    data = dated_sheet(*WON, once=once_key(olga.get(PAD)), keep="same")
    addresses = {olga.post(PAD, data)["Location"] for _ in range(2)}
    assert len(addresses) == 1
    page = olga.get(addresses.pop())
    assert 'value="anna"' in page.content.decode()
    assert once_key(page) != data["once"]
    assert Game.objects.count() == 1


@pytest.mark.django_db
def test_a_recorded_sheet_that_was_changed_and_sent_again_is_asked_about(olga: Client) -> None:
    make_league()
    key = once_key(olga.get(PAD))
    olga.post(PAD, dated_sheet(*WON, once=key))
    page = olga.post(PAD, dated_sheet(("anna", 0), ("ben", 1), once=key))
    assert "This sheet was recorded already, and says something else now." in page.content.decode()
    assert Game.objects.count() == 1
    again = once_key(page)
    assert again != key
    assert olga.post(PAD, dated_sheet(("anna", 0), ("ben", 1), once=again)).status_code == 302
    assert Game.objects.count() == 2


@pytest.mark.django_db
def test_a_refused_sheet_keeps_its_key_which_stays_free(olga: Client) -> None:
    make_league()
    key = once_key(olga.get(PAD))
    for data in (dated_sheet(("anna", 1), ("zoe", 0), once=key), dated_sheet(("anna", "x"), ("ben", 0), once=key)):
        assert once_key(olga.post(PAD, data)) == key
    assert RequestKey.objects.count() == 0
    assert olga.post(PAD, dated_sheet(*WON, once=key)).status_code == 302
    assert Game.objects.count() == 1


@pytest.mark.django_db
def test_a_key_that_is_none_of_ours_is_left_aside(olga: Client) -> None:
    make_league()
    for score in range(2):
        olga.post(PAD, dated_sheet(("anna", score), ("ben", 5), once="x" * 500))
    assert Game.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_clicks_at_once_one_records(olga: Client) -> None:
    make_league()
    data = dated_sheet(*WON, once=once_key(olga.get(PAD)))

    def click() -> str:
        browser = Client()
        browser.cookies = olga.cookies
        return str(browser.post(PAD, data)["Location"])

    answers = in_threads([click] * 4)
    assert Game.objects.count() == 1
    assert set(answers) == {f"{PAD}?just=1"}
    connections.close_all()
