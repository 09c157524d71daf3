"""A frame on another site has the height of its content, from the code that one copies."""

import pytest
from playwright.sync_api import expect

from tests.browser.visits import Opener
from tests.helpers.builders import make_league, record, sheet

pytestmark = pytest.mark.slow("tests/apps/sharing/test_pages_out.py holds the height of the code.")


@pytest.mark.parametrize(("players", "width"), [(3, 320), (12, 480), (12, 1000)])
def test_a_frame_follows_its_content(open_page: Opener, players: int, width: int) -> None:
    names = [f"p{number}" for number in range(players)]
    league = make_league(players=tuple(names))
    for first, second in zip(names, [*names[1:], names[0]], strict=True):
        record(league, sheet((first, second), (1, 0)))
    page = open_page("/leagues/club/share/")
    code = page.locator("#code").input_value()
    # A page that is nothing but the copied code.
    site = page.url.split("/leagues/")[0] + "/site-of-the-club/"
    page.route(
        site, lambda route: route.fulfill(body=f"<!DOCTYPE html><title>Club</title>{code}", content_type="text/html")
    )
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(site)
    frame = page.frame_locator("iframe")
    expect(frame.locator("tbody tr").last).to_be_visible()
    needed = frame.locator("body").evaluate("body => Math.ceil(body.getBoundingClientRect().bottom)")
    expect(page.locator("iframe")).to_have_attribute("height", str(needed))
    assert frame.locator("html").evaluate("root => root.scrollHeight <= innerHeight")
    # It grows with its content.
    frame.locator("body").evaluate(
        "body => body.append(Object.assign(document.createElement('p'), {style: 'height: 400px'}))"
    )
    expect(page.locator("iframe")).not_to_have_attribute("height", str(needed))
