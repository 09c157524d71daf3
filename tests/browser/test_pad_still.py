"""The score pad in a real browser: it stands still while its script starts."""

import pytest
from playwright.sync_api import expect

from tests.browser.clubs import make_club
from tests.browser.visits import Opener, check_still, run_in_looks
from tests.helpers.builders import record, sheet
from tests.helpers.desk_client import PAD


@run_in_looks("phone", ("light", "phone"))
@pytest.mark.parametrize(("system", "scores"), [("barbu", (30, -10, 5, -25)), ("elo", (3, 1))])
def test_an_empty_pad_stands_still_while_its_script_starts(
    desk: Opener, system: str, scores: tuple[int, ...], look: dict[str, bool]
) -> None:
    """Chips, keys and seats beyond the usual table are as the script leaves them before it comes."""
    books = make_club(system)
    record(books, sheet(("anna", "ben", "cleo", "dan")[: len(scores)], scores))
    page = desk(PAD, **look)
    expect(page.locator("#find")).to_be_focused()
    check_still(page)
