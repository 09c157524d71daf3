"""Pages in other languages on the narrowest phone: longer words, other letters, and a page that runs the other way.

In Russian every kind of page is visited by test_browser.py and test_desk_pages.py.
"""

from typing import Any

import pytest
from playwright.sync_api import expect

from league.models import League
from tests.browser.clubs import make_ruled_club
from tests.browser.public_pages import PAGES
from tests.browser.visits import LANGUAGES, Opener, check_desk_page, check_page, go
from tests.helpers.desk_client import DESK
from tests.helpers.ladder_builders import make_ladder

PARTS = ("", "record/", "games/", "games/1/correct/", "people/", "rules/", "ladders/", "ladders/month/", "settings/",
        "jobs/", "log/")  # fmt: skip


@pytest.fixture
def hebrew(settings: Any) -> None:
    """Offer a language that is written from right to left, although nothing of ours is translated into it."""
    settings.LANGUAGES = [*settings.LANGUAGES, ("he", "עברית")]


@pytest.mark.slow("The same pages in every language.")
@pytest.mark.usefixtures("hebrew")
@pytest.mark.parametrize("code", [*LANGUAGES, "he"])
def test_pages_fit_and_are_accessible(league: League, open_page: Opener, code: str) -> None:
    page = open_page(f"/?lang={code}", phone=True)
    assert page.evaluate("document.documentElement.dir") == ("rtl" if code == "he" else "")
    for path in PAGES.values():
        check_page(go(page, path))


@pytest.mark.slow("The same pages in every language.")
@pytest.mark.parametrize("code", LANGUAGES)
def test_pages_of_the_desk_fit_and_are_accessible(desk: Opener, code: str) -> None:
    make_ladder(make_ruled_club())
    page = desk(f"/?lang={code}", phone=True)
    for part in PARTS:
        check_desk_page(go(page, DESK + part))
        assert page.evaluate("document.documentElement.lang") == code


def test_a_reader_chooses_a_language_and_it_stays(league: League, open_page: Opener) -> None:
    page = open_page("/leagues/club/", phone=True)
    page.get_by_role("link", name="Deutsch").click()
    expect(page.get_by_role("link", name="Partien", exact=True)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    go(page, "/leagues/club/games/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
