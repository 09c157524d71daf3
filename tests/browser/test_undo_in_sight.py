"""What undoes a game that was just recorded, in a browser: it is in sight where the page goes on further down."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.pad import score_in
from tests.browser.visits import Opener, check_page
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.desk_client import PAD

#: A phone, a phone whose keyboard takes half of it, and a desktop.
WINDOWS: tuple[ViewportSize, ...] = (
    {"width": 390, "height": 844}, {"width": 390, "height": 480}, {"width": 1280, "height": 720},
)  # fmt: skip
PLAYERS = tuple(f"player-{number:02}" for number in range(12))
#: Whether the middle of a part is what a pointer meets there.
MET = """(part) => {
  const { left, right, top, bottom } = part.getBoundingClientRect();
  const met = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return part === met || part.contains(met);
}"""

in_windows = pytest.mark.parametrize("window", WINDOWS, ids=lambda one: f"{one['width']}x{one['height']}")


def check_undo(page: Page) -> None:
    """Assert that the undo is wholly in sight and can be pressed, wherever the page has gone on."""
    undo = page.locator(".toast").get_by_role("button", name="Undo")
    expect(undo).to_be_in_viewport(ratio=1)
    assert undo.evaluate(MET)


@in_windows
def test_a_game_of_the_pad(desk: Opener, window: ViewportSize) -> None:
    league = make_league(players=PLAYERS)
    make_competition(league, "round_robin")
    start(league, PLAYERS)
    page = desk(f"{PAD}?players={PLAYERS[0]},{PLAYERS[1]}")
    page.set_viewport_size(window)
    score_in(page, 1).fill("1")
    score_in(page, 2).fill("0")
    with page.expect_navigation():
        page.locator("#record").click()
    expect(page.locator("#find")).to_be_focused()
    check_undo(page)
    assert page.locator("#find").evaluate(MET)
    check_page(page)
    # Back by keys, nothing that is reached is behind it.
    for _ in range(8):
        page.keyboard.press("Shift+Tab")
        assert page.locator(":focus").evaluate(MET), page.locator(":focus").inner_text()


@in_windows
def test_what_was_undone_is_said_in_sight_though_the_key_below_has_the_focus(
    desk: Opener, window: ViewportSize
) -> None:
    make_league(players=PLAYERS)
    page = desk(f"{PAD}?players={PLAYERS[0]},{PLAYERS[1]}")
    page.set_viewport_size(window)
    score_in(page, 1).fill("1")
    score_in(page, 2).fill("0")
    with page.expect_navigation():
        page.locator("#record").click()
    with page.expect_navigation():
        page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator("#record")).to_be_focused()
    assert page.evaluate("scrollY") == 0
    expect(page.get_by_text("Game 1 was undone")).to_be_in_viewport(ratio=1)
    assert page.locator("#record").evaluate(MET)


@in_windows
def test_a_quick_key_of_a_competition(desk: Opener, window: ViewportSize) -> None:
    league = make_league(players=PLAYERS)
    make_competition(league, "round_robin")
    start(league, PLAYERS)
    page = desk("/admin/leagues/club/competitions/cup/")
    page.set_viewport_size(window)
    with page.expect_navigation():
        page.locator("form.quick").nth(4).get_by_role("button").first.click()
    check_undo(page)
    assert page.evaluate("scrollY") > 0
    assert page.locator(".meets > li:target").evaluate(MET)
    check_page(page)
