"""A sheet that waited and is opened again: it stays of the time at which it was typed, and takes nobody's place."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page, expect

from league.models import League, Membership
from tests.browser.clubs import NAMES, make_club
from tests.browser.pad import (
    expect_seated,
    expect_waiting,
    get_sheet_refused,
    go_online,
    lose_next_answer,
    open_pad_offline,
    open_waiting_sheet,
    record_sheet,
    score_in,
    scores_of,
    type_initials,
    type_sheet,
    wait_for_worker,
)
from tests.browser.visits import Opener, go
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import PAD

HOURS = 3600 * 1000
RARE = pytest.mark.slow("A rare turn: that sheets wait, are sent once and open again, test_offline.py holds.")


def minutes_ago(league: League, number: int) -> float:
    """Return how long ago a game was played."""
    return (timezone.now() - league.games.get(number=number).played_at) / timedelta(minutes=1)


@RARE
def test_after_clear_the_next_sheet_is_one_of_now(desk: Opener) -> None:
    league = make_club()
    page = get_sheet_refused(desk, ago=2 * HOURS)
    open_waiting_sheet(page)
    expect(page.locator("#found")).to_contain_text("Its time is when it was entered")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#found")).to_be_empty()
    type_sheet(page, "20", "0", "0")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert minutes_ago(league, 1) < 5


@pytest.mark.parametrize("path", [PAD, f"{PAD}?by=place"])
def test_an_opened_sheet_that_the_server_has_is_not_recorded_twice(desk: Opener, path: str) -> None:
    league = make_club("elo", names=NAMES[:4])
    page = desk(path)
    lose_next_answer(page)
    type_sheet(page)
    for seat, value in enumerate(("1", "2", "3", "4"), start=1):
        score_in(page, seat).fill(value)
    page.locator("#record").click()
    expect_waiting(page, 1)
    assert league.games.count() == 1
    # The pad of scores sends a sheet of places to the other pad.
    open_waiting_sheet(page)
    if path == PAD:
        page.reload()
    expect(page.locator("#found")).to_contain_text("Its time is when it was entered")
    page.locator("#record").click()
    expect(page.get_by_text("Game 1 has already been recorded; it was sent twice.")).to_be_visible()
    assert league.games.count() == 1


@RARE
def test_after_clear_a_game_has_a_key_of_its_own(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    lose_next_answer(page)
    type_sheet(page, "10", "5", "-5", waits=1)
    open_waiting_sheet(page)
    page.get_by_role("button", name="Clear").click()
    type_sheet(page, "20", "0", "0")
    expect(page.get_by_text("Game 2 recorded:")).to_be_visible()
    assert scores_of(league) == [[10, 5, -5, -10], [20, 0, 0, -20]]


@RARE
def test_a_sheet_like_another_one_of_its_time_is_asked_about_and_stays_of_its_time(desk: Opener) -> None:
    league = make_club()
    at = timezone.now() - timedelta(hours=2)
    record(league, sheet(("anna", "ben", "cleo", "dan"), (10, 5, -5, -10), played_at=at))
    page = get_sheet_refused(desk, ago=2 * HOURS)
    open_waiting_sheet(page)
    score_in(page, 4).fill("-10")
    page.locator("#record").click()
    question = page.locator("[data-asked]")
    expect(question).to_contain_text("has the same players and scores.")
    # Nobody answers for a while.
    page.evaluate("() => { const real = Date.now; Date.now = () => real() + 3600 * 1000; }")
    question.get_by_role("button", name="Record it again").click()
    expect(page.get_by_text("Game 2 recorded:")).to_be_visible()
    assert 175 < minutes_ago(league, 2) < 185
    expect_seated(page, ())


#: The clock of a phone is wrong by what is kept as “skew”.
SKEW = "const real = Date.now; Date.now = () => real() + Number(localStorage.getItem('skew') || 0);"


def set_clock(page: Page, by: int) -> None:
    """Set the clock of a phone wrong by so many milliseconds, 0 for right."""
    page.evaluate("(by) => localStorage.setItem('skew', by)", by)


@RARE
def test_a_phone_that_sets_its_clock_on_the_way_up_moves_no_sheet(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    page.add_init_script(SKEW)
    set_clock(page, -2 * HOURS)
    go(page, PAD)
    type_sheet(page, "10", "5", "-5", "-11")
    page.wait_for_function("() => Object.keys(localStorage).some((key) => key.endsWith('-clock'))")
    page.get_by_role("button", name="Clear").click()
    go(wait_for_worker(page), PAD)
    page.context.set_offline(True)
    type_sheet(page, "10", "5", "-5", waits=1)
    set_clock(page, 0)
    go_online(page)
    assert minutes_ago(league, 1) < 5


@RARE
def test_sheets_keep_their_order_where_the_clock_was_set_between_them(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    page.add_init_script(SKEW)
    set_clock(page, 2 * HOURS)
    go(wait_for_worker(page), PAD)
    page.context.set_offline(True)
    type_sheet(page, "10", "5", "-5", "-11", waits=1)
    set_clock(page, 0)
    type_sheet(page, "20", "0", "0", waits=2)
    go_online(page)
    assert scores_of(league) == [[20, 0, 0, -20]]
    open_waiting_sheet(page)
    score_in(page, 4).fill("-10")
    record_sheet(page, 2)
    assert scores_of(league) == [[10, 5, -5, -10], [20, 0, 0, -20]]


def half_typed(page: Page) -> None:
    """Seat two and type the score of the first."""
    type_initials(page, "abbc")
    score_in(page, 1).fill("7")


def is_half_typed(page: Page) -> None:
    """Look whether what was half typed stands on the pad."""
    expect_seated(page, NAMES[:2])
    expect(score_in(page, 1)).to_have_value("7")


@RARE
def test_what_is_half_typed_makes_room_for_a_sheet_of_the_list_and_comes_back(desk: Opener) -> None:
    league = make_club()
    page = get_sheet_refused(desk)
    half_typed(page)
    open_waiting_sheet(page)
    expect_seated(page, NAMES[:4])
    expect(page.locator("#waiting")).to_contain_text("Anna Berg 7, Ben Cohen. Not finished.")
    score_in(page, 4).fill("-10")
    record_sheet(page, 1)
    open_waiting_sheet(page)
    is_half_typed(page)
    expect(page.locator("#waiting")).to_be_hidden()
    page.locator("#find").focus()
    page.keyboard.type("cdde")
    for seat, score in ((2, "-7"), (3, "0"), (4, "0")):
        score_in(page, seat).fill(score)
    record_sheet(page, 2)
    assert scores_of(league) == [[10, 5, -5, -10], [7, -7, 0, 0]]


@RARE
def test_a_table_that_the_pad_kept_is_no_loss(desk: Opener) -> None:
    make_club()
    page = get_sheet_refused(desk)
    page.get_by_label("same players", exact=True).check()
    page.locator("#find").focus()
    type_sheet(page, "20", "0", "0")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    expect_seated(page, NAMES[:4])
    open_waiting_sheet(page)
    expect(page.locator("#waiting")).to_be_hidden()
    expect(score_in(page, 4)).to_have_value("−11")


@RARE
def test_a_sheet_is_opened_in_one_tab_only(desk: Opener) -> None:
    make_club()
    page = get_sheet_refused(desk)
    other = page.context.new_page()
    other.goto(page.url)
    open_waiting_sheet(other)
    expect(page.locator("#waiting")).to_be_hidden()
    expect_seated(other, NAMES[:4])


@RARE
def test_a_tab_that_has_not_heard_of_it_opens_it_no_more(desk: Opener) -> None:
    make_club()
    page = get_sheet_refused(desk)
    page.evaluate("localStorage.setItem(document.getElementById('pad').dataset.waiting, '[]')")
    open_waiting_sheet(page)
    expect_seated(page, ())
    expect(page.locator("#found")).to_have_text("This game was opened in another tab.")


@RARE
def test_undo_brings_its_seats_and_puts_aside_what_is_half_typed(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    type_sheet(page, "10", "5", "-5")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    half_typed(page)
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_text("Game 1 was undone")).to_be_visible()
    expect_seated(page, NAMES[:4])
    expect(page.locator("#waiting")).to_contain_text("Anna Berg 7, Ben Cohen. Not finished.")
    # What is changed of it stays, and so does that it was cleared; another tab has it still.
    score_in(page, 1).fill("11")
    go(page, PAD)
    expect(score_in(page, 1)).to_have_value("11")
    page.get_by_role("button", name="Clear").click()
    go(page, PAD)
    expect_seated(page, ())
    other = page.context.new_page()
    other.goto(page.url)
    expect_seated(other, NAMES[:4])
    open_waiting_sheet(page)
    is_half_typed(page)
    assert league.games.count() == 1


@RARE
def test_a_sheet_that_was_recorded_is_on_the_pad_no_more_whoever_records_meanwhile(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)

    page.evaluate(
        """() => {
            const real = window.fetch;
            window.fetch = async (where, how) => {
                const answer = await real(where, how);
                if (how.body instanceof URLSearchParams) await new Promise((go) => { window.answered = go; });
                return answer;
            };
        }"""
    )
    type_sheet(page, "10", "5", "-5")
    page.wait_for_function("() => window.answered")
    record(league, sheet(("eva", "finn", "gina", "hugo"), (1, 0, 0, -1), played_at=timezone.now()))
    page.evaluate("window.answered()")
    expect(page.get_by_role("heading", name="Game 3")).to_be_visible()
    expect_seated(page, ())
    assert league.games.count() == 2


@RARE
def test_the_pad_goes_on_in_a_basement_with_an_empty_table(desk: Opener) -> None:
    """The page that a browser keeps for a basement may be of an undone game."""
    make_club()
    page = desk(PAD)
    type_sheet(page, "10", "5", "-5")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_text("Game 1 was undone")).to_be_visible()
    go(wait_for_worker(page), PAD)
    page.get_by_role("button", name="Clear").click()
    page.context.set_offline(True)
    other = page.context.new_page()
    other.goto(page.url)
    expect_seated(other, ())


@RARE
def test_a_sheet_of_places_comes_back_where_places_are_asked_for(desk: Opener) -> None:
    league = make_club("elo")
    page = desk(f"{PAD}?by=place")
    type_initials(page, "abbc")
    score_in(page, 1).fill("2")
    score_in(page, 2).fill("3")
    page.locator("#record").click()
    expect(page.get_by_text("Nothing was recorded.")).to_be_visible()
    go(page, PAD)
    expect(score_in(page, 1)).to_have_value("2")
    expect(score_in(page, 2)).to_have_value("3")
    score_in(page, 2).fill("1")
    record_sheet(page, 1)
    assert [line.place for line in league.games.get().results.order_by("seat")] == [2, 1]


@RARE
def test_a_sheet_is_thrown_away_by_two_presses_also_on_a_phone(desk: Opener) -> None:
    league = make_club()
    page = get_sheet_refused(desk)
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Discard").click()
    waiting = page.locator("#waiting")
    expect(waiting.get_by_role("button", name="Open in the score pad")).to_be_visible()
    page.get_by_role("button", name="Discard for good").click()
    expect(waiting).to_be_hidden()
    expect(page.locator("#found")).to_contain_text("Discarded: ")
    page.reload()
    wait_for_worker(page)
    expect(waiting).to_be_hidden()
    assert league.games.count() == 0


@RARE
def test_a_sheet_that_whoever_is_signed_in_may_not_record_is_sent_again_later(
    desk: Opener, known_faults: list[str]
) -> None:
    known_faults.append("404 (Not Found)")
    league = make_club()
    page = open_pad_offline(desk)
    type_sheet(page, "10", "5", "-5", "-10", waits=1)
    User.objects.update(is_superuser=False, is_staff=False)
    Membership.objects.create(league=make_league(slug="other"), user=User.objects.get(), role="recorder")
    League.objects.filter(slug="club").update(visibility="private")
    page.context.set_offline(False)
    waiting = page.locator("#waiting")
    expect(waiting).to_contain_text(
        "The user signed in here cannot record in this league. The game will be sent again automatically."
    )
    expect(waiting).to_contain_text("Not recorded:")
    type_sheet(page, "20", "0", "0")
    expect(waiting.get_by_role("listitem")).to_have_count(2)
    assert league.games.count() == 0
    User.objects.update(is_superuser=True, is_staff=True)
    with page.expect_navigation():
        page.evaluate("dispatchEvent(new Event('online'))")
    expect(waiting).to_be_hidden()
    assert scores_of(league) == [[10, 5, -5, -10], [20, 0, 0, -20]]
