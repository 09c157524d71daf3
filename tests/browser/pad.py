"""The score pad in a real browser: seats, sheets, and what it keeps while there is no network."""

import re
from collections.abc import Sequence

from playwright.sync_api import Locator, Page, expect

from league.models import League
from tests.browser.visits import Opener
from tests.helpers.desk_client import PAD


def expect_seated(page: Page, names: Sequence[str]) -> None:
    """Wait until people of these names sit at the table, in this order."""
    expect(page.locator("#seats .called:not(.soft)")).to_have_text(list(names), use_inner_text=True)


def score_in(page: Page, seat: int) -> Locator:
    """Return the field for the result of a seat; its label says whose it is."""
    return page.locator("#seats > li").nth(seat - 1).get_by_label(re.compile("^(Score|Place) (of|in seat) "))


def type_initials(page: Page, text: str) -> None:
    """Seat people by their initials."""
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type(text)


def type_sheet(page: Page, *scores: str, waits: int = 0) -> None:
    """Seat the first four and type their scores; the last one is proposed unless it is typed, too.

    ``waits``: so many sheets wait for the network then.
    """
    type_initials(page, "abbccdde")
    for score in scores:
        page.keyboard.type(score)
        page.keyboard.press("Enter")
    if len(scores) < 4:
        page.keyboard.press("Enter")
    if waits:
        expect_waiting(page, waits)


def record_sheet(page: Page, number: int) -> None:
    """Record what stands on the pad, as a game of this number."""
    page.locator("#record").click()
    expect(page.get_by_text(f"Game {number} recorded:")).to_be_visible()


def wait_for_worker(page: Page) -> Page:
    """Wait until the worker has the pad."""
    page.evaluate(
        """async () => {
            await navigator.serviceWorker.ready;
            const kept = () => caches.match(location.origin + location.pathname);
            while (!(await kept())) await new Promise((go) => setTimeout(go, 50));
        }"""
    )
    return page


def open_pad_offline(desk: Opener, path: str = PAD) -> Page:
    """Open the pad, and go where no network is."""
    page = wait_for_worker(desk(path))
    page.context.set_offline(True)
    return page


def go_online(page: Page) -> None:
    """Come back to the network: what waits is sent, and the next pad follows."""
    with page.expect_navigation():
        page.context.set_offline(False)


def lose_next_answer(page: Page) -> None:
    """Let the next sheet reach the server, and its answer be lost on the way."""
    page.evaluate(
        """() => {
            const real = window.fetch;
            window.fetch = async (where, how) => {
                const answer = await real(where, how);
                if (how && how.body instanceof URLSearchParams) { window.fetch = real; throw new TypeError("lost"); }
                return answer;
            };
        }"""
    )


def expect_waiting(page: Page, count: int) -> None:
    """Wait until so many sheets wait for the network."""
    games = "1 game is waiting" if count == 1 else f"{count} games are waiting"
    expect(page.locator("#waiting")).to_contain_text(f"{games} for a connection.")


def change_waiting(page: Page, **more: int) -> None:
    """Change the times of the sheets that wait, by so many milliseconds from now."""
    page.evaluate(
        """(more) => {
            const key = document.getElementById("pad").dataset.waiting, sheets = JSON.parse(localStorage.getItem(key));
            for (const [name, by] of Object.entries(more)) for (const one of sheets) one[name] = Date.now() + by;
            localStorage.setItem(key, JSON.stringify(sheets));
        }""",
        more,
    )


def get_sheet_refused(desk: Opener, *, ago: int = 0) -> Page:
    """Type a sheet that does not add up, so many milliseconds ago, and let the league refuse it later."""
    page = open_pad_offline(desk)
    type_sheet(page, "10", "5", "-5", "-11", waits=1)
    change_waiting(page, at=-ago)
    page.context.set_offline(False)
    expect(page.locator("#waiting")).to_contain_text("Not recorded:")
    return page


def open_waiting_sheet(page: Page) -> None:
    """Open the first sheet of the list in the pad."""
    page.get_by_role("button", name="Open in the score pad").first.click()


def scores_of(league: League) -> list[list[float | None]]:
    """Return the scores of each game in its place."""
    games = league.games.order_by("played_at", "number")
    return [[line.score for line in game.results.order_by("seat")] for game in games]
