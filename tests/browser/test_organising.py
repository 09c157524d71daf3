"""A new league, rules, settings, log and jobs in a real browser: by keys, in every look, and without script."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from league.core.leagues.services.templates import TEMPLATES
from league.models import Job, League
from tests.browser.clubs import make_ruled_club
from tests.browser.visits import Opener, check_desk_page, run_in_looks


@run_in_looks()
def test_a_league_is_founded_by_keys_in_the_browsers_zone(desk: Opener, look: dict[str, bool]) -> None:
    page = desk("/admin/", **look)
    page.get_by_role("link", name="New league").press("Enter")
    expect(page.get_by_role("heading", name="What do you play?")).to_be_visible()
    page.wait_for_load_state()
    assert page.evaluate("scrollY") == 0
    check_desk_page(page)
    count = 0
    while page.evaluate("document.activeElement.name") != "q":
        page.keyboard.press("Tab")
        count += 1
    keys = "foos"
    page.keyboard.type(keys)
    expect(page.locator(".pick:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Title")).to_be_focused()
    # The browser focuses before the script that fills the address has come.
    page.wait_for_load_state()
    assert page.evaluate("scrollY") == 0
    check_desk_page(page)
    title = "Thursday club"
    page.keyboard.type(title)
    count += len(keys) + 1 + len(title)
    expect(page.get_by_label("Address")).to_have_value("thursday-club")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No games yet. Start here:")).to_be_visible()
    assert count + 1 <= 30
    check_desk_page(page)
    league = League.objects.get()
    assert (league.slug, league.game) == ("thursday-club", "Foosball")
    assert league.time_zone == page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")


@pytest.mark.slow("What the form sends, tests/web/organiser holds; that it can be sent without script, this.")
def test_a_league_is_founded_without_script(desk: Opener) -> None:
    page = desk("/admin/leagues/+new/", script=False)
    page.get_by_label("What do you play?").fill("elo ladder")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Elo ladder For any game").click()
    page.get_by_label("Title").fill("Club")
    page.get_by_role("button", name="Create league").click()
    expect(page.get_by_text("Club was created. You are its owner.")).to_be_visible()
    assert League.objects.get().time_zone == "UTC"


@pytest.mark.slow("tests/core/leagues/test_founding.py holds it.")
def test_a_taken_address_is_replaced_by_the_free_one(desk: Opener) -> None:
    make_ruled_club()
    page = desk("/admin/leagues/+new/?template=elo")
    page.get_by_label("Title").fill("Club")
    page.get_by_role("button", name="Create league").click()
    page.get_by_role("button", name="Use “club-2”").click()
    expect(page.get_by_label("Address")).to_have_value("club-2")
    page.get_by_role("button", name="Create league").click()
    expect(page.get_by_text("Club was created.")).to_be_visible()
    assert League.objects.filter(slug="club-2").exists()


@run_in_looks(quick="phone")
def test_a_game_without_a_template_is_founded_with_the_elo_ladder(desk: Opener, look: dict[str, bool]) -> None:
    page = desk("/admin/leagues/+new/", **look)
    offered = page.locator(".pick:visible")
    assert offered.count() == 6
    page.get_by_text("All templates").click()
    assert offered.count() == len(TEMPLATES)
    search = page.get_by_label("What do you play?")
    search.fill("tennis")
    # Table tennis of one and of two, and tennis.
    expect(offered).to_have_count(3)
    search.fill("glicko")
    expect(offered).to_have_count(2)
    search.fill("Darts & more")
    expect(offered).to_have_count(0)
    check_desk_page(page)
    search.press("Enter")
    expect(page.get_by_label("Game", exact=True)).to_have_value("Darts & more")


@pytest.mark.slow("tests/web/organiser holds rules; a league is founded in the browser above.")
@run_in_looks()
def test_a_rule_is_tried_and_a_coming_one_withdrawn(desk: Opener, look: dict[str, bool]) -> None:
    make_ruled_club()
    page = desk("/admin/leagues/club/rules/", **look)
    page.get_by_label("K", exact=True).fill("40")
    page.get_by_label("From", exact=True).fill("2024-01-01")
    page.get_by_role("button", name="Preview").click()
    expect(
        page.get_by_text("1 game will be rated again, 2 players would have another rank or rating today.")
    ).to_be_visible()
    check_desk_page(page)
    page.get_by_role("button", name="Withdraw this rule").click()
    expect(page.get_by_text("The rule from 2150-01-01 was withdrawn")).to_be_visible()


@pytest.mark.slow("Waits for two refreshes.")
def test_jobs_refresh_themselves_until_they_have_ended(desk: Opener) -> None:
    league = make_ruled_club()
    page = desk("/admin/leagues/club/jobs/")
    expect(page.get_by_text("rating, 25%")).to_be_visible()
    Job.objects.filter(league=league).update(done=3)
    expect(page.get_by_text("rating, 75%")).to_be_visible()
    Job.objects.filter(league=league).update(state="done", ended_at=timezone.now())
    expect(page.get_by_text(re.compile(r"^\s*Done\s"))).to_be_visible()


@pytest.mark.slow("tests/web/organiser holds it; the page is visited by test_desk_pages.py.")
@run_in_looks()
def test_a_token_is_made_read_once_and_revoked(desk: Opener, look: dict[str, bool]) -> None:
    make_ruled_club()
    page = desk("/admin/leagues/club/tokens/", **look)
    page.get_by_label("Name").fill("server-7")
    page.get_by_role("button", name="Create token").press("Enter")
    expect(page.get_by_label("API token", exact=True)).to_have_value(re.compile("^rungs_"))
    expect(page.get_by_role("button", name="Copy token")).to_be_visible()
    check_desk_page(page)
    page.get_by_text("Revoke the token “server-7”").click()
    page.get_by_role("button", name="Revoke “server-7”").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The token “server-7” was revoked.")
    check_desk_page(page)
