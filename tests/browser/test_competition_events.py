"""A competition's pages in a browser: what stands where on a phone, the list of rounds, and a sheet of paper each."""

import re

import pytest
from playwright.sync_api import Page, expect

from league.apps.competitions.services.competitions import finish_competition
from league.models import Player
from tests.browser.visits import Opener, check_narrow, check_public_page, go, run_in_looks
from tests.helpers.builders import league_of, make_league
from tests.helpers.running_competitions import play_round, run_competition

CUP, DESK = "/leagues/club/competitions/cup/", "/admin/leagues/club/competitions/cup/"
LONG = "Maximiliana-Theodora von Hohenlohe-Waldenburg-Schillingsfürst"
RIGHT_TO_LEFT = "عبد الرحمن بن عبد العزيز"


#: The columns of a cross table that the name or the points cover in part, after a scroll.
CUT_COLUMNS = """(start) => {
  const table = document.querySelector(".cross");
  table.parentElement.scrollLeft = start;
  const boxes = [...table.querySelectorAll("thead th")].map((one) => one.getBoundingClientRect());
  const [left, right] = [boxes[1].right, boxes.at(-1).left];
  return boxes.slice(2, -1).filter((one) => [left, right].some((at) => one.left < at - 1 && at + 1 < one.right)).length;
}"""


def play_swiss(entries: int, rounds: int, planned: int) -> None:
    """Run a Swiss with titles, a long name and one that is read from the right."""
    players = [f"guest{number}" for number in range(1, entries + 1)]
    league = make_league(players=players, game="Chess")
    for handle, name in (("guest1", LONG), ("guest2", RIGHT_TO_LEFT)):
        Player.objects.filter(handle=handle).update(name=name)
    competition = run_competition(league, players, rounds=planned, tie_breaks=["BH/C1", "BH", "SB", "DE"])
    competition.entries.filter(number__lte=4).update(title="FM", rating=2105)
    for number in range(1, rounds + 1):
        play_round(league, number, *[(1, 0)] * (entries // 2))


def find_top(page: Page, selector: str) -> float:
    """Return how far below the top of the page something stands."""
    top: float = page.locator(selector).first.evaluate("one => one.getBoundingClientRect().top + scrollY")
    return top


@run_in_looks(quick="phone")
def test_the_end_shows_the_podium_first(open_page: Opener, look: dict[str, bool]) -> None:
    play_swiss(6, 3, 3)
    finish_competition_of_club()
    page = go(open_page("/status/", **look), CUP)
    check_public_page(page)
    check_narrow(page)
    # The winner has a name of sixty letters here.
    assert find_top(page, ".leadline") <= 400
    assert find_top(page, ".plate .s1") <= 560
    assert page.locator(".plate .block").count() >= 3


def finish_competition_of_club() -> None:
    """Finish the cup of the club."""
    finish_competition(league_of().pk, "cup", by="arbiter")


@run_in_looks(quick="phone")
def test_rounds_are_reached_from_one_line(open_page: Opener, look: dict[str, bool]) -> None:
    play_swiss(10, 4, 5)
    page = go(open_page("/status/", **look), f"{CUP}rounds/3/")
    check_public_page(page)
    check_narrow(page)
    stepper = page.locator(".stepper")
    for key in stepper.locator("> a, summary").all():
        box = key.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 44
    stepper.locator("summary").click()
    expect(stepper.locator("li a")).to_have_text(["1", "2", "3", "4"])
    check_public_page(page)
    stepper.get_by_role("link", name="Round 1").click()
    expect(page.locator("h1")).to_have_text(re.compile("Round 1 of 5"))
    page.keyboard.press("Escape")
    stepper.locator("a[rel=next]").click()
    expect(page.locator("h1")).to_have_text(re.compile("Round 2 of 5"))
    go(page, f"{CUP}cross-table/#no1")
    check_narrow(page)
    assert [page.evaluate(CUT_COLUMNS, start) for start in (0, 70, 5000)] == [0, 0, 0]


@pytest.mark.parametrize("sheet", ["pairings", "standings", "cross-table"])
def test_a_sheet_is_one_page_of_paper(desk: Opener, sheet: str) -> None:
    play_swiss(24, 3, 5)
    page = desk(f"{DESK}print/{sheet}/")
    paper = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", paper)) == 1
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1040})
    expect(page.get_by_text("Public page")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
