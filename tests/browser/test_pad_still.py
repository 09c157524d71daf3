"""The score pad in a real browser: it stands still while its script starts."""

import pytest
from playwright.sync_api import expect

from tests.browser.measures import shifts
from tests.browser.test_browser import STILL
from tests.browser.test_desk import Desk, club, desk
from tests.helpers.builders import record, sheet

__all__ = ["desk"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database("How the pad is drawn; what is recorded, tests/league asks on both."),
]


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize(("system", "scores"), [("barbu", (30, -10, 5, -25)), ("elo", (3, 1))])
def test_an_empty_pad_stands_still_while_its_script_starts(
    desk: Desk, system: str, scores: tuple[int, ...], *, phone: bool
) -> None:
    """Chips, keys and seats beyond the usual table are as the script leaves them before it comes."""
    books = club(system)
    record(books, sheet(("anna", "ben", "cleo", "dan")[: len(scores)], scores))
    page = desk("/admin/leagues/club/record/", phone=phone)
    expect(page.locator("#find")).to_be_focused()
    jump, moved = shifts(page)
    assert jump < STILL, moved
