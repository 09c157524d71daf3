"""A real browser: Chrome or Chromium, nothing from outside, no error on any page."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from script.chrome import MISSING, find_chrome

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

#: What a browser says by itself where a test cuts the network, ends a session, or lets a script's sheet be refused.
EXPECTED = ("ERR_INTERNET_DISCONNECTED", "status of 401", "status of 403", "status of 409", "status of 422")

Opener = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return Chromium; where it is missing, say how to get it and fail."""
    chromium = find_chrome()
    if chromium is None:
        pytest.fail(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


def go(page: Page, path: str) -> Page:
    """Lead an open page to another path of the same site."""
    address = urlsplit(page.url)
    page.goto(f"{address.scheme}://{address.netloc}{path}")
    return page


@pytest.fixture
def known_faults() -> list[str]:
    """Return what a test may add to, where it provokes what a browser then says on its console."""
    return []


@pytest.fixture
def open_page(browser: Browser, live_server: Any, known_faults: list[str]) -> Iterator[Opener]:
    """Return what opens a path; fails on an error on the page and on a request to another host."""
    faults: list[str] = []
    contexts = []

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("console", lambda line: hear(line.text) if line.type == "error" else None)
        page.on("request", lambda request: check(request.url))

    def hear(text: str) -> None:
        if not any(known in text for known in (*EXPECTED, *known_faults)):
            faults.append(f"console: {text}")

    def check(url: str) -> None:
        if not url.startswith((live_server.url, "data:", "blob:")):
            faults.append(f"outside: {url}")

    def opened(path: str, *, dark: bool = False, phone: bool = False, script: bool = True) -> Page:
        size = {"width": 360, "height": 780} if phone else {"width": 1200, "height": 900}
        context = browser.new_context(
            color_scheme="dark" if dark else "light",
            viewport=size,  # type: ignore[arg-type]  # the library's own dict type
            java_script_enabled=script,
            # A colour on its way from one to another is looked at by axe as it is on the way.
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        watch(page)
        page.goto(live_server.url + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []
