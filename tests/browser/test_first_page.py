"""The first page of a site: its columns, on a phone, on a desk and on a wide screen."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page

from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import create_league
from tests.browser.visits import Opener, check_page, run_in_looks
from tests.helpers.builders import EVENING, make_league, record, sheet

LONG = "Benjamin-Maximilian von und zu Wolfeschlegelsteinhausenbergerdorff"


@pytest.fixture
def leagues() -> None:
    """Make a league with many evenings, one with a single game, one without games, and one without a rule."""
    busy = make_league("elo", slug="busy", game="Chess")
    for day in range(12):
        record(
            busy, sheet(("anna", "ben", "cleo", "dan"), places=(1, 2, 3, 4), played_at=EVENING + timedelta(days=day))
        )
    create_ladder(busy.pk, "month", "Points", RankingRule("points", "month"), username="test")
    record(make_league("elo", slug="once"), sheet(("anna", "ben"), scores=(1, 0), played_at=EVENING))
    make_league("elo", slug="empty")
    create_league("long", LONG[:60])


def lefts(page: Page, selector: str) -> list[int]:
    """Return the left edges of elements, rounded."""
    edges: list[int] = page.eval_on_selector_all(
        selector, "all => all.map((one) => Math.round(one.getBoundingClientRect().left))"
    )
    return edges


@run_in_looks()
@pytest.mark.usefixtures("leagues")
def test_the_first_page_stands_and_has_no_faults(open_page: Opener, look: dict[str, bool]) -> None:
    page = open_page("/?all", **look)
    assert page.locator(".leagues > li").count() == 4
    check_page(page)


@pytest.mark.usefixtures("leagues")
def test_the_columns_of_all_leagues_begin_at_the_same_places(open_page: Opener) -> None:
    page = open_page("/?all")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert len(set(lefts(page, ".leagues h2"))) == 1
    assert len(set(lefts(page, ".leagues :is(.three, .wait)"))) == 1
    # One league has a race before its last evening, the other has not.
    assert (page.locator(".leagues figure").count(), len(lefts(page, ".leagues .eve"))) == (1, 2)
    assert len(set(lefts(page, ".leagues .eve"))) == 1
    page.set_viewport_size({"width": 390, "height": 844})
    assert len(set(lefts(page, ".leagues :is(h2, .three, .wait, .eve)"))) == 1
    heights = page.eval_on_selector_all(".leagues .eve h3", "all => all.map((one) => one.offsetHeight)")
    # The day stands in one line, with the number of its games.
    assert max(heights) < 30
    # A league fits its lines: what runs, when its members last played, and who leads.
    rows = page.eval_on_selector_all(".leagues > li", "all => all.map((one) => one.offsetHeight)")
    assert max(rows) <= 120


@pytest.mark.usefixtures("leagues")
def test_a_wide_screen_has_two_columns_of_leagues(open_page: Opener) -> None:
    page = open_page("/?all")
    columns = {}
    for width in (1499, 1500, 1920):
        page.set_viewport_size({"width": width, "height": 1080})
        columns[width] = len(set(lefts(page, ".leagues > li")))
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert columns == {1499: 1, 1500: 2, 1920: 2}
    used = page.eval_on_selector("main", "(main) => main.getBoundingClientRect().width")
    assert used > 0.7 * 1920
