"""The pad in a basement speaks the language in which it was opened: its worker keeps the words of its scripts, too."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.clubs import make_club
from tests.browser.pad import type_sheet, wait_for_worker
from tests.browser.visits import Opener
from tests.helpers.desk_client import PAD

#: The words of a script, which no page has said yet: asked of the catalogue that the page has loaded.
CATALOGUE = "() => Boolean(window.django && window.django.catalog) && [...document.scripts].map((one) => one.src)"


def words_of(page: Page) -> list[str]:
    """Return which words a page has loaded; none where they did not come."""
    loaded = page.evaluate(CATALOGUE)
    return [address.rsplit("/", 1)[1] for address in loaded or [] if "/look/texts-" in address]


def test_the_words_of_the_language_are_kept_for_the_basement(desk: Opener) -> None:
    make_club()
    page = wait_for_worker(desk(PAD + "?lang=de"))
    page.goto(page.url.split("?")[0])
    wait_for_worker(page)
    assert words_of(page) == ["texts-de.js"]
    page.wait_for_function("async () => Boolean(await caches.match('/look/texts-de.js'))")
    page.context.set_offline(True)
    page.reload()
    assert page.locator("html").get_attribute("lang") == "de"
    assert words_of(page) == ["texts-de.js"]
    type_sheet(page, "10", "5", "-5")
    expect(page.locator("#waiting li")).to_have_count(1)


@pytest.mark.slow("A rare turn: a script that did not come.")
def test_without_their_words_scripts_speak_english(desk: Opener) -> None:
    make_club()
    page = wait_for_worker(desk(PAD))
    # As if the script of words had not come: it leaves its functions out where another one has made them.
    page.context.add_init_script("window.django = { jsi18n_initialized: true };")
    page.context.set_offline(True)
    page.reload()
    assert not page.evaluate("() => Boolean(window.get_format)")
    type_sheet(page, "10", "5", "-5", waits=1)
    expect(page.get_by_role("heading", name="Next game")).to_be_visible()
    type_sheet(page, "20", "0", "0", waits=2)
