"""Every page in a real browser: accessible, in light, dark and on a phone, without JavaScript, by keyboard."""

import re

import pytest
from playwright.sync_api import Page, expect

from league.core.players.selectors.played_games import load_history_lines
from league.models import League, Player
from tests.browser.measures import shifts, weak_inputs
from tests.browser.public_pages import FRAMES, KINDS, PAGES, VARIANTS
from tests.browser.visits import (
    STILL,
    Opener,
    check_narrow,
    check_public_page,
    check_readable,
    go,
    run_in_looks,
)
from tests.helpers.builders import record, sheet
from tests.helpers.tiers import mark_slow

#: A heading that comes late, borders as light as hairlines, a box that hardly shows.
FAULTS = """() => {
  const main = document.querySelector("main"), make = (kind, more) => Object.assign(document.createElement(kind), more);
  main.prepend(make("h1", { innerText: "Late" }));
  document.documentElement.style.setProperty("--edge", "var(--hair)");
  main.append(make("input", { type: "checkbox" }));
  main.lastChild.style.opacity = "0.2";
}"""
ANNA = "/leagues/club/players/anna/"
PARTS = {**KINDS, **FRAMES}


@run_in_looks()
@pytest.mark.parametrize("paths", mark_slow([PARTS, VARIANTS], "The same pages with something else.", but=[PARTS]))
def test_pages_are_accessible_fit_and_stand_still(
    league: League, open_page: Opener, known_faults: list[str], paths: dict[str, str], look: dict[str, bool]
) -> None:
    """In the light in Russian, whose words are the longest: these fit the narrowest phone, too."""
    page = open_page("/" if look else "/?lang=ru", **look)
    for path in paths.values():
        check_public_page(go(page, path))
        check_narrow(page)
        assert page.evaluate("document.documentElement.lang") == ("en" if look else "ru")
    known_faults.append("status of 404")
    go(page, "/leagues/nowhere/?lang=en")
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    check_public_page(page)


@run_in_looks()
def test_names_of_forty_letters_are_words_in_the_table_of_outcomes(
    league: League, open_page: Opener, look: dict[str, bool]
) -> None:
    """A row of the table is as high as its names need where they have room, and no figure is out of sight."""
    for handle in ("anna", "ben", "cleo", "dan"):
        Player.objects.filter(handle=handle).update(name=f"{handle.title()} Mačavariani-Gelovani Stanojević-Jović")
    page = open_page(PAGES["every outcome of four"], **look)
    rows = page.locator(".outcomes tbody tr")
    assert max(box["height"] for row in rows.all() if (box := row.bounding_box())) < 220
    table = page.locator(".scroll:has(.outcomes)")
    assert table.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


def test_what_jumps_and_what_does_not_stand_out_is_seen(league: League, open_page: Opener) -> None:
    """The measures themselves: each sees the fault that it is for."""
    page = open_page("/leagues/club/what-if/")
    assert weak_inputs(page) == []
    page.evaluate(FAULTS)
    assert shifts(page)[0] > STILL
    *fields, box = weak_inputs(page)
    assert len(fields) == page.locator("main input:not([type=checkbox])").count()
    assert box.startswith("checkbox, false: drawn 1.")


@pytest.mark.slow("That it is written by the server, tests/web/organiser holds; that nothing hides it, this.")
def test_pages_are_readable_without_javascript(league: League, open_page: Opener) -> None:
    page = open_page("/", script=False)
    for path in PAGES.values():
        check_readable(go(page, path))


def test_a_chart_is_read_by_keys_by_touch_and_its_chosen_tab_in_forced_colours(
    league: League, open_page: Opener
) -> None:
    page = open_page(ANNA)
    check_forced_colours(page)
    check_heard(page)
    plot = page.locator(".hover")
    plot.focus()
    expect(page.locator(".tip")).to_contain_text("game 13")
    plot.press("ArrowLeft")
    expect(page.locator(".tip")).to_contain_text("game 12")
    plot.press("Home")
    expect(page.locator(".tip")).to_contain_text("1018 · +18 · game 1 ·")
    plot.press("Enter")
    page.wait_for_url("**/games/1/")
    check_touch(open_page(ANNA, phone=True))


@pytest.mark.slow("Other keys of the chart that is read above.")
def test_two_handles_choose_the_games_of_a_chart_and_the_cross_hair_shows_all_lines(
    league: League, open_page: Opener
) -> None:
    # With the 13 games of the league, 60.
    for minute in range(47):
        record(league, sheet(("anna", "ben"), places=(1, 2), minutes=1000 + minute))
    page = open_page(ANNA)
    first, last = page.locator("form.range input").all()
    assert (first.input_value(), last.input_value()) == ("1", "60")
    first.focus()
    first.press("PageUp")
    # The browser's step is a tenth: from Anna's first game to her seventh.
    page.wait_for_url("**/?range=7-60")
    expect(page.locator("#chart .pick [aria-current]")).to_have_count(0)
    page.locator(".hover").press("Home")
    seventh = load_history_lines(league, Player.objects.get(handle="anna"))[6]
    expect(page.locator(".tip")).to_contain_text(f"game {seventh.number} ·")
    expect(first).to_have_value("7")
    # Ten games stay between the handles.
    first.press("End")
    expect(first).to_have_value("50")
    page.wait_for_url("**/?range=50-60")
    go(page, f"{ANNA}?with=ben").locator(".hover").press("End")
    expect(page.locator(".tip")).to_contain_text(re.compile(r"Anna {2}\d+\nBenjamin.* {2}\d+"))
    expect(page.locator(".cross circle")).to_have_count(2)


def check_forced_colours(page: Page) -> None:
    """Assert that forced colours draw a line below the chosen tab alone."""
    page.emulate_media(forced_colors="active")
    for nav in (".tabs", ".pick"):
        borders = page.locator(f"{nav} a").evaluate_all(
            "links => links.map((one) => [one.hasAttribute('aria-current'), getComputedStyle(one).borderBottomWidth])"
        )
        chosen, others = ({width for current, width in borders if current is which} for which in (True, False))
        assert (chosen, others) == ({"4px"}, {"0px"})
    page.emulate_media(forced_colors="none")


def check_heard(page: Page) -> None:
    """Assert that screen readers hear no arrows on the pages of a board, a game, its player and its month."""
    for path in ("/leagues/club/", "/leagues/club/games/5/", PAGES["closed period"], ANNA):
        session = page.context.new_cdp_session(go(page, path))
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        heard = [node.get("name", {}).get("value", "") for node in nodes if not node["ignored"]]
        assert (path, [name for name in heard if re.search("[←-↓▴▸▾]", name)]) == (path, [])


def check_touch(page: Page) -> None:
    """Assert that a tap on the chart shows the nearest game, and one beside it none."""
    plot, tip = page.locator(".hover"), page.locator(".tip")
    plot.scroll_into_view_if_needed()
    hand = page.context.new_cdp_session(page)
    hand.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for share, game in ((0.02, "· game 1 ·"), (0.9, "game 13"), (0.02, "· game 1 ·")):
        box = plot.bounding_box()
        assert box is not None
        at = {"x": box["x"] + share * box["width"], "y": box["y"] + box["height"] / 2}
        hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(tip).to_contain_text(game)
    page.get_by_role("heading", level=1).click()
    expect(tip).to_be_hidden()


def test_formulas_are_read_whole_on_a_phone(open_page: Opener) -> None:
    page = open_page("/systems/glicko2/", phone=True)
    for path in ("/systems/glicko2/", "/systems/barbu/", "/ladder-methods/erf_mean/"):
        formula = go(page, path).locator(".law").first
        assert formula.evaluate("one => one.scrollWidth - one.clientWidth") <= 0, path
        assert formula.locator("math").count() > 1, path


@pytest.mark.slow("tests/web/api/test_reference.py holds that each link has its anchor.")
@run_in_looks()
def test_the_api_reference_opens_the_schema_of_a_link(open_page: Opener, look: dict[str, bool]) -> None:
    page = open_page("/api/v1/docs/", **look)
    check_public_page(page)
    check_narrow(page)
    text = page.locator("#schema-GameInputRequest").get_by_text("A game to record.")
    expect(text).to_be_hidden()
    page.locator("#record_game").get_by_role("link", name="GameInputRequest").click()
    expect(text).to_be_visible()
