"""The organiser's pages of competitions: an evening from founding to the final standings."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.apps.competitions.models import Competition, Entry, Fixture
from league.core.accounts.services.members import set_member
from league.models import Game
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db
DESK = "/admin/leagues/club/competitions/"
HIDDEN = re.compile(r'name="once"\s+value="([0-9a-f]{32})"')


def sign_in(role: str = "arbiter", **league: str) -> Client:
    """Return the browser of a member of a new league."""
    club = make_league(**league)  # type: ignore[arg-type]  # its system
    User.objects.create_user("arno")
    set_member(club.pk, "arno", role)
    browser = Client()
    browser.force_login(User.objects.get(username="arno"))
    return browser


def read(browser: Client, address: str) -> str:
    """Return the text of a page that opens."""
    answer = browser.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def send(browser: Client, address: str, **form: object) -> str:
    """Send a form, and return the text of the page after it."""
    return browser.post(address, form, follow=True).content.decode()


def test_an_evening_from_founding_to_the_final_standings() -> None:
    browser = sign_in()
    page = send(browser, f"{DESK}+new/", title="Blitz", template="swiss", rounds="2", rated="yes")
    assert "<h1>Entries</h1>" in page
    one = f"{DESK}blitz/"
    assert "<b>Nothing" not in send(browser, f"{one}entries/", player=["anna", "ben", "cleo", "dan"], _add="1")
    assert Entry.objects.count() == 4
    assert ">Start</button>" in read(browser, one)
    page = send(browser, one, step="start")
    assert ">Pair round 1</button>" in page
    page = send(browser, one, step="pair", round="1")
    assert ">Publish round 1</button>" in page
    assert 'name="quick"' not in page
    page = send(browser, one, step="publish", round="1")
    assert page.count('value="1-0"') == 2
    assert "2 results are missing." in page
    first, second = Fixture.objects.order_by("number")
    page = send(browser, f"{one}fixtures/{first.number}/", quick="1-0")
    assert "1 result is missing." in page
    page = send(browser, f"{one}fixtures/{second.number}/", quick="draw")
    assert ">Pair round 2</button>" in page
    places = [[line.place for line in game.results.order_by("seat")] for game in Game.objects.order_by("number")]
    assert places == [[1, 2], [1, 1]]
    send(browser, one, step="pair", round="2")
    send(browser, one, step="publish", round="2")
    for fixture in Fixture.objects.filter(round__number=2):
        send(browser, f"{one}fixtures/{fixture.number}/", quick="0-1")
    assert ">Finish</button>" in read(browser, one)
    page = send(browser, one, step="finish")
    assert "final standings are published" in page
    assert Competition.objects.get().status == "finished"
