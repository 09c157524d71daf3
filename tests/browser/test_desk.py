"""A league's desk and its score pad in a real browser: an evening by keys, by taps, and every look of the pages."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from league.models import Game, Player
from tests.browser.clubs import NAMES, make_club
from tests.browser.pad import expect_seated, score_in, type_initials
from tests.browser.visits import Opener
from tests.helpers.builders import record, sheet
from tests.helpers.desk_client import PAD
from tests.helpers.tiers import mark_slow


class Keys:
    """A keyboard that counts what is pressed."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def press(self, *keys: str) -> None:
        """Press keys, each for itself, wherever the cursor is."""
        for key in keys:
            self.page.keyboard.press(key)
            self.count += 1


def sheet_keys(seats: str, scores: list[str]) -> list[str]:
    """Return the keys of a game: the initials of four, and three scores with Enter; the last one is proposed."""
    return [*seats, *(key for score in scores for key in [*score, "Enter"]), "Enter"]


EVENING = [
    ("abbccdde", ["-10", "25", "-30"], [-10, 25, -30, 15]),
    ("", ["40", "-20", "5"], [40, -20, 5, -25]),
    ("effgghhi", ["60", "-5", "-35"], [60, -5, -35, -20]),
    ("abeffgcd", ["-95", "110", "5"], [-95, 110, 5, -20]),
    ("", ["12,5", "-2,5", "0"], [12.5, -2.5, 0, -10]),
    ("bcghhide", ["35", "30", "-10"], [35, 30, -10, -55]),
    ("abcdeffg", ["90", "45", "-30"], [90, 45, -30, -105]),
    ("hiabbccd", ["15", "15", "15"], [15, 15, 15, -45]),
    ("", ["-40", "0", "20"], [-40, 0, 20, 20]),
    ("ghfgefde", ["5", "-5", "10"], [5, -5, 10, -10]),
    ("abbcghhi", ["100", "-50", "25"], [100, -50, 25, -75]),
    ("cddeeffg", ["20", "-20", "40"], [20, -20, 40, -40]),
]


@pytest.mark.parametrize("games", mark_slow([5, 12], "More games of the same kinds.", but=[5]))
def test_an_evening_is_typed_with_at_most_twenty_keys_a_game(desk: Opener, games: int) -> None:
    league = make_club()
    page = desk(PAD)
    counts = []
    for number, (seats, scores, wanted) in enumerate(EVENING[:games], start=1):
        keys = Keys(page)
        expect(page.get_by_role("heading", name=f"Game {number}", exact=True)).to_be_visible()
        expect(page.locator("#find")).to_be_focused()
        # Enter alone seats the last table again.
        keys.press(*(sheet_keys(seats, scores) if seats else ["Enter", *sheet_keys("", scores)]))
        expect(page.get_by_text(f"Game {number} recorded:")).to_be_visible()
        counts.append(keys.count)
        game = Game.objects.get(number=number)
        assert [line.score for line in game.results.order_by("seat")] == wanted
    assert league.games.count() == games
    assert max(counts) <= 20
    assert sum(counts) == {5: 83, 12: 206}[games]


def tap_a_game(page: Page, names: list[str], scores: list[str]) -> int:
    """Record a game with one hand: chips or the last table, figures and "next" of the phone, ±; count taps."""
    taps = 0
    keys = Keys(page)
    chips = [page.locator("#chips").get_by_role("button", name=name) for name in names]
    for chip in chips or [page.get_by_role("button", name="Same players as last game")]:
        chip.click()
        taps += 1
    for seat, score in enumerate(scores, start=1):
        expect(score_in(page, seat)).to_be_focused()
        keys.press(*score.lstrip("-"))
        if score.startswith("-"):
            page.locator("#seats > li").nth(seat - 1).get_by_role("button", name="Change the sign").click()
            taps += 1
        keys.press("Enter")
    assert fits(page, "#seats > li:nth-child(1)")
    assert fits(page, "#seats > li:nth-child(4)")
    assert fits(page, "#record")
    page.locator("#record").click()
    return taps + keys.count + 1


def fits(page: Page, what: str) -> bool:
    """Tell whether a part of the page is in sight as a whole."""
    box = page.locator(what).bounding_box()
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 844


@pytest.mark.slow("The same evening again; how seats are tapped, shorter tests hold.")
def test_the_same_evening_is_tapped_on_a_phone_and_the_table_fits_it(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD, phone=True)
    counts = []
    names = {name[0].lower(): name.split()[0] for name in NAMES}
    for number, (seats, scores, wanted) in enumerate(EVENING, start=1):
        counts.append(tap_a_game(page, [names[one] for one in seats[::2]], scores))
        expect(page.get_by_text(f"Game {number} recorded:")).to_be_visible()
        assert [line.score for line in Game.objects.get(number=number).results.order_by("seat")] == wanted
    assert league.games.count() == 12
    assert max(counts) <= 20
    assert sum(counts) == 170


@pytest.mark.slow("Another pad; tests/core/games holds its score.")
def test_the_paper_of_preferans_makes_the_score_while_it_is_typed(desk: Opener) -> None:
    """The example of the documentation: middle, left and right of three; what was written, and the scores, follow."""
    league = make_club("preferans", names=NAMES[:3])
    page = desk(PAD)
    page.get_by_label("Bula").fill("30")
    page.locator("#find").focus()
    page.keyboard.type("abbccd")
    for number in ("-20", "320", "160", "4", "120", "60", "16", "20", "60"):
        page.keyboard.type(number)
        if number != "60" or page.evaluate("document.activeElement.name") != "seats-2-worksheet_right":
            page.keyboard.press("Enter")
    scores = [score_in(page, seat) for seat in (1, 2, 3)]
    for box, made in zip(scores, ("−500", "40", "460"), strict=True):
        expect(box).to_have_attribute("placeholder", made)
    expect(page.get_by_label("Anna Berg Written on you")).to_have_attribute("placeholder", "180")
    expect(page.locator("#seats .live").first).to_contain_text("−")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    (game,) = league.games.all()
    assert [line.score for line in game.results.order_by("seat")] == [-500, 40, 460]
    # The next game proposes the same bula.
    expect(page.get_by_label("Bula")).to_have_value("30")


def test_places_are_ordered_by_initials_by_a_drag_by_keys_and_by_arrows(desk: Opener) -> None:
    make_club("durak", names=NAMES[:5])
    page = desk(PAD)
    type_initials(page, "abbccdde")
    anna, ben, cleo, dan = NAMES[:4]
    expect_seated(page, (anna, ben, cleo, dan))
    grip, target = (page.locator("#seats > li").nth(row).locator("[data-grip]").bounding_box() for row in (3, 0))
    assert grip is not None
    assert target is not None
    page.mouse.move(grip["x"] + 4, grip["y"] + 10)
    page.mouse.down()
    page.mouse.move(target["x"] + 4, target["y"] + 10, steps=8)
    page.mouse.up()
    expect_seated(page, (dan, anna, ben, cleo))
    score_in(page, 4).press("Alt+ArrowUp")
    expect_seated(page, (dan, anna, cleo, ben))
    page.get_by_role("button", name=f"Move {anna} up").click()
    expect_seated(page, (anna, dan, cleo, ben))
    assert [score_in(page, seat).input_value() for seat in (1, 2, 3, 4)] == ["1", "2", "3", "4"]
    score_in(page, 2).fill("1")
    page.get_by_role("button", name="Record", exact=True).click()
    # Durak knows no ties: the sentence stands at the seat, and what was typed stays.
    expect(page.locator("#seats .errors")).to_contain_text("Seats 1 and 2 are tied at 1")
    expect_seated(page, (anna, dan, cleo, ben))


@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_a_duel_and_a_table_of_eight_are_seated_and_scores_read_as_people_write_them(desk: Opener) -> None:
    league = make_club("elo", names=NAMES)
    page = desk(PAD)
    type_initials(page, "abbc")
    page.keyboard.press("Enter")
    for score in ("12,5", "–3"):
        page.keyboard.insert_text(score)
        page.keyboard.press("Enter")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert [line.score for line in league.games.get().results.order_by("seat")] == [12.5, -3]
    type_initials(page, "abbc")
    for name in NAMES[2:]:
        # The table of the last game was full with two.
        page.get_by_role("button", name="Change or add", exact=True).click()
        page.locator("#chips").get_by_role("button", name=name).click()
    expect_seated(page, NAMES)


def test_the_sign_key_writes_a_minus_before_the_figures(desk: Opener) -> None:
    make_club()
    page = desk(PAD, phone=True)
    page.locator("#chips").get_by_role("button", name="Anna").click()
    first = score_in(page, 1)
    first.focus()
    page.get_by_role("button", name="Change the sign of Anna").click()
    expect(first).to_be_focused()
    page.keyboard.type("25")
    expect(first).to_have_value("−25")
    page.get_by_role("button", name="Change the sign of Anna").click()
    expect(first).to_have_value("25")


def test_a_name_that_nobody_bears_is_added_with_two_keys(desk: Opener) -> None:
    make_club()
    page = desk(PAD)
    page.locator("#find").focus()
    page.keyboard.type("Zoran Rossi")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("abbccd")
    for score in ("10", "5", "-5"):
        page.keyboard.type(score)
        page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert Player.objects.filter(name="Zoran Rossi").count() == 1


@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_a_sheet_comes_back_after_the_phone_has_slept(desk: Opener) -> None:
    make_club()
    page = desk(PAD, phone=True)
    for name in ("Anna", "Ben", "Cleo", "Dan"):
        page.locator("#chips").get_by_role("button", name=name).click()
    score_in(page, 1).fill("-25")
    page.reload()
    expect_seated(page, NAMES[:4])
    expect(score_in(page, 1)).to_have_value("−25")
    # And so does the next one, after a game was recorded.
    for seat, score in enumerate(("5", "10", "10"), start=2):
        score_in(page, seat).fill(score)
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_text("Game 1 recorded")).to_be_visible()
    for name in ("Dan", "Anna"):
        page.locator("#chips").get_by_role("button", name=name).click()
    score_in(page, 2).fill("40")
    page.reload()
    expect_seated(page, (NAMES[3], NAMES[0]))
    expect(score_in(page, 2)).to_have_value("40")


@pytest.mark.slow("Another key of the pad.")
def test_clear_forgets_what_was_said_of_the_game(desk: Opener) -> None:
    make_club()
    page = desk(PAD)
    said = {"played_at": "2024-03-05T20:00", "note": "in the garden", "kind": "friendly"}
    for name, value in said.items():
        page.eval_on_selector(f"#pad [name={name}]", f"(one) => {{ one.value = '{value}'; }}")
    page.locator("#chips").get_by_role("button", name="Anna").click()
    page.get_by_role("button", name="Clear").click()
    now = [page.locator(f"#pad [name={name}]").input_value() for name in said]
    assert now == ["", "", "played"]


@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_a_double_tap_records_one_game(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    type_initials(page, "abbccdde")
    for score in ("10", "5", "-5"):
        page.keyboard.type(score)
        page.keyboard.press("Enter")
    page.locator("#record").dblclick(no_wait_after=True)
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    # A second sheet would be on its way.
    page.wait_for_load_state("networkidle")
    assert league.games.count() == 1


def test_a_pad_says_that_somebody_else_has_recorded_meanwhile(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    type_initials(page, "abbccdde")
    record(league, sheet(("eva", "finn", "gina", "hugo"), (1, 0, 0, -1)))
    for score in ("10", "5", "-5"):
        page.keyboard.type(score)
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Game 2", exact=True)).to_be_visible()
    expect(page.locator("#found")).to_have_text("Game 1 was just recorded by someone else. This one will be game 2.")


@pytest.mark.slow("What the form sends, tests/web/organiser holds; that it can be sent without script, this.")
def test_a_game_is_recorded_without_javascript(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD, script=False)
    for seat, (name, score) in enumerate(zip(NAMES[:4], ("-10", "25", "-30", "15"), strict=True), start=1):
        page.get_by_label(f"Player in seat {seat}").fill(name)
        score_in(page, seat).fill(score)
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert [line.score for line in league.games.get().results.order_by("seat")] == [-10, 25, -30, 15]


@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_a_sheet_that_another_one_has_recorded_is_asked_about_and_no_key_slips(desk: Opener) -> None:
    league = make_club()
    record(league, sheet(("anna", "ben", "cleo", "dan"), (10, 5, -5, -10), played_at=timezone.now()))
    page = desk(PAD)
    keys = Keys(page)
    keys.press(*sheet_keys("abbccdde", ["10", "5", "-5"]))
    question = page.locator("[data-asked]")
    expect(question).to_contain_text("has the same players and scores.")
    expect(question).to_be_focused()
    # Whoever goes on pressing Enter has recorded nothing.
    keys.press("Enter", "Enter")
    score_in(page, 4).focus()
    with page.expect_navigation():
        keys.press("Enter")
    expect(question).to_be_visible()
    assert league.games.count() == 1
    question.get_by_role("link", name="Cancel").click()
    expect(page.locator("#find")).to_be_focused()
    expect_seated(page, ())
    keys.press(*sheet_keys("abbccdde", ["10", "5", "-5"]))
    question.get_by_role("button", name="Record it again").click()
    expect(page.get_by_text("Game 2 recorded:")).to_be_visible()
    assert league.games.count() == 2
