"""Enter on the pad has one rule: to the next box, never past an empty one, one box for each side, then it records."""

import pytest
from playwright.sync_api import Page, expect

from league.models import League
from tests.browser.clubs import NAMES, make_club
from tests.browser.pad import expect_seated, score_in, scores_of
from tests.browser.visits import Opener
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import PAD


def press(page: Page, text: str) -> None:
    """Press keys one by one where people are found, ⏎ for Enter."""
    expect(page.locator("#find")).to_be_focused()
    press_here(page, text)


def press_here(page: Page, text: str) -> None:
    """Press keys one by one wherever the cursor is, ⏎ for Enter."""
    for key in text:
        page.keyboard.press("Enter" if key == "⏎" else key)


def test_an_enter_after_the_initials_skips_no_score_and_one_too_many_nobody(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    for number, seats in enumerate(("abbccdde⏎", "ab⏎bc⏎cd⏎de⏎", "abbccdde⏎⏎⏎"), start=1):
        press(page, f"{seats}{44 + number}⏎-20⏎5⏎⏎")
        expect(page.get_by_text(f"Game {number} recorded:")).to_be_visible()
    press(page, "fgghhiab⏎⏎")
    expect(page.locator("#seats .errors")).to_have_text("Finn Gross: nothing entered yet.")
    expect(score_in(page, 1)).to_have_attribute("aria-invalid", "true")
    press_here(page, "60⏎⏎-5⏎⏎1⏎⏎")
    expect(page.get_by_text("Game 4 recorded:")).to_be_visible()
    assert scores_of(league) == [[45, -20, 5, -30], [46, -20, 5, -31], [47, -20, 5, -32], [60, -5, 1, -56]]


@pytest.mark.slow("Another key of the pad; enter is held by the tests beside it.")
def test_only_the_answer_to_undo_puts_the_focus_on_record(desk: Opener) -> None:
    """Whoever comes to the pad later types initials and Enter, and must not record the undone game again."""
    league = make_club()
    page = desk(PAD)
    press(page, "abbccdde⏎45⏎-20⏎5⏎⏎")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator("#record")).to_be_focused()
    for _ in range(2):
        page.goto(page.url)
        expect(page.get_by_text("Game 1, undone, is filled in.")).to_be_visible()
        expect(score_in(page, 1)).to_be_focused()
    press_here(page, "ab⏎⏎")
    expect(page.locator("#find")).to_be_focused()
    expect(page.locator("#found")).to_have_text("The table is full: 4 players. Remove one first.")
    assert league.games.count() == 1
    # Three of its four players are not that game any more; all four are again.
    anna = page.locator("[data-handle]").filter(has_text="Anna Berg").first
    anna.click()
    expect(page.get_by_text("Game 1, undone, is filled in.")).to_be_hidden()
    anna.click()
    expect(page.get_by_text("Game 1, undone, is filled in.")).to_be_visible()
    page.get_by_role("link", name="Clear").click()
    expect_seated(page, ())
    press(page, "abbccdde⏎46⏎-20⏎5⏎⏎")
    expect(page.get_by_text("Game 2 recorded:")).to_be_visible()
    expect_seated(page, ())


def look_at_places(page: Page) -> None:
    """Press Enter where the places are proposed: they are to be looked at first."""
    expect(score_in(page, 1)).to_be_focused()
    page.keyboard.press("Enter")
    hint = "The places follow the order of the seats. Check them, then press Enter."
    expect(page.locator("#why")).to_have_text(hint)
    expect(score_in(page, 1)).to_be_focused()


def test_places_that_are_proposed_are_looked_at_before_enter_records_them(desk: Opener) -> None:
    """Each time anew, by names and as at the last table."""
    league = make_club("durak")
    record(league, sheet(("anna", "ben", "cleo", "dan"), places=(1, 2, 3, 4)))
    page = desk(f"{PAD}?by=place")
    for _ in range(2):
        press(page, "abbccdde⏎")
        look_at_places(page)
        page.get_by_role("button", name="Clear").click()
    press(page, "⏎")
    look_at_places(page)
    page.keyboard.down("Enter")
    for _ in range(9):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(score_in(page, 2)).to_be_focused()
    assert league.games.count() == 1
    press_here(page, "⏎⏎⏎")
    expect(page.get_by_text("Game 2 recorded:")).to_be_visible()
    game = league.games.get(number=2)
    assert [line.place for line in game.results.order_by("seat")] == [1, 2, 3, 4]


@pytest.mark.slow("Another way through the pad; the enter after initials is held above.")
def test_the_enter_after_initials_leaves_room_for_more_players(desk: Opener) -> None:
    """Two players are enough here, but four usually play; only a second Enter goes to the scores."""
    league = make_club("elo")
    page = desk(PAD)
    press(page, "ab⏎bc⏎")
    expect_seated(page, ("Anna Berg", "Ben Cohen"))
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.press("Enter")
    expect(score_in(page, 1)).to_be_focused()
    press_here(page, "3⏎1⏎")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert scores_of(league) == [[3, 1]]


@pytest.mark.slow("A rare turn of the pad.")
def test_initials_go_on_seating_while_there_is_room_at_the_table(desk: Opener) -> None:
    league = make_club("elo")
    page = desk(PAD)
    press(page, "ab⏎bc⏎cd⏎de⏎9⏎7⏎5⏎3⏎")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert scores_of(league) == [[9, 7, 5, 3]]


@pytest.mark.slow("Another way through the pad; proposals are held beside it.")
def test_a_score_that_is_proposed_at_a_skipped_seat_is_looked_at_before_it_is_recorded(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    press(page, "abbccdde")
    for seat, score in ((2, "45"), (3, "-20"), (4, "5")):
        score_in(page, seat).fill(score)
    page.locator("#record").click()
    expect(page.locator("#why")).to_have_text("Anna Berg was skipped; −30 was filled in. Check it, then record.")
    expect(score_in(page, 1)).to_be_focused()
    assert not league.games.exists()
    page.locator("#record").click()
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert scores_of(league) == [[-30, 45, -20, 5]]


def test_a_name_that_begins_with_its_own_initials_is_typed_to_its_end(desk: Opener) -> None:
    make_club("elo", names=("Ana Novak", "Bob Ott", "Cleo Dahl"))
    page = desk(PAD)
    press(page, "ana⏎bo⏎")
    expect_seated(page, ("Ana Novak", "Bob Ott"))


#: The sides of the seats, what is pressed from the first score on, and the scores of the game.
BY_SIDES = (
    ("1122", "21⏎15⏎", [21, 21, 15, 15]),
    ("1222", "21⏎15⏎", [21, 15, 15, 15]),
    ("1233", "21⏎15⏎7⏎", [21, 15, 7, 7]),
    ("2121", "21⏎⏎15⏎", [21, 15, 21, 15]),
)


def test_enter_goes_from_side_to_side(desk: Opener) -> None:
    league = make_club("elo", names=NAMES[:4])
    page = desk(f"{PAD}?sides=1")
    for number, (sides, keys, _) in enumerate(BY_SIDES, start=1):
        press(page, "abbccdde")
        for seat, side in enumerate(sides, start=1):
            page.locator(f"[name=seats-{seat - 1}-side]").fill(side)
        score_in(page, 1).focus()
        press_here(page, keys)
        expect(page.get_by_text(f"Game {number} recorded:")).to_be_visible()
    assert scores_of(league) == [scores for _, _, scores in BY_SIDES]


def add_newcomers(page: Page, names: tuple[str, ...]) -> None:
    """Seat new players by their names."""
    for name in names:
        page.locator("#find").focus()
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")


@pytest.mark.slow("Another way through the pad; names and sides have tests of their own.")
def test_four_new_names_in_sides_are_recorded_after_a_refusal(desk: Opener) -> None:
    """The side without a score is named and has the cursor; who is new stays seated."""
    league = make_club("elo", names=())
    page = desk(f"{PAD}?sides=1")
    names = ("Mira Lund", "Nils Falk", "Oda Ness", "Per Vik")
    add_newcomers(page, names)
    score_in(page, 1).fill("21")
    page.keyboard.press("Enter")
    expect(score_in(page, 3)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#seats .errors")).to_have_text("Team 2: nothing entered yet.")
    page.locator("#record").click()
    expect(page.locator("#seats .errors")).to_have_text("Team 2 has no score.")
    expect(score_in(page, 3)).to_be_focused()
    expect_seated(page, names)
    score_in(page, 3).fill("15")
    page.locator("#record").click()
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    expect(page.locator("#waiting")).to_be_hidden()
    assert scores_of(league) == [[21, 21, 15, 15]]


@pytest.mark.slow("A rare turn of the pad.")
def test_what_a_sheet_would_change_leaves_with_its_player(desk: Opener) -> None:
    make_club("elo", names=NAMES[:4])
    page = desk(PAD)
    press(page, "abbc")
    score_in(page, 1).fill("3")
    score_in(page, 2).fill("1")
    expect(page.locator(".seats .live .chg").first).to_have_text("+10.0")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".seats .live .chg")).to_have_count(0)


def test_a_player_of_another_league_is_found_by_the_whole_name_and_marked(desk: Opener) -> None:
    league: League = make_club("elo", names=NAMES[:2])
    record(league, sheet(("anna", "ben"), (1, 0)))
    other = make_league(slug="other", players=("zora", "yann"))
    record(other, sheet(("zora", "yann"), (1, 0)))
    page = desk(PAD)
    expect(page.locator("#chips").get_by_role("button", name="Zora")).to_have_count(0)
    press(page, "zor")
    expect(page.locator("#found")).to_have_text("Press Enter.")
    page.keyboard.press("a")
    expect(page.locator("#found")).to_have_text("Zora plays in another league. Press Enter to seat them here.")
    page.keyboard.press("Enter")
    expect_seated(page, ("Zora",))
    expect(page.locator("#seats > li").first).to_contain_text("plays in another league")
