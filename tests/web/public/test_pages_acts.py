"""Public pages for whoever is signed in: what they may do stands there; strangers' pages are as they were, and kept."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.games.services.record import correct_game, void_game
from league.models import Game, Membership
from tests.helpers.builders import league_of, make_league, record
from tests.helpers.desk_client import sign_in_member
from tests.helpers.ladder_builders import close, duel, make_ladder
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
BOARD, MONTH = "/leagues/club/", "/leagues/club/ladders/month/"


def build() -> None:
    """Make a league with March closed and April ended."""
    league = make_league(parameters={"k": 32})
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    close(league, "2024-03")
    record(league, duel("anna", "cleo", "2024-04-05"))


built = built_once(build)


def acts(page: Any) -> list[tuple[str, str]]:
    """Return the keys of a page: where they lead, what they say."""
    (found,) = re.findall(r'<p class="row acts">(.*?)</p>', page.content.decode()) or [""]
    return re.findall(r'<a class="btn" href="([^"]*)">([^<]*)</a>', found)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(
    "address", [BOARD, f"{BOARD}games/", f"{BOARD}games/1/", f"{MONTH}2024-03/", f"{MONTH}2024-04/"]
)
def test_a_strangers_page_says_nothing_and_may_be_kept(address: str) -> None:
    page = Client().get(address)
    assert acts(page) == []
    assert 'acts"' not in page.content.decode()
    assert page["Cache-Control"] == "no-cache"
    assert "Cookie" in page["Vary"]
    # Whoever signed in and has no role here reads the very same page.
    visitor = Client()
    visitor.force_login(User.objects.create_user("vera"))
    assert (visitor.get(address).content, visitor.get(address)["ETag"]) == (page.content, page["ETag"])
    assert Client().get(address, headers={"If-None-Match": page["ETag"]}).status_code == 304


def test_a_members_page_is_theirs_alone() -> None:
    league = league_of()
    stranger = Client().get(BOARD)
    rita = sign_in_member("rita", Membership.Role.RECORDER, league)
    page = rita.get(BOARD)
    assert acts(page) == [("/admin/leagues/club/record/", "Record a game"), ("/admin/leagues/club/", "Overview")]
    assert page["Cache-Control"] == "private, no-store"
    assert "Cookie" in page["Vary"]
    assert page["ETag"] != stranger["ETag"]
    assert rita.get(BOARD, headers={"If-None-Match": stranger["ETag"]}).status_code == 200
    assert rita.get(BOARD, headers={"If-None-Match": page["ETag"]}).status_code == 304


@long_way
@pytest.mark.parametrize("role", [Membership.Role.RECORDER, Membership.Role.ORGANISER])
def test_a_game_and_a_period_offer_what_their_reader_may_do(role: str) -> None:
    league = league_of()
    browser = sign_in_member("mia", role, league)
    organises = role != Membership.Role.RECORDER
    periods = "/admin/leagues/club/ladders/month/periods/"
    april = [(f"{periods}2024-04/", "Close April 2024")]
    assert acts(browser.get(f"{MONTH}2024-04/")) == (april if organises else [])
    assert acts(browser.get(f"{MONTH}2024-03/")) == []
    where = "/admin/leagues/club/games/"
    open_game = [(f"{where}2/correct/", "Correct game 2"), (f"{where}2/void/", "Void game 2")]
    assert acts(browser.get(f"{BOARD}games/2/")) == open_game
    of_closed = [(f"{where}1/correct/", "Correct game 1"), (f"{where}1/void/", "Void game 1")]
    assert acts(browser.get(f"{BOARD}games/1/")) == (of_closed if organises else [])
    for address, _ in acts(browser.get(f"{BOARD}games/2/")):
        assert browser.get(address).status_code == 200
    correct_game(league.pk, 2, duel("cleo", "anna", "2024-04-05"), reason="misread", username="olga")
    assert acts(browser.get(f"{BOARD}games/2/")) == [(f"{where}2/restore/", "Undo the correction")]
    void_game(league.pk, 3, reason="friendly", username="olga")
    assert acts(browser.get(f"{BOARD}games/3/")) == [(f"{where}3/restore/", "Restore game 3")]
    assert Game.objects.count() == 3
    void_game(league.pk, 1, reason="friendly", username="olga")
    march = [(f"{periods}2024-03/", "Decide what happens to edition 1")]
    assert acts(browser.get(f"{MONTH}2024-03/")) == (march if organises else [])
