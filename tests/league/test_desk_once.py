"""A form that comes twice is carried out once: double click, reload, back and send again."""

import pytest
from django.db import connections
from django.test import Client

from league.models import Game, RequestKey
from tests.helpers.admin_client import agreed
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import ADD_SHEET, dated_sheet, once_key, page_messages
from tests.helpers.threads import in_threads

WON = (("anna", 1), ("ben", 0))


@pytest.mark.django_db
def test_a_sheet_that_comes_twice_is_one_game_and_leads_there(olga: Client) -> None:
    make_league()
    data = dated_sheet(*WON, once=once_key(olga.get(ADD_SHEET)), _save="Record")
    first = olga.post(ADD_SHEET, data)
    second = olga.post(ADD_SHEET, data)
    assert Game.objects.count() == 1
    assert first["Location"] == second["Location"] == f"/admin/league/game/{Game.objects.get().pk}/change/"
    page = olga.get(second["Location"])
    assert "Game 1 is recorded already: this sheet came twice." in page_messages(page)


@pytest.mark.django_db
def test_each_sheet_has_a_key_of_its_own(olga: Client) -> None:
    make_league()
    keys = [once_key(olga.get(ADD_SHEET)) for _ in range(2)]
    assert len(set(keys)) == 2
    for key in keys:
        olga.post(ADD_SHEET, dated_sheet(*WON, once=key))
    assert Game.objects.count() == 2


@pytest.mark.django_db
def test_the_next_sheet_follows_a_double_click_too(olga: Client) -> None:
    make_league()
    data = dated_sheet(*WON, once=once_key(olga.get(ADD_SHEET)), _addanother="1", keep_players="on")
    addresses = {olga.post(ADD_SHEET, data)["Location"] for _ in range(2)}
    assert len(addresses) == 1
    page = olga.get(addresses.pop())
    assert 'value="anna"' in page.content.decode()
    assert once_key(page) != data["once"]
    assert Game.objects.count() == 1


@pytest.mark.django_db
def test_a_recorded_sheet_that_was_changed_and_sent_again_is_asked_about(olga: Client) -> None:
    make_league()
    key = once_key(olga.get(ADD_SHEET))
    olga.post(ADD_SHEET, dated_sheet(*WON, once=key))
    page = olga.post(ADD_SHEET, dated_sheet(("anna", 0), ("ben", 1), once=key))
    assert "This sheet was recorded already, and says something else now." in page.content.decode()
    assert Game.objects.count() == 1
    again = once_key(page)
    assert again != key
    assert olga.post(ADD_SHEET, dated_sheet(("anna", 0), ("ben", 1), once=again)).status_code == 302
    assert Game.objects.count() == 2


@pytest.mark.django_db
def test_a_refused_sheet_keeps_its_key_which_stays_free(olga: Client) -> None:
    make_league()
    key = once_key(olga.get(ADD_SHEET))
    for data in (dated_sheet(("anna", 1), ("zoe", 0), once=key), dated_sheet(("anna", "x"), ("ben", 0), once=key)):
        assert once_key(olga.post(ADD_SHEET, data)) == key
    assert RequestKey.objects.count() == 0
    assert olga.post(ADD_SHEET, dated_sheet(*WON, once=key)).status_code == 302
    assert Game.objects.count() == 1


@pytest.mark.django_db
def test_a_key_that_is_none_of_ours_is_left_aside(olga: Client) -> None:
    make_league()
    for _ in range(2):
        olga.post(ADD_SHEET, dated_sheet(*WON, once="x" * 500))
    assert Game.objects.count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["correct", "void"])
def test_a_yes_that_comes_twice_is_done_once_and_leads_to_what_it_did(olga: Client, what: str) -> None:
    league = make_league()
    game = record(league, sheet(("anna", "ben"), (1, 0)))
    address = f"/admin/league/game/{game.pk}/{what}/"
    data = dated_sheet(("anna", 0), ("ben", 1), reason="misread") if what == "correct" else {"reason": "a friendly"}
    shown = olga.post(address, data)
    yes = {**agreed(shown), "once": once_key(shown)}
    first, second = olga.post(address, yes), olga.post(address, yes)
    newest = Game.objects.order_by("number").last()
    assert newest is not None
    assert Game.objects.count() == (2 if what == "correct" else 1)
    assert first["Location"] == second["Location"] == f"/admin/league/game/{newest.pk}/change/"
    assert "That was done already: it came twice, and was done once." in page_messages(olga.get(second["Location"]))


@pytest.mark.django_db
def test_a_second_correction_of_a_void_game_is_still_refused(olga: Client) -> None:
    game = record(make_league(), sheet(("anna", "ben"), (1, 0)))
    address = f"/admin/league/game/{game.pk}/correct/"
    shown = olga.post(address, dated_sheet(("anna", 0), ("ben", 1), reason="misread"))
    olga.post(address, {**agreed(shown), "once": once_key(shown)})
    other = olga.post(address, {**agreed(shown), "reason": "another", "once": once_key(shown)}, follow=True)
    assert "Game 1 is void already" in page_messages(other)
    assert Game.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_clicks_at_once_one_records(olga: Client) -> None:
    make_league()
    data = dated_sheet(*WON, once=once_key(olga.get(ADD_SHEET)))

    def click() -> str:
        browser = Client()
        browser.cookies = olga.cookies
        return str(browser.post(ADD_SHEET, data)["Location"])

    answers = in_threads([click] * 4)
    assert Game.objects.count() == 1
    assert set(answers) == {f"/admin/league/game/{Game.objects.get().pk}/change/"}
    connections.close_all()
