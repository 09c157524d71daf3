"""A real browser pastes an evening: read, one name decided, recorded; without script, on a phone and in the dark."""

import pytest
from playwright.sync_api import expect

from league.models import Game, Player
from tests.browser.visits import Opener, check_page, run_in_looks
from tests.helpers.builders import make_league, record, sheet

PASTE = "/admin/leagues/club/paste/"
#: Twelve games of four, as a spreadsheet lays them on the clipboard.
EVENING = "\n".join(
    f"6 Mar 2024\t{19 + number // 4}:{number % 4 * 15:02}\tAnna\t{10 * number}\tBen\t−{5 * number}\tCleo\t0\t"
    f"Dann\t−{5 * number}"
    for number in range(1, 13)
)


@run_in_looks()
def test_an_evening_of_twelve_games_is_pasted(desk: Opener, look: dict[str, bool]) -> None:
    league = make_league("barbu", parameters={"demand_total": "yes", "total": 0})
    record(league, sheet(("anna", "ben", "cleo", "dan"), (3, -1, -1, -1)))
    page = desk(PASTE, **look)
    check_page(page)
    page.get_by_label("Games: one per line, or one line per player").fill(EVENING)
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.get_by_role("button", name="Record 12 games")).to_be_disabled()
    check_page(page)
    page.get_by_role("button", name="Yes, Dan").click()
    expect(page.get_by_role("button", name="Record 12 games")).to_be_enabled()
    check_page(page)
    page.get_by_role("button", name="Record 12 games").click()
    expect(page.get_by_text("12 games were recorded: 2–13.")).to_be_visible()
    assert (Game.objects.count(), Player.objects.count()) == (13, 4)
    page.get_by_role("link", name="Undo").click()
    expect(page.get_by_role("button", name="Void 12 games")).to_be_visible()
    check_page(page)
    page.get_by_role("button", name="Void 12 games").click()
    expect(page.get_by_text("12 pasted games were voided; they can still be read.")).to_be_visible()
    assert Game.objects.filter(voided_at=None).count() == 1
    # What was pasted is there again, to change it.
    expect(page.get_by_label("Games: one per line, or one line per player")).to_have_value(EVENING)
    expect(page.get_by_text("The text of the games that were undone is filled in.")).to_be_visible()


@pytest.mark.slow("What the form sends, tests/web/organiser holds; that it can be sent without script, this.")
def test_without_script_and_by_keyboard(desk: Opener) -> None:
    make_league()
    page = desk(PASTE, script=False)
    page.locator("#box").focus()
    page.keyboard.insert_text("6 Mar 2024\tAnna\t1\tBen\t0")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Record 1 game")).to_be_enabled()
    page.get_by_role("button", name="Record 1 game").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 game was recorded: 1.")).to_be_visible()
    assert Game.objects.count() == 1
