"""What a phone shows first: where the answer of a weekly page begins, and how long the page is."""

from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Player
from tests.browser.visits import Opener, check_page, go
from tests.helpers.builders import EVENING, make_league, record, sheet

PHONE: ViewportSize = {"width": 390, "height": 844}
#: Pixels that the page of a player or of a game may be long.
LONGEST = 3_500
NAMES = tuple(f"player-{number:02}" for number in range(12))
ANNA = "/leagues/club/players/player-00/"


def get_top(found: Locator) -> float:
    """Return how far below the top of the page an element begins."""
    return float(found.evaluate("one => one.getBoundingClientRect().top + scrollY"))


def get_height(page: Page) -> int:
    """Return the length of a page."""
    return int(page.evaluate("document.documentElement.scrollHeight"))


@pytest.fixture
def phone(open_page: Opener) -> Page:
    """Return a phone on a league of twelve and sixty games, with long names and names from right to left."""
    league = make_league(players=NAMES, close_after_hours=0)
    for number, handle in enumerate(NAMES):
        name = ("Benjamin-Maximilian von und zu Wolfeschlegelsteinhausenberg", "שמואל בן־גוריון")[number % 2]
        Player.objects.filter(handle=handle).update(name=f"{name} {number}")
    for day in range(60):
        players = (NAMES[0], *(NAMES[1 + (day + step) % 11] for step in range(3)))
        record(league, sheet(players, (30 - day, 10, day, -5), played_at=EVENING + timedelta(days=day)))
    create_ladder(league.pk, "month", "Score of the month", RankingRule("rating_score", "month"), username="test")
    advance(league.pk)
    page = open_page(ANNA, phone=True)
    page.set_viewport_size(PHONE)
    return page


def test_a_players_last_games_follow_the_chart(phone: Page) -> None:
    games, chart = phone.locator("#games"), phone.locator("figure.history")
    assert get_top(chart) < get_top(games) < 1_250
    expect(phone.locator(".own tbody tr:visible")).to_have_count(5)
    expect(phone.locator(".rivals tbody tr:visible")).to_have_count(5)
    for path in (ANNA, f"{ANNA}?page=2"):
        assert get_height(go(phone, path)) <= LONGEST
    check_page(phone)
    # The headings of what is folded are there, and a link to one unfolds it.
    marks = phone.locator("#marks")
    expect(marks).to_be_visible()
    expect(phone.get_by_text("Longest winning streak")).to_be_hidden()
    go(phone, f"{ANNA}?page=2#marks")
    expect(marks).to_be_in_viewport()
    expect(phone.get_by_text("Longest winning streak")).to_be_visible()


def test_what_a_players_page_folds_opens_without_a_script(phone: Page, open_page: Opener) -> None:
    page = open_page(ANNA, phone=True, script=False)
    folded = page.locator("main details:not([open])")
    assert folded.count() >= 6
    while folded.count():
        folded.first.locator("> summary").click()
    page.get_by_role("link", name="Show 20 more games").click()
    expect(page.locator(".own tbody tr:visible")).to_have_count(25)
    expect(page.locator(".rivals tbody tr:visible")).to_have_count(10)
    expect(page.get_by_role("link", name="Next", exact=True)).to_be_visible()


def test_the_signed_ins_keys_stand_in_the_band(phone: Page, desk: Opener) -> None:
    page = desk(ANNA, phone=True)
    for name in ("Record a game", "Overview", "Share and export"):
        box = page.locator(".lhead").get_by_role("link", name=name).bounding_box()
        assert box
        assert box["height"] >= 44
        assert box["width"] >= 44
    expect(page.locator("main .acts")).to_have_count(0)


def test_why_a_rating_changed_stands_before_what_a_game_counts_towards(phone: Page) -> None:
    go(phone, "/leagues/club/games/60/")
    assert get_top(phone.locator("#why")) < get_top(phone.locator("#towards"))
    assert get_top(phone.locator(".pagehead .lead")) < get_top(phone.locator(".finish"))
    assert get_height(phone) <= LONGEST
    check_page(phone)


def test_a_change_on_the_board_leads_to_the_players_part_of_the_game(phone: Page) -> None:
    go(phone, "/leagues/club/")
    change = phone.locator(".board tbody tr").nth(3).locator("a.change:visible")
    address = change.get_attribute("href") or ""
    handle = address.partition("#")[2]
    assert handle in NAMES
    change.click()
    part = phone.locator(f"article#{handle}")
    expect(part).to_be_in_viewport()
    assert part.evaluate("one => one.matches(':target')")
    others = phone.locator(f"article.why:not(#{handle})").first
    colour = "one => getComputedStyle(one).backgroundColor"
    assert part.evaluate(colour) != others.evaluate(colour)


def test_a_game_of_many_folds_what_changed_the_others(open_page: Opener) -> None:
    names = tuple(f"p{number}" for number in range(20))
    record(make_league(players=names), sheet(names, range(20, 0, -1)))
    page = open_page("/leagues/club/games/1/", phone=True)
    page.set_viewport_size(PHONE)
    expect(page.locator("article.why:visible")).to_have_count(2)
    assert get_height(page) <= LONGEST
    page.get_by_text("Show all").click()
    expect(page.locator("article.why:visible")).to_have_count(20)
    # A link to one of the folded opens them.
    go(page, "/leagues/club/games/1/#p15")
    expect(page.locator("article#p15")).to_be_in_viewport()


def test_the_answer_of_what_if_follows_what_is_typed_and_stays_in_sight(phone: Page) -> None:
    go(phone, "/leagues/club/what-if/")
    verdict = phone.locator(".verdict")
    expect(verdict).to_be_in_viewport()
    before = verdict.inner_text()
    field = phone.locator("#r1")
    field.fill("500")
    expect(verdict).not_to_have_text(before)
    expect(verdict).to_contain_text("500")
    expect(field).to_be_focused()
    name = phone.locator("#p1").input_value()
    phone.get_by_role("button", name=f"Score of {name}: +5").click()
    expect(verdict).to_contain_text("505")
    assert "r=505" in phone.url
    # Above the keys of a phone, too, and at the first field.
    phone.set_viewport_size({"width": 390, "height": 400})
    field.focus()
    expect(verdict).to_be_in_viewport(ratio=1)
    field.fill("abc")
    expect(verdict).to_contain_text("Seat 1:")
    # What is wrong is said once.
    expect(phone.get_by_text("Seat 1: Enter a number.").locator("visible=true")).to_have_count(1)
    expect(verdict).to_be_in_viewport()
    check_page(phone)
    phone.set_viewport_size(PHONE)
    phone.reload()
    expect(phone.get_by_text("Enter a number.").locator("visible=true")).to_have_count(1)
    phone.locator("#r1").fill("300")
    expect(verdict).to_contain_text("300")
    expect(phone.locator(".wform .errorlist")).to_have_count(0)


def test_the_last_result_stays_while_a_name_is_unfinished(phone: Page, open_page: Opener) -> None:
    page = open_page("/leagues/club/what-if/?p=player-02&r=1&p=player-04&r=0")
    result, table = (page.locator(f"[data-answer=done] {part}") for part in (".lede", ".scroll"))
    name, keys, before = page.locator("#p2"), page.locator(".resultkeys"), table.inner_text()
    for typed, sentence, outdated in (
        ("pla", "Seat 2: No player is called “pla”.", True),
        ("", "Seat 2: Who plays in this seat?", True),
        ("player-05", " would gain ", False),
    ):
        name.fill(typed)
        expect(result).to_contain_text(sentence)
        assert table.evaluate("one => one.inert") is outdated
        assert page.locator("[data-answer=rest]").evaluate("one => one.inert") is outdated
        expect(table).to_be_visible()
        expect(keys).to_be_visible()
        check_page(page)
    assert table.inner_text() != before


def test_the_beginning_of_a_name_becomes_the_name_once_its_field_is_left(open_page: Opener) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben", "cleo"), (3, 2, 1)))
    page = open_page("/leagues/club/what-if/?p=anna&r=1&p=ben&r=0")
    name, result = page.locator("#p2"), page.locator("[data-answer=done] .lede")
    name.fill("")
    name.press_sequentially("cl")
    expect(result).to_contain_text("Anna – Cleo 1–0.")
    # What is being typed stays as it is.
    expect(name).to_have_value("cl")
    name.press("Tab")
    expect(name).to_have_value("Cleo")


def test_the_seat_changed_least_recently_has_the_rest_of_the_sum(open_page: Opener) -> None:
    make_league("barbu", players=NAMES, parameters={"demand_total": "yes", "total": 0})
    page = open_page("/leagues/club/what-if/?" + "&".join(f"p={name}&r=0" for name in NAMES[:4]))
    for seat, score, all_scores in (
        (1, "40", ["40", "0", "0", "−40"]),
        (4, "−5", ["40", "0", "−35", "−5"]),
    ):
        page.locator(f"#r{seat}").fill(score)
        assert [field.input_value() for field in page.locator("[name=r]").all()] == all_scores


@pytest.mark.parametrize("script", [True, False])
def test_a_game_of_two_is_answered_by_keys(phone: Page, open_page: Opener, script: bool) -> None:
    page = open_page("/leagues/club/what-if/?p=player-02&r=1&p=player-04&r=0", script=script)
    result = page.locator("[data-answer=done] .lede")
    won = result.inner_text()
    page.get_by_role("link", name="0–1").click()
    expect(result).not_to_have_text(won)
    expect(page.locator("#r1")).to_have_value("0")
    expect(page.locator("#r2")).to_have_value("1")


def test_who_types_in_a_filled_field_replaces_what_is_in_it(phone: Page) -> None:
    go(phone, "/leagues/club/what-if/?p=player-02&r=50&p=player-04&r=0")
    for field, text in (("#r1", "30"), ("#p1", "player-07")):
        phone.locator(field).click()
        phone.keyboard.type(text)
        expect(phone.locator(field)).to_have_value(text)


def test_enter_opens_the_only_player_found(phone: Page) -> None:
    search = go(phone, "/leagues/club/").get_by_role("searchbox")
    search.fill("player-05")
    search.press("Enter")
    phone.wait_for_url("**/leagues/club/players/player-05/")


def test_a_row_of_the_list_opens_its_game_and_a_name_its_player(phone: Page) -> None:
    for where, opened in (
        ("b", "/leagues/club/games/60/"),
        (".change", "/leagues/club/games/60/"),
        ("ol a", "/players/*/"),
    ):
        go(phone, "/leagues/club/games/").locator(".gamerows > li").first.locator(where).first.click(force=True)
        phone.wait_for_url(f"**{opened}")
