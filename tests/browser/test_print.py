"""What comes out of the printer: one sheet for a month, with all that tells where it is from."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from league.core.ladders.services.decisions import close_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Edition, League
from tests.browser.measures import BEYOND, contrast
from tests.browser.visits import Opener, go
from tests.helpers.builders import make_league, record, sheet

WHERE = "/leagues/club/ladders/month/2024-03/"


def month(people: int) -> League:
    """Return a league with so many players in one closed month of three evenings."""
    handles = [f"p{number}" for number in range(people)]
    league = make_league("barbu", handles)
    create_ladder(league.pk, "month", "Ladder of the month", RankingRule("erf_mean", "month"), username="test")
    for first in range(0, people, 4):
        seats = [handles[(first + seat) % people] for seat in range(4)]
        day = datetime(2024, 3, 7, 20, tzinfo=UTC) + timedelta(days=7 * (first % 3), minutes=first)
        record(league, sheet(seats, (60, 10, -20, -50), played_at=day))
    close_period(league.pk, "month", "2024-03", username="test")
    return league


def test_on_paper_stand_the_edition_its_hash_and_its_address_and_nothing_to_press(open_page: Opener) -> None:
    month(8)
    page = open_page(WHERE)
    foot = page.locator(".sheetfoot")
    expect(foot).to_be_hidden()
    page.emulate_media(media="print")
    expect(foot).to_be_visible()
    expect(foot).to_contain_text(Edition.objects.get().sha256)
    expect(foot).to_contain_text(f"{WHERE}?edition=1")
    expect(foot.locator("svg.qr")).to_be_visible()
    expect(foot).to_contain_text("Club, Ladder of the month, March 2024.")
    expect(foot).to_contain_text(f"Edition 1, published {Edition.objects.get().published_at:%-d %b %Y}")
    expect(page.locator(".lhead")).to_contain_text("Club")
    expect(page.get_by_role("heading", name="March 2024")).to_be_visible()
    expect(page.locator(".standings")).to_be_visible()
    expect(page.locator(".race svg").first).to_be_visible()
    for gone in (".top", ".tabs", ".pick", "main form", "main details", ".foot", "#editions"):
        for one in page.locator(gone).all():
            expect(one).to_be_hidden()
    page.set_viewport_size({"width": 673, "height": 1017})
    tops = page.locator(".plot .lab").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert all(later - earlier > 8 for earlier, later in zip(sorted(tops), sorted(tops)[1:], strict=False))


#: What shows of a page on paper: colours of the ground, of links and of headings, by the browser's own reading.
ON_PAPER = """() => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
    .getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const shown = (what) => [...document.querySelectorAll(what)].filter((one) => one.checkVisibility());
  const grounds = shown("html, body, body *").filter((one) => !one.closest("svg, .medal"));
  return {
    grounds: grounds.map((one) => rgb(getComputedStyle(one).backgroundColor)),
    texts: shown("main a, main h1, main th, main td, main p").map((one) => rgb(getComputedStyle(one).color)),
    gone: shown("nav, form, button, .btn, .top, .foot, .tabs, .skip").map((one) => one.outerHTML.slice(0, 80)),
  };
}"""
SHEETS = {
    "board": "/leagues/club/",
    "player": "/leagues/club/players/p1/",
    "game": "/leagues/club/games/1/",
    "period": "/leagues/club/ladders/month/2024-03/",
    "ladders": "/leagues/club/ladders/",
    "games": "/leagues/club/games/",
    "rules": "/leagues/club/how/",
    "leagues": "/",
}


@pytest.mark.slow("Prints every page.")
def test_every_page_prints_black_on_white_and_a_month_and_a_board_on_one_sheet_each(open_page: Opener) -> None:
    """From a dark screen too: no navigation, no dark ground, nothing beyond the edge, all words legible."""
    people = 30
    month(people)
    page = open_page(WHERE)
    expect(page.locator(".standings tbody tr")).to_have_count(people)
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    # A4 is 210 by 297 mm: 595 by 842 points.
    sides = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)[0]
    assert [round(float(side)) for side in sides] == [595, 842]
    expect(go(page, "/leagues/club/").locator(".board tbody tr")).to_have_count(people)
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1
    page.emulate_media(media="print", color_scheme="dark")
    # A4 less its margins: 178 by 269 mm at 96 dots an inch.
    page.set_viewport_size({"width": 673, "height": 1017})
    for name, path in SHEETS.items():
        shown = go(page, path).evaluate(ON_PAPER)
        assert (name, shown["gone"]) == (name, [])
        assert (name, [ground for ground in shown["grounds"] if min(ground) < 220]) == (name, [])
        assert min(contrast(tuple(text), (255, 255, 255)) for text in shown["texts"]) >= 4.5, name
        assert (name, page.evaluate(BEYOND)) == (name, [])
