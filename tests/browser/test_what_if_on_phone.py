"""What if on a phone: what a link of the result leads to is below the sentence that stays at the upper edge."""

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
