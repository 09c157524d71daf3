"""A sheet that waits says why it waits, can be opened or thrown away, and holds no other sheet up."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.clubs import NAMES, make_club
from tests.browser.pad import (
    expect_seated,
    expect_waiting,
    go_online,
    open_pad_offline,
    score_in,
    scores_of,
    type_sheet,
)
from tests.browser.visits import Opener, go
from tests.helpers.desk_client import PAD
from tests.helpers.tiers import mark_slow


def fail_sheets(page: Page, status: int, words: str) -> None:
    """Let the server fail at the sheets that hold some words."""

    def answer(route: Route) -> None:
        if words in (route.request.post_data or ""):
            route.fulfill(status=status, body="<h1>Error</h1>", content_type="text/html")
        else:
            route.continue_()

    page.route(f"**{PAD}", answer)


@pytest.mark.slow("Another reason why a sheet waits; one is held above.")
@pytest.mark.parametrize("status", mark_slow([500, 503, 413], "Another error.", but=[500]))
def test_a_sheet_at_which_the_server_fails_says_so_and_holds_nothing_up(
    desk: Opener, known_faults: list[str], status: int
) -> None:
    known_faults.append(f"status of {status}")
    league = make_club()
    page = desk(PAD)
    fail_sheets(page, status, "seats-0-score=66")
    type_sheet(page, "66", "5", "-5", "-66")
    waiting = page.locator("#waiting")
    why = f"The server {'rejected' if status < 500 else 'had an error with'} this game (error {status})"
    expect(waiting).to_contain_text(why)
    expect(waiting).not_to_contain_text("for a connection")
    type_sheet(page, "20", "0", "0")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert scores_of(league) == [[20, 0, 0, -20]]
    go(page, PAD)
    expect(waiting).to_contain_text(why)
    waiting.get_by_role("button", name="Open in the score pad").click()
    expect_seated(page, NAMES[:4])
    score_in(page, 1).fill("10")
    score_in(page, 4).fill("-10")
    page.locator("#record").click()
    expect(page.get_by_text("Game 2 recorded:")).to_be_visible()
    expect(waiting).to_be_hidden()
    assert scores_of(league) == [[10, 5, -5, -10], [20, 0, 0, -20]]


@pytest.mark.slow("Another reason why a sheet waits; one is held above.")
def test_a_sheet_is_sent_again_once_the_server_has_recovered(desk: Opener, known_faults: list[str]) -> None:
    known_faults.append("status of 500")
    league = make_club()
    page = desk(PAD)
    fail_sheets(page, 500, "seats-0-score=66")
    type_sheet(page, "66", "5", "-5", "-66")
    expect(page.locator("#waiting")).to_contain_text("It will be sent again automatically")
    page.unroute_all()
    with page.expect_navigation():
        page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert scores_of(league) == [[66, 5, -5, -66]]


def test_a_sheet_that_waits_for_the_network_is_opened_and_thrown_away(desk: Opener) -> None:
    league = make_club()
    page = open_pad_offline(desk)
    type_sheet(page, "10", "5", "-5")
    type_sheet(page, "20", "0", "0", waits=2)
    page.get_by_role("button", name="Open in the score pad").first.click()
    expect_waiting(page, 1)
    expect_seated(page, NAMES[:4])
    score_in(page, 1).fill("11")
    score_in(page, 4).fill("-11")
    page.locator("#record").click()
    expect_waiting(page, 2)
    throw = page.locator("#waiting li", has_text="Berg 20,").get_by_role("button")
    throw.last.click()
    throw.last.click()
    expect_waiting(page, 1)
    go_online(page)
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert scores_of(league) == [[11, 5, -5, -11]]


@pytest.mark.slow("A rare turn of the pad.")
def test_what_was_recorded_before_is_not_told_above_a_sheet_that_waits(desk: Opener) -> None:
    make_club()
    page = desk(PAD)
    type_sheet(page, "10", "5", "-5")
    expect(page.locator(".toast")).to_contain_text("Game 1 recorded:")
    page.context.set_offline(True)
    type_sheet(page, "20", "0", "0", waits=1)
    expect(page.locator(".toast")).to_have_count(0)


@pytest.mark.slow("Another refused sheet; one is held beside it.")
def test_a_sheet_of_new_names_in_sides_that_is_refused_later_opens_whole(desk: Opener) -> None:
    league = make_club("elo", names=NAMES[:2])
    page = open_pad_offline(desk, f"{PAD}?sides=1")
    for name in ("Mira Lund", "Nils Falk", "Oda Ness", "Per Vik"):
        page.locator("#find").focus()
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
    score_in(page, 1).fill("21")
    page.locator("#record").click()
    expect_waiting(page, 1)
    page.context.set_offline(False)
    waiting = page.locator("#waiting")
    expect(waiting).to_contain_text("Team 2 has no score.")
    page.reload()
    expect(waiting).to_contain_text("Team 2 has no score.")
    page.get_by_role("button", name="Open in the score pad").click()
    expect(score_in(page, 1)).to_have_value("21")
    score_in(page, 3).fill("15")
    page.locator("#record").click()
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert scores_of(league) == [[21, 21, 15, 15]]
