"""A new league, rules, settings, log and jobs in a real browser: by keys, in every look, and without script."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from league.models import Job, League
from league.services.leagues.leagues import adopt_rule
from tests.browser.conftest import Opener
from tests.helpers.builders import make_league, record, sheet

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database("What a browser shows; what is written, tests/league asks on both."),
]

LOOKS = {"light": {}, "dark": {"dark": True}, "phone": {"phone": True}}
PAGES = {
    "first page": "/admin/",
    "a new league": "/admin/leagues/+new/",
    "rules": "/admin/leagues/club/rules/",
    "settings": "/admin/leagues/club/settings/",
    "log": "/admin/leagues/club/log/",
    "jobs": "/admin/leagues/club/jobs/",
}
Desk = Callable[..., Page]


@pytest.fixture
def organise(open_page: Opener) -> Desk:
    """Return what opens a page as site staff who are signed in."""
    browser = Client()
    browser.force_login(User.objects.create_superuser("olga"))
    session = browser.cookies["sessionid"].value

    def opened(path: str, **look: Any) -> Page:
        page = open_page("/status/", **look)
        root = page.url.removesuffix("/status/")
        page.context.add_cookies([{"name": "sessionid", "value": session, "url": root}])
        page.goto(root + path)
        return page

    return opened


@pytest.fixture
def club() -> League:
    """Return a league with a long title, a game, a coming rule and a job under way."""
    league = make_league(players=("anna", "ben"))
    title = "The very long evening club of the Wolfeschlegelsteinhausenbergerdorff"
    League.objects.filter(pk=league.pk).update(title=title)
    record(league, sheet(("anna", "ben"), (1, 0)))
    adopt_rule(league.pk, "elo", {"k": 32}, date(2150, 1, 1), by="olga")
    Job.objects.create(league=league, kind="replay", state="running", phase="rating", done=1, total=4,
                       asked_at=timezone.now())  # fmt: skip
    return league


def fits(page: Page) -> None:
    """Assert that a page is accessible, is no wider than the window, and has keys that a thumb can press."""
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    small = page.evaluate(
        "[...document.querySelectorAll('main button, main input:not([type=hidden], [type=radio], [type=checkbox])')]"
        ".filter((one) => one.checkVisibility()).filter((one) => one.getBoundingClientRect().height < 44)"
        ".map((one) => one.outerHTML.slice(0, 80))"
    )
    assert json.dumps(small) == "[]"


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("club")
def test_a_page_is_accessible_and_fits(organise: Desk, name: str, look: str) -> None:
    fits(organise(PAGES[name], **LOOKS[look]))


@pytest.mark.usefixtures("club")
def test_pages_are_readable_without_script(organise: Desk) -> None:
    for path in PAGES.values():
        assert len(organise(path, script=False).locator("main").inner_text()) > 60


@pytest.mark.parametrize("look", LOOKS)
def test_a_league_is_founded_by_keys_in_the_browsers_zone(organise: Desk, look: str) -> None:
    page = organise("/admin/", **LOOKS[look])
    page.get_by_role("link", name="New league").press("Enter")
    expect(page.get_by_label("Title")).to_be_focused()
    keys = "Thursday club"
    page.keyboard.type(keys)
    count = len(keys)
    expect(page.get_by_label("Address")).to_have_value("thursday-club")
    while page.evaluate("document.activeElement.name") != "template":
        page.keyboard.press("Tab")
        count += 1
    for key in ("Space", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Make the league")).to_be_focused()
    fits(page)
    page.keyboard.press("Enter")
    expect(page.get_by_text("No game yet. What comes first:")).to_be_visible()
    assert count + 3 <= 22
    fits(page)
    league = League.objects.get()
    assert (league.slug, league.game) == ("thursday-club", "Barbu")
    assert league.time_zone == page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")


def test_a_league_is_founded_without_script(organise: Desk) -> None:
    page = organise("/admin/leagues/+new/", script=False)
    page.get_by_label("Title").fill("Club")
    page.get_by_text("Elo ladder", exact=True).click()
    page.get_by_role("button", name="See what it means").click()
    page.get_by_role("button", name="Make the league").click()
    expect(page.get_by_text("Club is made. You own it.")).to_be_visible()
    assert League.objects.get().time_zone == "UTC"


@pytest.mark.usefixtures("club")
def test_a_taken_address_is_replaced_by_the_free_one(organise: Desk) -> None:
    page = organise("/admin/leagues/+new/")
    page.get_by_label("Title").fill("Club")
    page.get_by_text("Elo ladder", exact=True).click()
    page.get_by_role("button", name="See what it means").click()
    page.get_by_role("button", name="Take “club-2”").click()
    expect(page.get_by_label("Address")).to_have_value("club-2")
    page.get_by_role("button", name="See what it means").click()
    expect(page.get_by_text("/leagues/club-2/")).to_be_visible()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.usefixtures("club")
def test_a_rule_is_tried_and_a_coming_one_withdrawn(organise: Desk, look: str) -> None:
    page = organise("/admin/leagues/club/rules/", **LOOKS[look])
    page.get_by_label("K", exact=True).fill("40")
    page.get_by_label("From").fill("2024-01-01")
    page.get_by_role("button", name="Show what it would do").click()
    expect(page.get_by_text("1 game would be rated anew, 2 people would stand otherwise today.")).to_be_visible()
    fits(page)
    page.get_by_role("button", name="Withdraw this rule").click()
    expect(page.get_by_text("The rule from 2150-01-01 is withdrawn")).to_be_visible()


def test_jobs_refresh_themselves_until_they_have_ended(organise: Desk, club: League) -> None:
    page = organise("/admin/leagues/club/jobs/")
    expect(page.get_by_text("rating, 25 %")).to_be_visible()
    Job.objects.filter(league=club).update(done=3)
    expect(page.get_by_text("rating, 75 %")).to_be_visible(timeout=9000)
    Job.objects.filter(league=club).update(state="done", ended_at=timezone.now())
    expect(page.get_by_text("Done ")).to_be_visible(timeout=9000)
