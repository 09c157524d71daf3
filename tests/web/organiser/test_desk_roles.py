"""The admin site for people with a role and nothing else: what is offered opens, the rest offers the login."""

import re
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.members import set_member
from league.core.ladders.services.decisions import advance
from league.core.players.services.merges import merge_players
from league.models import Game, League, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import make_ladder

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_database("Who may open which page is asked by the same questions on both."),
    pytest.mark.uncounted("Asks every page of the desk, which tests of their own hold line by line."),
]

ROLES = ("recorder", "arbiter", "organiser", "owner")
OTHERS = pytest.mark.slow("An owner is offered all that these are; who may open which page is test_desk_matrix.py's.")
#: What a list offers beside its rows: its own order, filters and pages, asked once for each list.
OF_LISTS = re.compile(r"[?&](o|p|_facets|all|_changelist_filters|e|[a-z_]+__(exact|gte|lt|year|month|day))=")


def desk(role: str, *, staff: bool = False) -> Client:
    """Return a browser in which a member of the club is signed in, who has no permission of Django's own."""
    league = make_league(players=("anna", "ben", "cleo"), inactive_after_days=30)
    make_league(slug="hidden", visibility="private")
    make_ladder(league)
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(League.objects.get(slug="hidden"), sheet(("anna", "ben"), (1, 0)))
    advance(league.pk)
    merge_players(Player.objects.get(handle="cleo"), Player.objects.get(handle="dan"), username="olga")
    user = User.objects.create_user("otto", password="correct horse battery", is_staff=staff)
    set_member(league.pk, "otto", role)
    client = Client()
    client.force_login(user)
    return client


def walked(client: Client) -> dict[str, Any]:
    """Return every page that is linked from the first page of the admin site, and from those."""
    seen: dict[str, Any] = {}
    todo = ["/admin/"]
    while todo:
        address = todo.pop()
        if address in seen or "/logout/" in address or OF_LISTS.search(address):
            continue
        assert len(seen) < 300, sorted(seen)
        page = seen[address] = client.get(address, follow=True)
        if urlsplit(address).path.startswith("/admin/"):
            links = (urljoin(address, unescape(link)) for link in re.findall(r'href="([^"#]+)"', page.content.decode()))
            # Every page leads to itself in other languages, too.
            todo += [link for link in links if link.startswith(("/admin/", "/leagues/")) and "lang=" not in link]
    return seen


@pytest.mark.slow("Follows every link; test_desk_matrix.py opens each page for each role.")
@pytest.mark.parametrize(
    ("role", "staff"),
    [pytest.param(role, staff, marks=() if role == "organiser" and not staff else OTHERS)
     for role in ROLES for staff in (False, True)],
)  # fmt: skip
def test_every_page_that_is_offered_to_a_member_opens(role: str, staff: bool) -> None:
    pages = walked(desk(role, staff=staff))
    assert {address: page.status_code for address, page in pages.items() if page.status_code != 200} == {}
    assert {f"/admin/league/{name}/" for name in ("league", "game", "player", "job", "edition")} <= set(pages)
    assert ("/admin/leagues/club/tokens/" in pages) == (role == "owner")
    assert not [address for address, page in pages.items() if "Hidden" in page.content.decode()]


def test_the_first_page_shows_a_members_leagues() -> None:
    page = desk("recorder").get("/admin/").content.decode()
    assert "Your league" in page
    assert "permission to view" not in page
    club = League.objects.get(slug="club")
    assert f'href="/admin/leagues/{club.slug}/">Club</a>' in page
    assert "/admin/leagues/club/record/" in page


def test_a_member_signs_in_without_being_staff() -> None:
    desk("owner")
    browser = Client()
    done = browser.post(
        "/admin/login/?next=/admin/league/league/",
        {"username": "otto", "password": "correct horse battery"},
        follow=True,
    )
    assert done.redirect_chain == [("/admin/league/league/", 302)]
    assert "Club" in done.content.decode()


def test_what_is_not_allowed_offers_the_login_and_comes_back() -> None:
    client = desk("recorder")
    page = client.get("/admin/leagues/club/rules/?a=b")
    assert page.status_code == 403
    text = page.content.decode()
    refused = "otto may not change players, ladders or rules of Club. "
    assert f"{refused}Ask an owner of Club to let you do it, or sign in as another user." in text
    assert '<section aria-label="Club" class="lhead slim">' in text
    assert re.search(r'class="btn[^"]*"\s+href="/leagues/club/"', text)
    assert "Ask those who run this site to let you do it" in client.get("/admin/leagues/+new/").content.decode()
    (login,) = re.findall(r'href="([^"]+)">Sign in as another user', text)
    # A form leads back to the desk, not to itself.
    text = client.post("/admin/leagues/club/jobs/replay/").content.decode()
    assert 'href="/admin/login/?next=%2Fadmin%2F"' in text
    User.objects.create_superuser("olga", password="correct horse battery")
    data = {"username": "olga", "password": "correct horse battery"}
    done = client.post(unescape(login), data, follow=True)
    assert done.redirect_chain == [("/admin/leagues/club/rules/?a=b", 302)]
    assert done.status_code == 200


def test_a_stranger_is_led_to_the_login() -> None:
    desk("owner")
    game = Game.objects.first()
    assert game is not None
    address = f"/admin/league/game/{game.pk}/change/"
    assert Client().get(address)["Location"] == f"/admin/login/?next={address}"


def test_a_member_whose_session_ended_finds_the_login_at_a_private_league() -> None:
    client = desk("owner")
    League.objects.filter(slug="club").update(visibility="private")
    assert client.get("/leagues/club/").status_code == 200
    stranger = Client()
    page = stranger.get("/leagues/club/?page=1")
    assert page.status_code == 404
    (login,) = re.findall(r'href="([^"]+)">Sign in<', page.content.decode())
    data = {"username": "otto", "password": "correct horse battery"}
    done = stranger.post(unescape(login), data, follow=True)
    assert (done.redirect_chain, done.status_code) == ([("/leagues/club/?page=1", 302)], 200)
    assert ">Sign in" not in stranger.get("/leagues/nowhere/").content.decode()
