"""The wall in a real browser: it follows the evening, stops when it is told to, and says when nobody answers."""

import pytest
from playwright.sync_api import expect

from league.apps.competitions.services.competitions import finish_competition
from tests.browser.visits import Opener, check_page, check_still, go, run_in_looks
from tests.helpers.builders import EVENING, make_league, record, rename, sheet
from tests.helpers.ladder_builders import clock, duel, make_ladder
from tests.helpers.running_competitions import play_round, run_competition

#: A name that takes two lines of a television beside another.
NAME = "Benjamin-Maximilian Wolfeschlegelsteinhausen von Bergerdorff-Stanojević"
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
    page.mouse.move(300, 300)
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


def test_controls_go_after_five_seconds_and_come_back_for_a_pointer_a_key_and_news(open_page: Opener) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    page = open_page("/status/")
    page.clock.install()
    go(page, "/leagues/club/wall/?every=600")
    pause, state = page.locator("#pause"), page.locator("#state")
    expect(pause).to_be_visible()
    page.clock.run_for(5100)
    expect(pause).to_be_hidden()
    expect(state).to_be_hidden()
    page.mouse.move(300, 300)
    expect(pause).to_be_visible()
    page.clock.run_for(5100)
    expect(pause).to_be_hidden()
    # The key that brings them back reaches them, and they stay while they have the focus.
    while not pause.evaluate("(one) => one === document.activeElement"):
        page.keyboard.press("Tab")
    page.clock.run_for(9000)
    expect(pause).to_be_visible()
    page.keyboard.press("Enter")
    page.mouse.click(300, 300)
    page.clock.run_for(9000)
    # A screen that stands still says so.
    expect(state).to_be_visible()
    expect(state).to_contain_text("Paused at")


#: Heights of the rows of the board, and how far it all reaches beyond the screen.
ROWS = """() => [
  [...document.querySelectorAll(".turn:not([hidden]) tbody tr")].map((row) => row.getBoundingClientRect().height),
  document.documentElement.scrollHeight - innerHeight,
  document.querySelector("footer").getBoundingClientRect().top - Math.max(
    ...[...document.querySelectorAll("section")].map((one) => one.getBoundingClientRect().bottom)),
]"""


#: The smallest letters in sight, in pixels.
SMALLEST = """() => Math.min(...[...document.querySelectorAll("body :not(script, .sr, .sr *)")]
  .filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""


def test_a_television_shows_eight_rows_and_what_the_evening_changed_in_the_largest_letters(open_page: Opener) -> None:
    league = make_league(players=[f"{letter}{number}" for letter in "ab" for number in range(12)])
    make_ladder(league)
    for day in (4, 5):
        for number in range(12):
            record(league, duel(f"a{number}", f"b{(number + day) % 12}", f"2024-03-0{day}"))
    with clock(EVENING):
        page = open_page("/status/")
        page.set_viewport_size({"width": 1920, "height": 1080})
        go(page, "/leagues/club/wall/")
        heights, beyond, above_controls = page.evaluate(ROWS)
        sizes = page.locator(".tonight tr:has(.change)").first.evaluate(
            "(row) => ['.change', '.score'].map((one) => parseFloat(getComputedStyle(row.querySelector(one)).fontSize))"
        )
        smallest = page.evaluate(SMALLEST)
        page.keyboard.press("ArrowRight")
        later_heights, later_beyond, _above = page.evaluate(ROWS)
        page.keyboard.press("ArrowLeft")
        page.set_viewport_size({"width": 3840, "height": 2160})
        smallest_4k = page.evaluate(SMALLEST)
    assert page.locator(".race .plotbox").count() == 1
    assert page.locator(".last .five > li").count() == 5
    # Of 24 rows the first page leaves an even number, so that both columns of the other are full.
    assert len(heights) == 8
    assert min(heights) >= 44
    assert beyond <= 0
    assert above_controls >= -1
    # The others have the screen for themselves, in larger letters and rows of one height.
    assert len(later_heights) == 16
    assert max(later_heights) - min(later_heights) < 1.5
    assert max(heights) - min(heights) < 1.5
    assert min(later_heights) > min(heights)
    assert later_beyond <= 0
    assert sizes[0] >= 1.2 * sizes[1] > 20
    # Nothing is too small to be read from four metres, and a screen of more dots shows it as large.
    assert smallest >= 24
    assert smallest_4k >= 48


def test_a_competition_takes_turns_with_the_board_until_somebody_pauses(open_page: Opener) -> None:
    players = ("anna", "ben", "cleo", "dan")
    league = make_league(players=players)
    for pair in (players[:2], players[2:]):
        record(league, sheet(pair, (1, 0)))
    run_competition(league, players, "round_robin")
    play_round(league, 1, (1, 0))
    page = open_page("/status/")
    page.clock.install()
    go(page, "/leagues/club/wall/?every=600&turn=10")
    board, pairings, standings = (page.locator(f"main > .turn >> nth={number}") for number in range(3))
    expect(page.locator("main > .turn")).to_have_count(3)
    for shown in (board, pairings, standings, board):
        for one in (board, pairings, standings):
            expect(one).to_be_visible(visible=one == shown)
        check_page(page)
        page.clock.run_for(10_000)
    expect(pairings).to_be_visible()
    page.mouse.move(300, 300)
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(40_000)
    expect(pairings).to_be_visible()
    page.mouse.click(5, 300)
    page.keyboard.press("ArrowRight")
    expect(standings).to_be_visible()
    # Without a script all stand below one another.
    still = open_page("/leagues/club/wall/", script=False)
    for number in range(3):
        expect(still.locator(f"main > .turn >> nth={number}")).to_be_visible()


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
    page.emulate_media(forced_colors="active")
    check_page(go(page, "/leagues/club/wall/"))


@pytest.mark.parametrize(("entries", "name"), [(5, ""), (24, ""), (11, NAME)])
def test_a_competitions_screen_fits_a_television_with_twelve_rows(open_page: Opener, entries: int, name: str) -> None:
    """Also with five tables and a bye of names that take two lines."""
    players = [f"guest{number}" for number in range(entries)]
    league = make_league(players=players, game="Chess")
    if name:
        rename(name, *players)
    run_competition(league, players, rounds=3)
    play_round(league, 1, (1, 0))
    page = open_page("/status/")
    page.set_viewport_size({"width": 1920, "height": 1080})
    for kind, rows in (("pairings", ".wallpairs > li:not(.wallhead)"), ("standings", "tbody tr")):
        go(page, f"/leagues/club/competitions/cup/wall/?show={kind}")
        expect(page.locator(f'main > [data-page="{kind}"]')).to_be_visible()
        boxes = [one.bounding_box() for one in page.locator(rows).all()]
        tops = [box["y"] for box in boxes if box]
        bottoms = [box["y"] + box["height"] for box in boxes if box]
        assert len(tops) == (entries if kind == "standings" else (entries + 1) // 2)
        # Nothing is below the screen, every row is high enough to be read, and the lower half is not empty.
        assert max(bottoms) <= 1080
        assert min(box["height"] for box in boxes if box) >= 44
        assert max(bottoms) > 810
        check_page(page)


def test_the_winner_is_read_from_afar(open_page: Opener) -> None:
    players = ("anna", "ben", "cleo", "dan")
    league = make_league(players=players, game="Chess")
    run_competition(league, players, rounds=1)
    play_round(league, 1, (1, 0), (1, 0))
    finish_competition(league.pk, "cup", by="arbiter")
    page = open_page("/status/")
    page.set_viewport_size({"width": 1920, "height": 1080})
    go(page, "/leagues/club/competitions/cup/wall/")
    name = page.locator(".s1 .champion")
    expect(name).to_be_visible()
    assert name.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") >= 56
    assert page.evaluate("document.documentElement.scrollHeight") <= 1080
    check_page(page)
