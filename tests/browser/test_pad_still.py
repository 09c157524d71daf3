"""The score pad in a real browser: it stands still while its script starts."""

from playwright.sync_api import expect

from tests.browser.clubs import make_club
from tests.browser.visits import Opener, check_still, go, run_in_looks
from tests.helpers.builders import record, sheet
from tests.helpers.desk_client import PAD


@run_in_looks("phone", ("light", "phone"))
def test_an_empty_pad_stands_still_while_its_script_starts(desk: Opener, look: dict[str, bool]) -> None:
    """Chips, keys and seats beyond the usual table are as the script leaves them before it comes."""
    record(make_club(), sheet(("anna", "ben", "cleo", "dan"), (30, -10, 5, -25)))
    record(make_club("elo", slug="duels"), sheet(("anna", "ben"), (3, 1)))
    page = desk("/status/", **look)
    for path in (PAD, "/admin/leagues/duels/record/"):
        expect(go(page, path).locator("#find")).to_be_focused()
        check_still(page)
