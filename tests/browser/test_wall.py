"""The wall in a real browser: it follows the evening, stops when it is told to, and says when nobody answers."""

import pytest
from playwright.sync_api import expect

from tests.browser.visits import Opener, check_page, check_still, go, run_in_looks
from tests.helpers.builders import make_league, record, rename, sheet

#: Where stands what no game may move: the league's name, the clock, and the bar with the key below.
FIXED = """() => ["header h1", "#clock", "#race", "footer", "#pause"].map((one) => {
  const { left, top, right } = document.querySelector(one).getBoundingClientRect();
  return [one, left, top, right].join(" ");
})"""


def test_a_wall_follows_the_evening_pauses_goes_on_and_lasts_without_network(open_page: Opener) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = open_page("/status/")
    page.clock.install()
    go(page, "/leagues/club/wall/?every=5")
    expect(page.locator("#clock")).to_be_visible()
    games = page.locator(".five > li")
    expect(games).to_have_count(1)
    before = page.evaluate(FIXED)
    record(league, sheet(("cleo", "anna"), (1, 0), minutes=5))
    page.clock.run_for(6000)
    expect(games).to_have_count(2)
    assert page.evaluate(FIXED) == before
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#state")).to_contain_text("Paused at")
    record(league, sheet(("dan", "anna"), (1, 0), minutes=9))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(12000)
    expect(games).to_have_count(2)
    assert asked == []
    page.get_by_role("button", name="Resume").click()
    expect(games).to_have_count(3)
    expect(page.locator("#state")).to_have_text("Updates automatically.")
    page.context.set_offline(True)
    page.clock.run_for(6000)
    expect(page.locator("#state")).to_contain_text("No connection since")
    expect(games).to_have_count(3)
    page.context.set_offline(False)
    page.clock.run_for(6000)
    expect(page.locator("#state")).to_have_text("Updates automatically.")


#: On how many lines the words of each part stand.
LINES = """(all) => all.map((one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  return words.getClientRects().length;
})"""


@pytest.mark.slow("Rarely fails; the wall is visited above.")
def test_a_figure_beside_a_long_name_is_one_word(open_page: Opener) -> None:
    league = make_league()
    names = [f"{one} von und zu Wolfeschlegelsteinhausenbergerdorff" for one in ("Anna", "Benjamin-Maximilian")]
    record(league, sheet(("anna", "ben"), (60, 4)))
    for handle, name in zip(("anna", "ben"), names, strict=True):
        rename(name, handle)
    for minute in range(1, 5):
        record(league, sheet(("anna", "ben"), (60, 4), minutes=minute))
    page = open_page("/leagues/club/wall/")
    assert page.locator(".five > li").count() == 5
    assert set(page.locator(".five p b.nowrap").evaluate_all(LINES)) == {1}


@run_in_looks(looks=("light", "phone"))
def test_the_wall_is_accessible_fits_and_does_not_jump_when_its_script_begins(
    open_page: Opener, look: dict[str, bool]
) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    page = open_page("/leagues/club/wall/", **look)
    expect(page.locator("#clock")).to_be_visible()
    check_still(page)
    check_page(page)
    check_page(go(page, "/leagues/club/wall/?theme=light"))
