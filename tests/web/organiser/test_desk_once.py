"""What the desk writes is what it showed before: of merges, starts and ladders; and what a second click is told."""

import re
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from league.core.errors import RequestUnderway
from league.core.games.services.record import void_game
from league.models import Game, InitialRating, League, Player, RequestKey
from league.web.organiser.merge_players import MergeForm
from tests.helpers.builders import make_league, record
from tests.helpers.desk_client import (
    DESK,
    ONCE_KEY,
    PAD,
    dated_sheet,
    form_fields,
    once_key,
    page_messages,
    page_text,
)
from tests.helpers.ladder_builders import close, duel, make_ladder, tables
from tests.helpers.split_builders import split_anna
from tests.helpers.threads import in_threads

pytestmark = pytest.mark.django_db


STARTS, NEW, MERGE = f"{DESK}starts/", f"{DESK}new-ladder/?method=points", f"{DESK}people/players/dan/merge/"
RULE, ORDER = f"{DESK}ladders/month/rule/?method=points", f"{DESK}games/2/order/"
DIFFERS = "The form differs from what the preview showed."
ANOTHER = pytest.mark.slow("The same of another form.")


@pytest.fixture
def march_olga(client: Client) -> Client:
    """Return a browser in which site staff is signed in, of a league with a ladder of the month and two games."""
    client.force_login(User.objects.create_superuser("olga"))
    league = make_league()
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    record(league, duel("cleo", "dan", "2024-03-06"))
    close(league, "2024-03")
    return client


def hidden(page: Any) -> dict[str, str]:
    """Return the hidden fields of the form on a page that say which form it is."""
    return dict(re.findall(r'name="(once|_shown|seen)"\s+value="([^"]+)"', page.content.decode()))


@pytest.mark.parametrize(
    ("address", "given", "otherwise"),
    [
        (MERGE, {"into": "Anna"}, {"into": "Ben"}),
        (STARTS, {"player": "anna", "initial_rating": "1900"}, {"initial_rating": "1800"}),
        pytest.param(STARTS, {"player": "anna", "initial_rating": "1900"}, {"player": "ben"}, marks=ANOTHER),
        pytest.param(
            f"{DESK}adjustments/",
            {"player": "anna", "amount": "5", "reason": "Tidied up."},
            {"amount": "-5"},
            marks=ANOTHER,
        ),
        (NEW, {"title": "Year", "cadence": "year", "method": "points"}, {"cadence": "week"}),
        pytest.param(
            RULE,
            {"parameters_win": "3", "from_date": "2024-04-01", "method": "points"},
            {"parameters_win": "4"},
            marks=ANOTHER,
        ),
        (f"{DESK}rules/", {"parameters_k": "40", "from_date": "2024-04-01"}, {"parameters_k": "5"}),
        pytest.param(
            f"{DESK}rules/",
            {"parameters_k": "40", "from_date": "2024-04-01"},
            {"from_date": "2024-04-02"},
            marks=ANOTHER,
        ),
        (ORDER, {"order": "2,3", "_try": "1"}, {"order": "3,2"}),
    ],
)
def test_a_form_does_what_was_shown_and_does_it_once(
    march_olga: Client, address: str, given: dict[str, str], otherwise: dict[str, str]
) -> None:
    record(League.objects.get(), duel("ben", "cleo", "2024-03-06"))
    before = tables("RequestKey", "Session")
    form = march_olga.get(address).context["form"]
    sent = {**form_fields(form), **given}
    page = march_olga.post(address, sent)
    changed = {**sent, **otherwise, "_commit": "yes"}
    for shown in (hidden(page), {**hidden(page), "_shown": ""}):
        page = march_olga.post(address, {**changed, **shown})
        assert DIFFERS in page_text(page)
        assert page.context["tried"] is not None
    assert tables("RequestKey", "Session") == before
    changed |= hidden(page)
    assert march_olga.post(address, changed).status_code == 302
    written = tables("RequestKey", "Session")
    assert written != before
    again = march_olga.post(address, changed, follow=True)
    assert "You submitted this twice; it was done once." in page_messages(again)
    assert tables("RequestKey", "Session") == written


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("games/2/correct/", dated_sheet(("cleo", 0), ("dan", 1), played_at="2024-03-06T00:00")),
        pytest.param("games/2/void/", {}, marks=ANOTHER),
        pytest.param("games/4/restore/", {}, marks=ANOTHER),
        ("games/2/order/", {"order": "3,2", "_try": "1"}),
        ("people/players/cleo/split/", {"who": "Zora", "new": "on", "game": ["2"]}),
        pytest.param("people/splits/6/", {}, marks=ANOTHER),
    ],
)
def test_data_that_changed_since_they_were_shown_are_shown_anew_and_yes_counts_once(
    march_olga: Client, path: str, given: dict[str, Any]
) -> None:
    league, address = League.objects.get(), f"{DESK}{path}"
    for winner, day in (("ben", "2024-03-06"), ("ben", "2024-04-04"), ("anna", "2024-04-05")):
        record(league, duel(winner, "cleo", day))
    void_game(league.pk, 4, reason="A friendly.", username="test")
    split_anna(league, [5], name="Zoe")
    first = march_olga.post(address, given)
    record(league, duel("anna", "ben", "2024-05-05"))
    before = tables("RequestKey", "Session")

    def confirm(page: Any, **more: Any) -> Any:
        stands = {"asked": page.context.get("asked", []), "becomes-all": "stand", "reason": "misread"}
        sent = {**given, **hidden(page), **stands, "_commit": "yes", **more}
        return march_olga.post(address, sent, follow=bool(more))

    second = confirm(first)
    assert "has changed since you opened this page, so nothing was saved" in page_text(second)
    assert tables("RequestKey", "Session") == before
    assert confirm(second).status_code == 302
    written = tables("RequestKey", "Session")
    assert written != before
    assert "You submitted this twice; it was done once." in page_messages(confirm(second, _try="1"))
    confirm(second, reason="another")
    assert tables("RequestKey", "Session") == written


def test_a_form_whose_key_was_taken_gets_another_one(march_olga: Client) -> None:
    sent = {"player": "anna", "initial_rating": "1900", "_commit": "1", "once": ONCE_KEY}
    march_olga.post(STARTS, sent)
    refused = march_olga.post(STARTS, {**sent, "initial_rating": "1800"})
    assert "This form has already been submitted with other contents." in page_text(refused)
    key = refused.context["once"]
    assert key != ONCE_KEY
    assert march_olga.post(STARTS, {**sent, "initial_rating": "1800", "once": key}).status_code == 302
    assert InitialRating.objects.get().rating == 1800


def test_a_second_click_on_merge_is_told_what_the_first_one_did(march_olga: Client) -> None:
    sent = {"into": "Anna", "_commit": "1", "once": ONCE_KEY}
    valid = MergeForm.is_valid
    first: list[str] = []

    def meanwhile(form: MergeForm) -> bool:
        if not first:
            first.append("under way")
            first.append(march_olga.post(MERGE, sent)["Location"])
        return valid(form)

    with (
        patch.object(MergeForm, "is_valid", meanwhile),
        patch("league.web.organiser.merge_players.preview_merge", side_effect=AssertionError("worked out twice")),
    ):
        done = march_olga.post(MERGE, sent, follow=True)
    assert done.redirect_chain == [(first[1], 302)]
    assert "Dan (dan) was merged into Anna. You submitted this twice; it was done once." in page_messages(done)
    assert "One closed period of Club now differs" in page_messages(done)
    assert Player.objects.get(handle="dan").merged_into is not None


def test_a_click_while_the_first_is_at_work_is_told_so(march_olga: Client) -> None:
    sent = {"player": "anna", "initial_rating": "1900", "_commit": "1", "once": ONCE_KEY}
    with patch("league.web.organiser.forms.run_idempotently", side_effect=RequestUnderway("Of the API.")):
        page = march_olga.post(STARTS, sent)
        assert "This form was sent twice and is still being processed." in page_text(page)
        assert page.context["once"] == ONCE_KEY
        # Of a player who is not there, it is asked first whether the form was carried out.
        gone = march_olga.post(f"{DESK}people/players/nobody/merge/", {"into": "anna", **sent, "_commit": "1"})
        assert gone.status_code == 404
    assert not InitialRating.objects.exists()


WON = (("anna", 1), ("ben", 0))


@pytest.mark.parametrize("more", [{}, {"keep": "same"}])
def test_a_sheet_that_comes_twice_is_one_game_and_leads_there(olga: Client, more: dict[str, str]) -> None:
    make_league()
    data = dated_sheet(*WON, once=once_key(olga.get(PAD)), **more)
    (address,) = {olga.post(PAD, data)["Location"] for _ in range(2)}
    assert Game.objects.count() == 1
    page = olga.get(address)
    if more:  # the next sheet follows, with its own key
        assert 'value="anna"' in page.content.decode()
        assert once_key(page) != data["once"]
    else:
        assert address == f"{PAD}?just=1"
        assert "Game 1 has already been recorded; it was sent twice." in page_messages(page)


def test_a_recorded_sheet_that_was_changed_and_sent_again_is_asked_about(olga: Client) -> None:
    make_league()
    key = once_key(olga.get(PAD))
    olga.post(PAD, dated_sheet(*WON, once=key))
    page = olga.post(PAD, dated_sheet(("anna", 0), ("ben", 1), once=key))
    assert "This game has already been recorded, but the form has changed since." in page.content.decode()
    assert Game.objects.count() == 1
    again = once_key(page)
    assert again != key
    assert olga.post(PAD, dated_sheet(("anna", 0), ("ben", 1), once=again)).status_code == 302
    assert Game.objects.count() == 2


def test_a_refused_sheet_keeps_its_key_which_stays_free(olga: Client) -> None:
    make_league()
    key = once_key(olga.get(PAD))
    for data in (dated_sheet(("anna", 1), ("zoe", 0), once=key), dated_sheet(("anna", "x"), ("ben", 0), once=key)):
        assert once_key(olga.post(PAD, data)) == key
    assert RequestKey.objects.count() == 0
    assert olga.post(PAD, dated_sheet(*WON, once=key)).status_code == 302
    assert Game.objects.count() == 1


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
