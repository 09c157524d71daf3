"""The form of a private link on a phone: nothing moves under the finger that taps a result."""

from playwright.sync_api import expect

from league.models import League
from tests.browser.visits import Opener
from tests.helpers.report_builders import link_of, reporting_club


def test_the_keys_below_a_result_stand_still_while_it_is_tapped(desk: Opener) -> None:
    league = reporting_club()
    League.objects.filter(pk=league.pk).update(seats=2)
    page = desk(f"/report/{link_of(league, 'anna')}/", phone=True)
    page.locator("#chips").get_by_role("button", name="Ben").click()
    keys = page.locator("#results")
    expect(keys).to_be_visible()
    keys.evaluate("keys => keys.scrollIntoView({block: 'center'})")
    boxes = [page.locator("#clear"), page.locator("#record")]
    before = [one.bounding_box() for one in boxes]
    keys.get_by_role("button").first.click()
    expect(page.locator("#outcome")).not_to_be_empty()
    expect(page.locator("#seats")).to_contain_text("+")
    assert [one.bounding_box() for one in boxes] == before
