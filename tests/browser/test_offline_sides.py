"""Who plays together is not lost between the pad, the browser that keeps a sheet, and the pad that opens it again."""

import pytest
from playwright.sync_api import Page, expect

from league.models import League
from tests.browser.clubs import NAMES, make_club
from tests.browser.pad import (
    expect_waiting,
    go_online,
    open_pad_offline,
    record_sheet,
    score_in,
    type_initials,
    type_sheet,
)
from tests.browser.visits import Opener, go
from tests.helpers.desk_client import PAD


def sides_on(page: Page) -> list[str]:
    """Return what stands in the boxes for sides."""
    boxes: list[str] = page.locator(".sidebox input").evaluate_all("(all) => all.map((one) => one.value)")
    return boxes


def type_sides(page: Page, *scores: str) -> None:
    """Seat the first four and type one score for each side, each with Enter."""
    type_initials(page, "abbccdde")
    for score in scores:
        page.keyboard.type(score)
        page.keyboard.press("Enter")


def recorded(league: League) -> list[tuple[float, list[int | None]]]:
    """Return the weight and the sides of each game."""
    games = league.games.order_by("number")
    return [(game.weight, [line.side for line in game.results.order_by("seat")]) for game in games]


def test_the_next_sheet_in_the_basement_has_the_sides_and_not_the_weight(desk: Opener) -> None:
    league = make_club("elo", names=NAMES[:4])
    page = open_pad_offline(desk, f"{PAD}?sides=1")
    page.evaluate("document.getElementById('pad').elements.weight.value = '2'")
    type_sides(page, "21", "15")
    expect_waiting(page, 1)
    assert sides_on(page) == ["1", "1", "2", "2"]
    type_sides(page, "10", "12")
    expect_waiting(page, 2)
    go_online(page)
    expect(page.get_by_text("Game 2 recorded:")).to_be_visible()
    assert recorded(league) == [(2.0, [1, 1, 2, 2]), (1.0, [1, 1, 2, 2])]


@pytest.mark.slow("A rare turn: that a sheet comes back with its sides, the test below holds.")
def test_a_sheet_with_sides_opens_on_the_pad_that_asks_for_them(desk: Opener) -> None:
    league = make_club("elo", names=NAMES[:4])
    page = open_pad_offline(desk, f"{PAD}?sides=1")
    type_sheet(page)
    for seat, score in enumerate(("21", "20", "15", "15"), start=1):
        score_in(page, seat).fill(score)
    page.locator("#record").click()
    expect_waiting(page, 1)
    page.context.set_offline(False)
    expect(page.locator("#waiting")).to_contain_text("Not recorded:")
    # Nobody has played in sides yet: the pad asks for none.
    go(page, PAD)
    assert sides_on(page) == []
    with page.expect_navigation():
        page.get_by_role("button", name="Open in the score pad").click()
    expect(score_in(page, 2)).to_have_value("20")
    assert sides_on(page) == ["1", "1", "2", "2"]
    score_in(page, 2).fill("21")
    record_sheet(page, 1)
    assert recorded(league) == [(1.0, [1, 1, 2, 2])]


@pytest.mark.slow("Another sheet with sides; one is held beside it.")
def test_a_half_typed_sheet_comes_back_with_its_sides(desk: Opener) -> None:
    make_club("elo", names=NAMES[:4])
    page = desk(f"{PAD}?sides=1")
    type_initials(page, "abbccdde")
    score_in(page, 1).fill("7")
    go(page, PAD)
    expect(score_in(page, 1)).to_have_value("7")
    assert sides_on(page) == ["1", "1", "2", "2"]
    # Whoever asks for a pad without sides gets it.
    go(page, f"{PAD}?sides=0")
    expect(score_in(page, 1)).to_have_value("7")
    assert sides_on(page) == []
