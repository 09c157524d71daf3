"""What if on a phone: what a link of the result leads to is below the sentence that stays at the upper edge."""

from playwright.sync_api import expect

from tests.browser.visits import Opener
from tests.helpers.builders import make_league, record, sheet


def test_a_row_of_the_result_leads_to_a_heading_in_sight(open_page: Opener) -> None:
    four = ("anna", "ben", "cleo", "dan")
    record(make_league("barbu", four), sheet(four, (-40, 90, 10, -60)))
    page = open_page("/leagues/club/what-if/", phone=True)
    page.set_viewport_size({"width": 390, "height": 500})
    page.locator("table.finish tbody a").first.click()
    page.wait_for_url("**#curve")
    for heading in ("curve", "why"):
        page.evaluate(f"location.hash = '{heading}'")
        sentence, below = page.locator(".stick.verdict").bounding_box(), page.locator(f"#{heading}").bounding_box()
        assert sentence
        assert below
        # The end of the page may come before the heading is at the upper edge.
        assert sentence["y"] == 0
        assert below["y"] >= sentence["height"]


def test_the_other_of_two_has_the_rest_of_the_one_point_and_the_cursor_stays(open_page: Opener) -> None:
    record(make_league("elo", ("anna", "ben", "clara")), sheet(("anna", "ben"), (1, 0)))
    page = open_page("/leagues/club/what-if/?p=anna&p=ben", phone=True)
    first, second = page.locator("[name=r]").all()
    for typed, rest in (("1", "0"), ("0,5", "½"), ("0", "1"), ("½", "½"), ("7", "")):
        first.fill(typed)
        expect(second).to_have_value(rest)
    second.fill("1")
    expect(first).to_have_value("0")
    expect(page.locator(".stick.verdict")).to_contain_text("0–1")
    with page.expect_navigation():
        second.press("Enter")
    expect(page.locator("[name=r]").nth(1)).to_be_focused()
    with page.expect_navigation():
        page.get_by_role("link", name="Clear").click()
    expect(page.locator("[name=p]").first).to_be_focused()
    # A name that is wrong has the cursor, whichever field was left.
    page.locator("[name=p]").first.fill("anna")
    page.locator("[name=p]").nth(1).fill("nobody")
    with page.expect_navigation():
        page.locator("[name=p]").nth(1).press("Enter")
    expect(page.locator("[aria-invalid=true]").first).to_be_focused()
