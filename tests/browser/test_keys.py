"""Every page by keyboard alone: Tab stops at everything that can be used, in order, in sight, and goes on."""

import pytest
from playwright.sync_api import Page, expect

from league.models import League
from tests.browser.clubs import make_club
from tests.browser.public_pages import PAGES
from tests.browser.visits import Opener, go, run_in_looks
from tests.helpers.builders import record, sheet

#: Numbers what Tab must stop at, in the order of the page; a group of radio buttons is one stop.
NUMBER = """() => {
  const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
  const groups = new Set();
  const first = (one) => {
    if (one.type !== "radio") return true;
    const key = `${one.form?.id} ${one.name}`, group = [...document.querySelectorAll(`input[name="${one.name}"]`)];
    if (groups.has(key) || (group.some((other) => other.checked) && !one.checked)) return false;
    return Boolean(groups.add(key));
  };
  const stops = [...all].filter((one) => one.tabIndex >= 0 && !one.disabled && one.type !== "hidden")
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("fieldset:disabled"))
    .filter(first);
  stops.forEach((one, at) => one.setAttribute("data-stop", at));
  return stops.length;
}"""
#: Where the focus is, and what is wrong with how it is shown: no outline, out of sight, or behind something.
STOP = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect(), shown = one.closest("label") ?? one;
  const outlined = [one, shown].some((part) => {
    const style = getComputedStyle(part);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  });
  const x = Math.min(Math.max(box.left + Math.min(box.width / 2, 12), 1), innerWidth - 2);
  const points = [0.1, 0.5, 0.9].map((part) => document.elementFromPoint(x, box.top + box.height * part));
  const seen = points.some((top) => top && (one.contains(top) || top.contains(one) || shown.contains(top)));
  const wrong = [outlined ? "" : "not outlined", seen ? "" : "not in sight"].filter(Boolean).join(", ");
  return [Number(one.dataset.stop ?? -1), wrong && `${one.outerHTML.slice(0, 120)}: ${wrong}`];
}"""
DESK = ("", "record/", "games/", "games/1/correct/", "people/", "ladders/", "new-ladder/", "rules/", "settings/",
        "log/", "paste/", "webhooks/")  # fmt: skip


def walk(page: Page) -> None:
    """Press Tab from the beginning of a page until every stop was reached; each must show where it is.

    A field of a day has several stops of its own, all inside of it.
    """
    page.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
    wanted, reached = page.evaluate(NUMBER), [-1]
    while reached[-1] != wanted - 1 and len(reached) < wanted + 60:
        page.keyboard.press("Tab")
        at, wrong = page.evaluate(STOP)
        assert wrong == "", (page.url, wrong)
        reached.append(at)
    assert (page.url, [*dict.fromkeys(reached)]) == (page.url, list(range(-1, wanted)))


@run_in_looks("phone", ("light", "phone"))
def test_tab_reaches_all_of_a_public_page_and_shows_where_it_is(
    league: League, open_page: Opener, look: dict[str, bool]
) -> None:
    page = open_page("/", **look)
    phones = ("leaderboard", "player", "game", "what if", "closed period")
    for name, path in PAGES.items():
        if not look or name in phones:
            walk(go(page, path))


@pytest.mark.slow("Tab over public pages is the same code.")
def test_tab_reaches_all_of_the_desk_and_nothing_that_stays_covers_it(desk: Opener) -> None:
    books = make_club()
    record(books, sheet(("anna", "ben", "cleo", "dan"), (10, 20, -10, -20)))
    page = desk("/admin/", phone=True)
    for part in DESK:
        walk(go(page, f"/admin/leagues/club/{part}"))


def test_what_a_page_offers_is_done_by_keys(league: League, open_page: Opener) -> None:
    """The way to the content, a range of the chart, what is folded, and a form: all by Tab and Enter."""
    page = open_page("/leagues/club/players/anna/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Last year":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/?range=year")
    expect(page.get_by_role("link", name="Last year")).to_have_attribute("aria-current", "true")
    go(page, "/leagues/club/games/1/")
    folded = page.locator("main details").first
    folded.locator("summary").press("Enter")
    expect(folded).to_have_attribute("open", "")
    go(page, "/leagues/club/")
    page.get_by_label("Find a player").press_sequentially("cleo")
    page.keyboard.press("Enter")
    page.wait_for_url("**/players/cleo/")


def test_a_slash_leads_to_the_search_from_every_page_of_a_league(league: League, open_page: Opener) -> None:
    page = open_page("/leagues/club/")
    search = page.get_by_label("Find a player")
    page.keyboard.press("/")
    expect(search).to_be_focused()
    page.keyboard.type("a/b")
    expect(search).to_have_value("a/b")
    for path in ("/leagues/club/how/", "/leagues/club/players/anna/"):
        go(page, path)
        page.keyboard.press("/")
        page.wait_for_url("**/leagues/club/#q")
        expect(search).to_be_focused()
    go(page, "/leagues/club/games/")
    page.keyboard.press("/")
    expect(page.locator("main [type=search]")).to_be_focused()


@pytest.mark.slow("Rarely fails; the slash is held above.")
def test_the_slash_can_be_turned_off_and_stays_off_on_the_next_page(league: League, open_page: Opener) -> None:
    page = open_page("/leagues/club/")
    switch = page.get_by_role("button", name="Key / leads to the search")
    page.get_by_text("Filter", exact=True).click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("/")
    expect(page.get_by_label("Find a player")).not_to_be_focused()
    expect(page.locator(".boardbar kbd")).to_be_hidden()
    go(page, "/leagues/club/games/")
    page.keyboard.press("/")
    expect(page.locator("main [type=search]")).not_to_be_focused()
    go(page, "/leagues/club/")
    page.get_by_text("Filter", exact=True).click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    page.keyboard.press("/")
    expect(page.get_by_label("Find a player")).to_be_focused()
