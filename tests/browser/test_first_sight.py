"""What a phone shows first: where the answer of a weekly page begins, and how long the page is."""

from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Player
from tests.browser.visits import Opener, check_page, go
from tests.helpers.builders import EVENING, make_league, record, sheet

PHONE: ViewportSize = {"width": 390, "height": 844}
#: Pixels that the page of a player or of a game may be long.
LONGEST = 3_500
NAMES = tuple(f"player-{number:02}" for number in range(12))
ANNA = "/leagues/club/players/player-00/"


def get_top(found: Locator) -> float:
    """Return how far below the top of the page an element begins."""
    return float(found.evaluate("one => one.getBoundingClientRect().top + scrollY"))


def get_height(page: Page) -> int:
    """Return the length of a page."""
    return int(page.evaluate("document.documentElement.scrollHeight"))


@pytest.fixture
def phone(open_page: Opener) -> Page:
    """Return a phone on a league of twelve and sixty games, with long names and names from right to left."""
    league = make_league(players=NAMES, close_after_hours=0)
    for number, handle in enumerate(NAMES):
        name = ("Benjamin-Maximilian von und zu Wolfeschlegelsteinhausenberg", "שמואל בן־גוריון")[number % 2]
        Player.objects.filter(handle=handle).update(name=f"{name} {number}")
    for day in range(60):
        players = (NAMES[0], *(NAMES[1 + (day + step) % 11] for step in range(3)))
        record(league, sheet(players, (30 - day, 10, day, -5), played_at=EVENING + timedelta(days=day)))
    create_ladder(league.pk, "month", "Score of the month", RankingRule("rating_score", "month"), username="test")
    advance(league.pk)
    page = open_page(ANNA, phone=True)
    page.set_viewport_size(PHONE)
    return page


def test_a_players_last_games_follow_the_chart(phone: Page) -> None:
    games, chart = phone.locator("#games"), phone.locator("figure.history")
    assert get_top(chart) < get_top(games) < 1_250
    expect(phone.locator(".own tbody tr:visible")).to_have_count(5)
    expect(phone.locator(".rivals tbody tr:visible")).to_have_count(5)
    for path in (ANNA, f"{ANNA}?page=2"):
        assert get_height(go(phone, path)) <= LONGEST
    check_page(phone)


def test_what_a_players_page_folds_opens_without_a_script(phone: Page, open_page: Opener) -> None:
    page = open_page(ANNA, phone=True, script=False)
    folded = page.locator("main details:not([open])")
    assert folded.count() >= 6
    while folded.count():
        folded.first.locator("> summary").click()
    expect(page.locator(".own tbody tr:visible")).to_have_count(25)
    expect(page.locator(".rivals tbody tr:visible")).to_have_count(10)
    expect(page.get_by_role("link", name="Next →")).to_be_visible()


def test_the_signed_ins_keys_stand_in_the_band(phone: Page, desk: Opener) -> None:
    page = desk(ANNA, phone=True)
    keys = page.locator(".lhead").get_by_role("link")
    for name in ("Record a game", "Overview", "Share and export"):
        box = keys.filter(has_text=name).bounding_box()
        assert box
        assert box["height"] >= 44
        assert box["width"] >= 44
    expect(page.locator("main .acts")).to_have_count(0)
