"""Visits of pages in a real browser: in which looks and languages, and what each visit demands of a page.

``script/test`` visits each kind of page once, in one look; ``script/test --all`` in three looks and all languages.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize

from tests.browser.measures import shifts, weak_inputs

Opener = Callable[..., Page]
LOOKS: dict[str, dict[str, bool]] = {"light": {}, "dark": {"dark": True}, "phone": {"phone": True}}
LANGUAGES = ("de", "pl", "ru", "sr")
#: The window of the narrowest phone.
PHONE: ViewportSize = {"width": 360, "height": 780}
#: A window of 1280 pixels at 400 % (WCAG 2.2, 1.4.10).
ENLARGED: ViewportSize = {"width": 320, "height": 256}
#: Cumulative layout shift of a page that stands still, late scripts and charts included.
STILL = 0.01
#: What axe finds: its rules, each with the first parts that break it. A bar that stays at an edge covers nothing for
#: ever, so that it stands below the page while the room for fingers is measured.
VIOLATIONS = f"""() => {{
  {AXE_SCRIPT};
  const bars = [...document.querySelectorAll("main *")].filter((one) => getComputedStyle(one).position === "sticky");
  for (const one of bars) one.style.position = "static";
  const rules = {{ "target-size": {{ enabled: true }} }};
  return axe.run({{ resultTypes: ["violations"], rules }}).then(({{ violations }}) => {{
    for (const one of bars) one.style.position = "";
    return violations.map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.target)]);
  }});
}}"""
#: Keys and fields that are lower than a thumb needs, but for those within some parts.
SMALL_KEYS = """(but) =>
  [...document.querySelectorAll("main button, main input:not([type=hidden], [type=radio], [type=checkbox])")]
    .filter((one) => one.checkVisibility() && !one.closest("[aria-hidden=true]") && !(but && one.closest(but)))
    .filter((one) => one.getBoundingClientRect().height < 44)
    .map((one) => one.outerHTML.slice(0, 80))"""


def run_in_looks(quick: str = "light", looks: tuple[str, ...] = tuple(LOOKS)) -> pytest.MarkDecorator:
    """Run a test in looks: in one always, in the others where all is run."""
    other = pytest.mark.slow("The same pages in another look.")
    cases = [pytest.param(LOOKS[name], id=name, marks=() if name == quick else other) for name in looks]
    return pytest.mark.parametrize("look", cases)


def run_in_languages() -> pytest.MarkDecorator:
    """Run a test in every language: in Russian, whose words are the longest, always, in the others where all is run."""
    other = pytest.mark.slow("The same pages in another language.")
    cases = [pytest.param(code, marks=() if code == "ru" else other) for code in LANGUAGES]
    return pytest.mark.parametrize("code", cases)


def go(page: Page, path: str) -> Page:
    """Lead an open page to another path of the same site."""
    address = urlsplit(page.url)
    page.goto(f"{address.scheme}://{address.netloc}{path}")
    return page


def sign_in(page: Page, name: str, password: str) -> None:
    """Sign in by the form of a page."""
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def check_width(page: Page) -> None:
    """Assert that a page is no wider than its window."""
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth"), page.url


def check_narrow(page: Page) -> None:
    """Assert that an open page is no wider than a desktop's window at 400 % either."""
    before = page.viewport_size
    assert before
    page.set_viewport_size(ENLARGED)
    check_width(page)
    page.set_viewport_size(before)


def check_page(page: Page) -> None:
    """Assert that axe finds nothing on a page, and that it fits."""
    page.wait_for_load_state()
    violations: Any = page.evaluate(VIOLATIONS)
    assert (page.url, violations) == (page.url, [])
    check_width(page)


def check_desk_page(page: Page, *, but: str = "") -> None:
    """Assert that a page is accessible, fits, and has keys that a thumb can press, but for those within some parts."""
    check_page(page)
    assert (page.url, page.evaluate(SMALL_KEYS, but)) == (page.url, [])


def check_public_page(page: Page) -> None:
    """Assert that a page stands still, that its inputs stand out, that it is accessible and fits."""
    check_still(page)
    assert (page.url, weak_inputs(page)) == (page.url, [])
    check_page(page)


def check_still(page: Page) -> None:
    """Assert that nothing has moved since a page began."""
    jump, moved = shifts(page)
    assert jump < STILL, (page.url, moved)


def check_readable(page: Page) -> None:
    """Assert that something stands on a page."""
    assert len(page.locator("main").inner_text()) > 60, page.url
