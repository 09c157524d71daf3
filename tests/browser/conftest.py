"""A real browser: Chrome or Chromium, nothing from outside, no error on any page."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from league.models import League
from script.chrome import MISSING, find_chrome
from tests.browser.public_pages import make_public_league
from tests.browser.visits import PHONE, Opener

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
#: Milliseconds after which a browser hangs; no machine is so slow.
HANG = 60_000
DESKTOP: ViewportSize = {"width": 1200, "height": 900}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let every test here see what the server writes, on one database; tests/web/organiser asks on both."""
    item.add_marker(pytest.mark.django_db(transaction=True))
    item.add_marker(
        pytest.mark.one_database("What a browser shows and does; what is written, tests/web/organiser asks.")
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return Chromium; where it is missing, say how to get it and fail."""
    chromium = find_chrome()
    if chromium is None:
        pytest.fail(MISSING)
    expect.set_options(timeout=HANG)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def known_faults() -> list[str]:
    """Return what a test may add to, where it provokes what a browser then says on its console."""
    return []


@pytest.fixture
def open_page(browser: Browser, live_server: Any, known_faults: list[str]) -> Iterator[Opener]:
    """Return what opens a path, signed in as a user; fails on an error on a page and on a request to another host."""
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

    def opened(path: str, *, dark: bool = False, phone: bool = False, script: bool = True, user: str = "") -> Page:
        size = PHONE if phone else DESKTOP
        context = browser.new_context(
            color_scheme="dark" if dark else "light",
            viewport=size,
            java_script_enabled=script,
            # A colour on its way from one to another is looked at by axe as it is on the way.
            reduced_motion="reduce",
        )
        contexts.append(context)
        context.set_default_timeout(HANG)
        if user:
            context.add_cookies([{"name": "sessionid", "value": open_session(user), "url": live_server.url}])
        page = context.new_page()
        watch(page)
        page.goto(live_server.url + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def open_session(name: str) -> str:
    """Sign a user in without a browser; returns the key of the session."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client.cookies["sessionid"].value


@pytest.fixture
def desk(open_page: Opener) -> Opener:
    """Return what opens a page as an organiser of the whole site who is signed in."""
    User.objects.create_superuser("olga")
    return partial(open_page, user="olga")


@pytest.fixture
def league() -> League:
    """Return the league on which the public pages are visited."""
    return make_public_league()
