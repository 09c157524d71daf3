"""Who plays together is not lost between the pad, the browser that keeps a sheet, and the pad that opens it again."""

import pytest
from playwright.sync_api import Page, expect

from league.models import League
from tests.browser.conftest import go
from tests.browser.test_desk import NAMES, Desk, club, desk
from tests.browser.test_offline import PAD, comes_up, ready, type_sheet, waits

__all__ = ["desk"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database("What a browser keeps and sends; what is recorded of it, tests/league asks on both."),
]


def sides_on(page: Page) -> list[str]:
    """Return what stands in the boxes for sides."""
    boxes: list[str] = page.locator(".sidebox input").evaluate_all("(all) => all.map((one) => one.value)")
    return boxes


def recorded(league: League) -> list[tuple[float, list[int | None]]]:
    """Return the weight and the sides of each game."""
    games = league.games.order_by("number")
    return [(game.weight, [line.side for line in game.results.order_by("seat")]) for game in games]


def test_the_next_sheet_in_the_basement_has_the_sides_and_not_the_weight(desk: Desk) -> None:
    league = club("elo", names=NAMES[:4])
    page = ready(desk(f"{PAD}?sides=1"))
    page.context.set_offline(True)
    page.evaluate("document.getElementById('pad').elements.weight.value = '2'")
    type_sheet(page, "21", "21", "15", "15")
    waits(page, 1)
    assert sides_on(page) == ["1", "1", "2", "2"]
    type_sheet(page, "10", "10", "12", "12")
    waits(page, 2)
    comes_up(page)
    expect(page.get_by_text("Game 2 recorded:")).to_be_visible()
    assert recorded(league) == [(2.0, [1, 1, 2, 2]), (1.0, [1, 1, 2, 2])]


def test_a_sheet_with_sides_opens_on_the_pad_that_asks_for_them(desk: Desk) -> None:
    league = club("elo", names=NAMES[:4])
    page = ready(desk(f"{PAD}?sides=1"))
    page.context.set_offline(True)
    type_sheet(page, "21", "20", "15", "15")
    waits(page, 1)
    page.context.set_offline(False)
    expect(page.locator("#waiting")).to_contain_text("Not recorded:")
    # Nobody has played in sides yet: the pad asks for none.
    go(page, PAD)
    assert sides_on(page) == []
    with page.expect_navigation():
        page.get_by_role("button", name="Open in the pad").click()
    expect(page.get_by_label("Seat 2 score")).to_have_value("20")
    assert sides_on(page) == ["1", "1", "2", "2"]
    page.get_by_label("Seat 2 score").fill("21")
    page.locator("#record").click()
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert recorded(league) == [(1.0, [1, 1, 2, 2])]


def test_a_half_typed_sheet_comes_back_with_its_sides(desk: Desk) -> None:
    club("elo", names=NAMES[:4])
    page = desk(f"{PAD}?sides=1")
    page.keyboard.type("abbccdde")
    page.get_by_label("Seat 1 score").fill("7")
    go(page, PAD)
    expect(page.get_by_label("Seat 1 score")).to_have_value("7")
    assert sides_on(page) == ["1", "1", "2", "2"]
    # Whoever asks for a pad without sides gets it.
    go(page, f"{PAD}?sides=0")
    expect(page.get_by_label("Seat 1 score")).to_have_value("7")
    assert sides_on(page) == []
