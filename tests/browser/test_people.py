"""People in a real browser: a second organiser comes in by a link and by keys alone; pages are accessible and fit."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from league.core.accounts.services.invitations import accept, make_invitation
from league.core.accounts.services.members import set_member
from league.core.accounts.services.passwords import create_reset_link_for_member
from league.core.leagues.services.leagues import change_league
from league.models import League, Membership
from tests.browser.measures import BEYOND
from tests.browser.visits import Opener, check_desk_page, check_page, go, run_in_looks, sign_in
from tests.helpers.builders import make_league, record, sheet

RIGHT = "correct horse battery"


@pytest.fixture
def club() -> League:
    """Return a league with an owner, a recorder of a long name, an open invitation, and two players of one name."""
    league = make_league(players=("vera", "vera-2", "ben"))
    for handle in ("vera", "vera-2"):
        record(league, sheet((handle, "ben"), (1, 0)))
    oscar = User.objects.create_user("oscar", password=RIGHT)
    set_member(league.pk, "oscar", "owner")
    make_invitation(league.pk, "recorder", "came", user=oscar)
    accept("came", User.objects.create_user("Wilhelmina-van-den-Broek@club.example", password=RIGHT))
    make_invitation(league.pk, "organiser", "known", user=User.objects.get(username="oscar"), note="Vera Ulrich")
    return league


@pytest.mark.slow("Pages of one kind; test_desk_pages.py holds the others.")
@run_in_looks()
def test_the_pages_are_accessible_and_fit(club: League, open_page: Opener, look: dict[str, bool]) -> None:
    page = open_page("/admin/login/", **look)
    check_page(page)
    link = create_reset_link_for_member(
        club, "Wilhelmina-van-den-Broek@club.example", owner=User.objects.get(username="oscar")
    )
    for path in ("/invitations/known/", "/accounts/forgotten/", link):
        check_page(go(page, path))
    go(page, "/admin/leagues/club/people/")
    sign_in(page, "oscar", RIGHT)
    expect(page.get_by_role("heading", name="Members")).to_be_visible()
    check_page(page)
    for path in ("/admin/password_change/", "/accounts/sessions/", "/accounts/second/"):
        check_page(go(page, path))
    go(page, "/admin/leagues/club/people/")
    page.get_by_role("button", name="Create link").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    check_page(page)
    check_page(go(page, "/admin/leagues/club/people/players/vera/"))


def test_a_second_organiser_comes_in_by_keys_alone(club: League, open_page: Opener) -> None:
    owner = open_page("/admin/leagues/club/people/", user="oscar")
    keys = 0
    owner.get_by_role("radio", name="Recorder").focus()
    for key in ("ArrowDown", "ArrowDown", "Tab", "Tab", "Enter"):
        owner.keyboard.press(key)
        keys += 1
    link = owner.get_by_label("Link").input_value()
    guest = open_page(link.split("/", 3)[3].join(("/", "")))
    expect(guest.get_by_text("oscar invites you to organise")).to_be_visible()
    guest.get_by_label("Username").focus()
    for text in ("willem", RIGHT, RIGHT):
        guest.keyboard.type(text)
        guest.keyboard.press("Tab")
        keys += len(text) + 1
    guest.keyboard.press("Enter")
    keys += 1
    expect(guest.get_by_text("You are now an organiser of Club.")).to_be_visible()
    assert Membership.objects.get(user__username="willem").role == "organiser"
    assert keys == 5 + 6 + 2 * 21 + 3 + 1


@pytest.mark.slow("What the form sends, tests/web/organiser holds; that it can be sent without script, this.")
def test_a_second_organiser_comes_in_without_script(club: League, open_page: Opener) -> None:
    page = open_page("/invitations/known/", script=False, phone=True)
    for label, text in (("Username", "willem"), ("Password", RIGHT), ("Password again", RIGHT)):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_text("You are now an organiser of Club.")).to_be_visible()


@pytest.mark.slow("tests/web/organiser/test_desk_add_many.py holds it.")
@run_in_looks()
def test_many_players_are_added_and_their_links_printed(club: League, open_page: Opener, look: dict[str, bool]) -> None:
    """Ten to a page, whole names, nothing else on the paper."""
    change_league(club.pk, {"reporting": "by_link"})
    long = "Wilhelmina Aleida Johanna van den Broek-Oldenbarnevelt zu Hohenlohe-Schillingsfürst " + "x" * 36
    page = open_page("/admin/leagues/club/people/add/many/", user="oscar", **look)
    names = "\n".join([f"Newcomer {chr(65 + one)}{one}" for one in range(26)] + [long, "Vera Ulrich", "vera"])
    page.get_by_label("Names").fill(names)
    page.get_by_label("Starts at").fill("1500")
    check_desk_page(page)
    page.get_by_role("button", name="Check the list", exact=True).click()
    check_desk_page(page)
    page.get_by_role("button", name="Add 28 new players and the ticked ones").click()
    expect(page.get_by_text("28 players were added")).to_be_visible()
    go(page, "/admin/leagues/club/reports/links/print/")
    check_desk_page(page)
    page.get_by_role("button", name="Create links").click()
    expect(page.locator(".slip")).to_have_count(31)
    check_desk_page(page)
    printed = page.pdf(prefer_css_page_size=True)
    sides = [
        [round(float(side)) for side in box] for box in re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    ]
    # A4 is 210 by 297 mm: 595 by 842 points.
    assert sides == [[595, 842]] * 4
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 673, "height": 1017})
    assert page.evaluate(BEYOND) == []
    assert page.locator("main > :visible").count() == 1
