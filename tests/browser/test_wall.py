"""The wall in a real browser: it follows the evening, stops when it is told to, and says when nobody answers."""

import pytest
from playwright.sync_api import Page, expect

from league.models import League, Player
from tests.browser.visits import Opener, check_page, check_still, go, run_in_looks
from tests.helpers.builders import make_league, record, sheet

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database("What a browser does with a page; what stands on it, tests/league asks on both."),
]


def make_club_with_a_game() -> League:
    """Return a league with a game."""
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    return league


def open_wall(open_page: Opener) -> Page:
    """Open the wall with a clock that the test moves."""
    page = open_page("/status/")
    page.clock.install()
    go(page, "/leagues/club/wall/?every=5")
    expect(page.locator("#clock")).to_be_visible()
    return page


def test_a_wall_follows_the_evening_pauses_and_goes_on(open_page: Opener) -> None:
    league = make_club_with_a_game()
    page = open_wall(open_page)
    games = page.locator(".five > li")
    expect(games).to_have_count(1)
    record(league, sheet(("cleo", "anna"), (1, 0), minutes=5))
    page.clock.run_for(6000)
    expect(games).to_have_count(2)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#state")).to_contain_text("Paused at")
    record(league, sheet(("dan", "anna"), (1, 0), minutes=9))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(12000)
    expect(games).to_have_count(2)
    assert asked == []
    page.get_by_role("button", name="Go on").click()
    expect(games).to_have_count(3)
    expect(page.locator("#state")).to_have_text("Follows the evening by itself.")


def test_a_wall_without_network_goes_on_showing_what_stood(open_page: Opener) -> None:
    make_club_with_a_game()
    page = open_wall(open_page)
    page.context.set_offline(True)
    page.clock.run_for(6000)
    expect(page.locator("#state")).to_contain_text("No connection since")
    expect(page.locator(".five > li")).to_have_count(1)
    page.context.set_offline(False)
    page.clock.run_for(6000)
    expect(page.locator("#state")).to_have_text("Follows the evening by itself.")


#: On how many lines the words of each part stand.
LINES = """(all) => all.map((one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  return words.getClientRects().length;
})"""


def test_a_figure_beside_a_long_name_is_one_word(open_page: Opener) -> None:
    league = make_league()
    names = [f"{one} von und zu Wolfeschlegelsteinhausenbergerdorff" for one in ("Anna", "Benjamin-Maximilian")]
    record(league, sheet(("anna", "ben"), (60, 4)))
    for handle, name in zip(("anna", "ben"), names, strict=True):
        Player.objects.filter(handle=handle).update(name=name)
    for minute in range(1, 5):
        record(league, sheet(("anna", "ben"), (60, 4), minutes=minute))
    page = open_page("/leagues/club/wall/")
    assert page.locator(".five > li").count() == 5
    assert set(page.locator(".five p span:last-child").evaluate_all(LINES)) == {1}


#: Where stands what no game may move: the league's name, the clock, and the bar with the key below.
FIXED = """() => ["header h1", "#clock", "#race", "footer", "#pause"].map((one) => {
  const { left, top, right } = document.querySelector(one).getBoundingClientRect();
  return [one, left, top, right].join(" ");
})"""


def test_a_game_that_comes_moves_its_own_list_and_the_board_only(open_page: Opener) -> None:
    """Judged by what frames the figures: it must stand to the pixel where it stood; within the lists rows may move."""
    league = make_club_with_a_game()
    page = open_wall(open_page)
    before = page.evaluate(FIXED)
    record(league, sheet(("cleo", "anna"), (1, 0), minutes=5))
    page.clock.run_for(6000)
    expect(page.locator(".five > li")).to_have_count(2)
    assert page.evaluate(FIXED) == before


@run_in_looks(looks=("light", "phone"))
def test_the_wall_is_accessible_fits_and_does_not_jump_when_its_script_begins(
    open_page: Opener, look: dict[str, bool]
) -> None:
    make_club_with_a_game()
    page = open_page("/leagues/club/wall/", **look)
    expect(page.locator("#clock")).to_be_visible()
    check_still(page)
    check_page(page)
    check_page(go(page, "/leagues/club/wall/?theme=light"))
