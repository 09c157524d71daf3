"""The keys of the pad, drawn at random: a figure is never a name, a letter never a score, nothing throws."""

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from league.core.errors import PlayerName
from league.core.leagues.services.templates import TEMPLATES, create_from_template
from league.core.players.selectors.search import SimilarNames
from league.models import League
from tests.browser.clubs import NAMES, make_club
from tests.browser.pad import expect_seated, score_in
from tests.browser.visits import Opener, go
from tests.helpers.desk_client import PAD

#: The fields of the table: those of names, and those of numbers.
TABLE = """() => ({
    names: [...document.querySelectorAll("#seats input[name$=-player]")].map((one) => one.value).filter(Boolean),
    shown: [...document.querySelectorAll("#seats .called:not(.soft)")].map((one) => one.textContent),
    numbers: [...document.querySelectorAll("#seats input:not([type=hidden])")].map((one) => one.value).filter(Boolean),
})"""
#: Draws keys for the machine alone; returns what breaks a rule.
DRAWS = """({ shape, draws, seed }) => {
    let state = seed;
    const draw = (count) => ((state = (state * 48271) % 2147483647), state % count);
    const blank = () => Object.fromEntries(shape.boxes.map((box) => [box, { value: "", typed: false, shown: "" }]));
    const letters = ["a", "B", "é", "ж", "n", "o"], figures = ["1", "0", "7", "-", ",", "\u2212"];
    const broken = [];
    for (let round = 0; round < draws; round += 1) {
        let pad = {
            min: shape.min, max: shape.max, usual: shape.usual, column: shape.column, sheets: shape.sheets,
            closed: false, touched: draw(2) === 1, checked: "", offers: null, people: shape.people, called: {},
            last: [], chips: [], pairings: [], newcomers: [], find: "", focus: { box: "find" },
            seats: Array.from({ length: shape.usual }, () => ({ player: "", boxes: blank() })),
        };
        for (let at = 0; at < 60; at += 1) {
            const names = pad.seats.filter((seat) => seat.player).length, kind = draw(10);
            const key = kind < 4 ? letters[draw(6)] : kind < 7 ? figures[draw(6)] : kind < 9 ? "Enter" : "Backspace";
            // Tab and the mouse go to any field.
            if (draw(12) === 0) {
                const seats = pad.seats.map((seat, row) => row).filter((row) => pad.seats[row].player);
                const box = shape.boxes[draw(shape.boxes.length)];
                pad = { ...pad, selected: false,
                        focus: seats.length && draw(2) ? { seat: seats[draw(seats.length)], box } : { box: "find" } };
            }
            const before = JSON.stringify(pad.seats.map((seat) => seat.player));
            pad = Pad.press({ ...pad, found: undefined, why: undefined, act: "" }, key);
            const players = pad.seats.map((seat) => seat.player).filter(Boolean);
            const values = pad.seats.flatMap((seat) => Object.values(seat.boxes).map((box) => box.value));
            if (players.some((player) => !/\\p{L}/u.test(player))) broken.push(["a score is a name", players, key]);
            if (values.some((value) => /\\p{L}/u.test(value))) broken.push(["a name is a score", values, key]);
            if (new Set(players).size < players.length) broken.push(["a player sits twice", players, key]);
            if (players.length > shape.max || players.length < names) broken.push(["seats", players, key]);
            if (key !== "Enter" && players.length > names + 1) broken.push(["two seated by one key", before, players]);
        }
    }
    return broken.slice(0, 5);
}"""
SHAPES: dict[str, dict[str, Any]] = {
    "two": {"min": 2, "max": 2, "usual": 2, "column": "score", "sheets": [], "boxes": ["score"]},
    "any": {"min": 2, "max": 100, "usual": 4, "column": "score", "sheets": [], "boxes": ["score"]},
    "sides": {"min": 2, "max": 8, "usual": 4, "column": "score", "sheets": [], "boxes": ["side", "score"]},
    "places": {"min": 2, "max": 8, "usual": 3, "column": "place", "sheets": [], "boxes": ["place"]},
    "sheets": {"min": 3, "max": 3, "usual": 3, "column": "score", "sheets": ["worksheet_a", "worksheet_b"],
               "boxes": ["score", "worksheet_a", "worksheet_b"]},
}  # fmt: skip
PEOPLE = [
    {"handle": "anna", "name": "Anna Berg", "elsewhere": False},
    {"handle": "bo", "name": "Bo Noé", "elsewhere": False},
    {"handle": "zora", "name": "Zora", "elsewhere": True},
]


def press_drawn_keys(page: Page, drawn: random.Random, names: list[str]) -> tuple[set[str], set[str]]:
    """Press names with Enter, figures, Tab and Backspace; return what was typed as names and as figures."""
    typed_names, figures = set(), set()
    for _ in range(30):
        what = drawn.choice(["name", "name", "figure", "figure", "Enter", "Tab", "Backspace"])
        if what == "name":
            typed_names.add(name := drawn.choice(names))
            page.keyboard.type(name)
            page.keyboard.press("Enter")
        elif what == "figure":
            figures.add(figure := str(drawn.randint(0, 99)))
            page.keyboard.type(figure)
        elif page.evaluate("document.activeElement.matches('input') && document.activeElement.id !== 'record'"):
            # Enter on a button presses it; here the fields are tried.
            page.keyboard.press(what)
    return typed_names, figures


@pytest.mark.parametrize("shape", SHAPES)
def test_no_score_is_ever_a_name_and_no_name_a_score(desk: Opener, shape: str) -> None:
    make_club("elo")
    page = desk(PAD)
    args = {"shape": {**SHAPES[shape], "people": PEOPLE}, "draws": 400, "seed": random.randrange(1, 2**31 - 1)}
    assert (args["seed"], page.evaluate(DRAWS, args)) == (args["seed"], [])


def test_a_handle_of_who_sits_is_not_a_new_name(desk: Opener) -> None:
    """The server would take it for the same person."""
    make_club("elo")
    page = desk(PAD)
    for text in ("anna", "Anna", "anna"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    expect_seated(page, ("Anna Berg",))
    expect(page.locator("#found")).to_have_text("anna is already seated.")


def test_an_offer_seats_nobody_who_was_seated_meanwhile(desk: Opener) -> None:
    make_club("elo", names=("Ida Neumann", "Ben Cohen"))
    page = desk(PAD)
    page.keyboard.type("Idda Neumann")
    page.keyboard.press("Enter")
    expect(page.locator("#found button")).to_have_count(2)
    page.locator("button[data-handle=ida]").click()
    expect_seated(page, ("Ida Neumann",))
    page.locator("#find").press("Enter")
    expect(page.locator("#found")).to_have_text("Ida Neumann is already seated.")
    expect_seated(page, ("Ida Neumann",))


#: Leagues of two, three to eight, with places, worksheets and sides.
LEAGUES = (("elo", ""), ("barbu", ""), ("durak", ""), ("preferans", ""), ("glicko2", ""), ("elo", "?sides=1"))
#: A game that happens to be complete is not sent.
HOLD = """addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
}, true)"""


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(("system", "path"), LEAGUES)
def test_keys_drawn_at_random_in_a_league_without_people(desk: Opener, system: str, path: str) -> None:
    seed = random.randrange(10**6)
    make_club(system, names=())
    page = desk(PAD + path)
    page.evaluate(HOLD)
    names = ["Quirin Ambach", "Vesna Đorić", "Юлия Жук", "Tom O'Hara", "Wilma", "Xaver Yilmaz-Zech", "Urs Pfäffli"]
    typed, _ = press_drawn_keys(page, random.Random(seed), names)
    table = page.evaluate(TABLE)
    assert (seed, [name for name in table["names"] if not re.search(r"[^\W\d_]", name)]) == (seed, [])
    assert (seed, [value for value in table["numbers"] if re.search(r"[^\W\d_]", value)]) == (seed, [])
    assert (seed, len(set(table["names"]))) == (seed, len(table["names"]))
    assert typed


def open_new_league(desk: Opener, key: str) -> Page:
    """Open the pad of a league that was just founded from a template."""
    template = next(each for each in TEMPLATES if each.key == key)
    create_from_template(template, "club", "Club", settings={}, parameters=template.parameters, username="", owner=None)
    return desk(PAD)


def check_letters_in_a_score(page: Page) -> None:
    """Type and paste a name with figures into a score: all of it is a name, nothing of it a score."""
    score, find = score_in(page, 1), page.get_by_role("textbox", name="Add a player", exact=True)
    for enter in (page.keyboard.type, page.keyboard.insert_text):
        score.focus()
        enter("Anna12")
        expect(find).to_have_value("Anna12")
        expect(find).to_be_focused()
        expect(score).to_have_value("")
        page.keyboard.press("Control+a")
        page.keyboard.press("Backspace")


@pytest.mark.parametrize("key", ["pool", "chess"])
def test_the_first_game_of_two_has_two_seats_and_a_figure_is_its_score(desk: Opener, key: str) -> None:
    page = open_new_league(desk, key)
    expect(page.locator("#seats > li:visible")).to_have_count(2)
    for text in ("Mira Holt", "Sven Ulm"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    check_letters_in_a_score(page)
    for key_pressed in ("1", "Enter", "0", "Enter"):
        page.keyboard.press(key_pressed)
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    lines = League.objects.get().games.get().results.order_by("seat")
    assert [(line.player.name, line.score) for line in lines] == [("Mira Holt", 1), ("Sven Ulm", 0)]


def test_the_first_match_of_sets_is_typed_set_by_set_and_an_empty_set_ends_it(desk: Opener) -> None:
    page = open_new_league(desk, "table-tennis")
    for text in ("Mira Holt", "Sven Ulm", "11", "9", "9", "11", "11", "7", "11", "5", ""):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    game = League.objects.get().games.get()
    assert [line.score for line in game.results.order_by("seat")] == [3, 1]
    assert game.set_rows == [{"sets": [11, 9, 11, 11]}, {"sets": [9, 11, 7, 5]}]


def test_six_new_names_are_seated_at_a_table_of_four(desk: Opener) -> None:
    page = open_new_league(desk, "elo")
    names = ("Ada Roth", "Bela Kun", "Cora Lind", "Dirk Moos", "Emil Nagy", "Fina Opp")
    for name in names:
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    expect_seated(page, names)
    page.keyboard.type("7")
    expect(score_in(page, 1)).to_have_value("7")
    page.locator("#unfold").click()
    expect(page.locator("#find")).to_be_focused()


def test_a_seat_is_added_and_removed_with_a_thumb(desk: Opener) -> None:
    make_club("elo", names=())
    page = desk(PAD, phone=True)
    rows = page.locator("#seats > li:visible")
    add = page.get_by_role("button", name="+ Seat")
    for count in (5, 6):
        add.click()
        expect(rows).to_have_count(count)
    page.keyboard.type("Ada Roth")
    page.keyboard.press("Enter")
    remove = page.get_by_role("button", name="Remove Ada Roth")
    for key in (add, remove, page.get_by_role("button", name="Clear")):
        box = key.bounding_box()
        assert box is not None
        assert box["height"] >= 44
    remove.click()
    expect_seated(page, ())
    page.get_by_role("button", name="Remove seat 6").click()
    expect(rows).to_have_count(5)


def test_a_name_with_a_typing_error_asks_for_the_person_first(desk: Opener) -> None:
    make_club("elo", names=("Ida Neumann", "Ben Cohen"))
    page = desk(PAD)
    page.keyboard.type("Idda Neumann")
    page.keyboard.press("Enter")
    expect(page.locator("#found button")).to_have_text(["Ida Neumann?", "Add Idda Neumann as a new player"])
    page.keyboard.press("Enter")
    expect_seated(page, ("Ida Neumann",))
    page.keyboard.type("Benn Cohen")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Add Benn Cohen as a new player").click()
    expect_seated(page, ("Ida Neumann", "Benn Cohen"))


def test_the_pad_finds_the_names_that_paste_finds(desk: Opener) -> None:
    """Two programs, one rule: names of letters with accents, changed by a letter or two."""
    make_club("elo")
    page = desk(PAD)
    drawn = random.Random(seed := random.randrange(10**6))
    parts = [
        "Anna",
        "Annika",
        "Łukasz",
        "Søren",
        "Zoë",
        "Мария",
        "Марина",
        "Berg",
        "Bergmann",
        "Đorić",
        "Strauß",
        "Kim",
    ]
    people = [(f"p{at}", f"{drawn.choice(parts)} {drawn.choice(parts)}") for at in range(25)]
    texts = []
    for _ in range(200):
        letters = list(drawn.choice(people)[1])
        letters[drawn.randrange(len(letters))] = drawn.choice(["x", "ä", "", "nn"])
        texts.append("".join(letters))
    similar = SimilarNames(PlayerName(*person) for person in people)
    rows = [{"handle": handle, "name": name} for handle, name in people]
    found = page.evaluate(
        "([people, texts]) => texts.map((text) => Pad.findSimilar(people, text).map((one) => one.handle))",
        [rows, texts],
    )
    assert (seed, found) == (seed, [[person.handle for person in similar.of(text)] for text in texts])


def test_an_old_draft_says_that_it_is_one(desk: Opener) -> None:
    make_club("elo")
    page = desk(PAD)
    page.keyboard.type("ab")
    go(page, PAD)
    expect_seated(page, NAMES[:1])
    expect(page.locator("#found")).to_contain_text(re.compile(r"Draft of \d\d:\d\d"))
    page.locator("#found").get_by_role("link", name="Clear").click()
    expect_seated(page, ())
    go(page, PAD)
    expect(page.locator("#found")).to_be_empty()
