"""Sheets typed without network: kept in the browser, sent once and in order when it is back, also by another tab."""

import json

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect

from league.models import Game
from tests.browser.clubs import NAMES, make_club
from tests.browser.pad import (
    change_waiting,
    expect_seated,
    expect_waiting,
    go_online,
    lose_next_answer,
    open_pad_offline,
    record_sheet,
    score_in,
    scores_of,
    type_initials,
    type_sheet,
    wait_for_worker,
)
from tests.browser.visits import Opener, go
from tests.helpers.desk_client import PAD


def test_three_sheets_of_a_basement_are_recorded_once_and_in_order(desk: Opener) -> None:
    league = make_club()
    page = open_pad_offline(desk)
    type_sheet(page, "10", "5", "-5", waits=1)
    expect(page.locator("#found")).to_contain_text("Saved in this browser: Anna Berg 10, Ben Cohen 5, Cleo Dahl −5")
    expect(page.get_by_role("heading", name="Next game")).to_be_visible()
    type_sheet(page, "20", "0", "0", waits=2)
    # The tab is closed in the basement, and opened again there.
    context, address = page.context, page.url
    page.close()
    page = context.new_page()
    page.goto(address)
    expect_waiting(page, 2)
    type_sheet(page, "30", "1", "2", waits=3)
    assert not Game.objects.exists()
    # Chromium tells no tab of a network that was out when it was opened; the pad itself asks twice a minute.
    with page.expect_navigation():
        context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_text("Game 3 recorded:")).to_be_visible()
    expect(page.locator("#waiting")).to_be_hidden()
    assert scores_of(league) == [[10, 5, -5, -10], [20, 0, 0, -20], [30, 1, 2, -33]]
    times = list(league.games.order_by("number").values_list("played_at", flat=True))
    assert times[0] < times[1] < times[2]
    assert all(game.recorded_at > game.played_at for game in league.games.all())


@pytest.mark.slow("tests/web/public/test_places_of_two.py holds what the server shows of such a game.")
@pytest.mark.parametrize(("typed", "line"), [(("3", "1"), "3–1"), (("0.5", "0.5"), "½–½")])
def test_a_sheet_of_two_waits_as_one_line(desk: Opener, typed: tuple[str, ...], line: str) -> None:
    make_club("elo")
    page = open_pad_offline(desk)
    type_initials(page, "abbc")
    for score in typed:
        page.keyboard.type(score)
        page.keyboard.press("Enter")
    expect(page.locator("#found")).to_contain_text(f"Anna Berg {line} Ben Cohen")


@pytest.mark.slow("tests/web/organiser/test_desk_once.py holds that a sheet counts once.")
def test_a_sheet_whose_answer_was_lost_is_recorded_once(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    lose_next_answer(page)
    type_sheet(page, "10", "5", "-5", waits=1)
    assert league.games.count() == 1
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_text("Game 1 has already been recorded; it was sent twice.")).to_be_visible()
    assert scores_of(league) == [[10, 5, -5, -10]]


@pytest.mark.slow("Another reason why a sheet waits; one is held above.")
def test_a_sheet_waits_until_its_organiser_is_signed_in_again(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    Session.objects.all().delete()
    type_sheet(page, "10", "5", "-5")
    expect(page.locator("#waiting")).to_contain_text("1 game is waiting until you sign in again. Sign in")
    assert not league.games.exists()
    # Somebody else at the same browser sends nothing of it.
    sign_in(page, "otto")
    go(page, PAD)
    expect(page.locator("#find")).to_be_focused()
    expect_seated(page, ())
    expect(page.locator("#waiting")).to_be_hidden()
    sign_in(page, "olga")
    go(page, PAD)
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert league.games.get().recorded_by == "olga"


def sign_in(page: Page, name: str) -> None:
    """Let somebody sign in to the browser of a page."""
    browser = Client()
    user = User.objects.filter(username=name).first() or User.objects.create_superuser(name)
    browser.force_login(user)
    root = page.url.split("/admin/")[0]
    page.context.add_cookies([{"name": "sessionid", "value": browser.cookies["sessionid"].value, "url": root}])


@pytest.mark.slow("tests/browser/test_offline_refused.py holds such a sheet.")
def test_a_sheet_that_is_refused_later_says_why_and_opens_in_the_pad(desk: Opener) -> None:
    league = make_club()
    page = open_pad_offline(desk)
    type_sheet(page, "10", "5", "-5", "-11")
    type_sheet(page, "20", "0", "0", waits=2)
    go_online(page)
    # The one after it is not held up.
    assert scores_of(league) == [[20, 0, 0, -20]]
    expect(page.locator("#waiting")).to_contain_text("Not recorded:")
    expect(page.locator("#waiting")).to_contain_text("0")
    page.get_by_role("button", name="Open in the score pad").click()
    expect_seated(page, NAMES[:4])
    expect(page.locator("#waiting")).to_be_hidden()
    page.locator("summary", has_text="Date, kind and note").click()
    page.get_by_label("Note").fill("in the cellar")
    # Still wrong, and the page is loaded anew: when it was typed stays with the sheet.
    page.locator("#record").click()
    expect(page.get_by_text("Nothing was recorded.")).to_be_visible()
    go(page, PAD)
    expect_seated(page, NAMES[:4])
    expect(page.locator("#found")).to_contain_text("Its time is when it was entered: ")
    score_in(page, 4).fill("-10")
    record_sheet(page, 2)
    assert league.games.get(number=2).note == "in the cellar"
    # It was typed first, and stands there.
    assert scores_of(league) == [[10, 5, -5, -10], [20, 0, 0, -20]]


@pytest.mark.slow("A rare turn of the pad.")
def test_a_pad_from_before_a_new_login_sends_with_the_token_of_now(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    (old,) = [cookie for cookie in page.context.cookies() if cookie["name"] == "csrftoken"]
    page.context.clear_cookies(name="csrftoken")
    page.context.add_cookies([{"name": "csrftoken", "value": old["value"][::-1], "url": page.url.split("/admin/")[0]}])
    type_sheet(page, "10", "5", "-5")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert scores_of(league) == [[10, 5, -5, -10]]


@pytest.mark.slow("A rare turn: that sheets wait and are sent once, other tests here hold.")
def test_a_sheet_without_an_answer_for_a_day_is_looked_at_before_it_is_sent_again(desk: Opener) -> None:
    league = make_club()
    page = open_pad_offline(desk)
    type_sheet(page, "10", "5", "-5", waits=1)
    change_waiting(page, tried=-24 * 3600 * 1000)
    page.context.set_offline(False)
    expect(page.locator("#waiting")).to_contain_text("Check whether the game was recorded before sending it again")
    assert not league.games.exists()


def test_what_is_refused_at_once_stands_at_its_seat(desk: Opener) -> None:
    league = make_club()
    page = desk(PAD)
    type_sheet(page, "10", "5", "5,,5", "0")
    expect(page.get_by_text("Nothing was recorded.")).to_be_visible()
    expect(page.locator("#seats .errors")).to_have_count(1)
    expect(score_in(page, 1)).to_have_value("10")
    expect(page.locator("#waiting")).to_be_hidden()
    assert not league.games.exists()


#: Each request of a sheet is on its way for so long before the server has it, the first one much longer.
SLOW = """(delays) => {
    const real = window.fetch;
    window.fetch = async (where, how) => {
        if (how && how.body instanceof URLSearchParams) await new Promise((go) => setTimeout(go, delays.shift() || 0));
        return real(where, how);
    };
}"""


@pytest.mark.slow("Waits for a slow network.")
def test_sheets_typed_within_a_second_keep_their_order_on_a_slow_network(desk: Opener) -> None:
    league = make_club()
    page = open_pad_offline(desk)
    type_sheet(page, "10", "5", "-5", waits=1)
    type_sheet(page, "20", "0", "0", waits=2)
    page.evaluate(SLOW, [4000, 0])
    go_online(page)
    assert scores_of(league) == [[10, 5, -5, -10], [20, 0, 0, -20]]


def waiting_in(page: Page) -> list[str]:
    """Return what a browser keeps of pads."""
    found: list[str] = page.evaluate(
        """async () => [
            ...Object.keys(localStorage), ...Object.keys(sessionStorage), ...await caches.keys(),
            ...(await navigator.serviceWorker.getRegistrations()).map((one) => one.scope),
        ]"""
    )
    return found


def test_who_signs_out_leaves_no_pad_behind(desk: Opener) -> None:
    make_club()
    page = wait_for_worker(desk(PAD))
    type_initials(page, "abbccdde")
    assert waiting_in(page)
    go(page, "/admin/")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    page.wait_for_function("async () => !(await caches.keys()).length")
    assert [one for one in waiting_in(page) if "pad" in one or "record" in one] == []


@pytest.mark.slow("A rare turn of the pad.")
def test_sheets_that_wait_are_told_of_before_who_typed_them_signs_out(desk: Opener) -> None:
    league = make_club()
    page = wait_for_worker(desk(PAD))
    go(page, "/admin/")
    own, other = f"pad-waiting-club-{User.objects.get().pk}", "pad-waiting-club-4711"
    for key, said in ((own, "Anna Berg 10, Ben Cohen −10"), (other, "Theirs 5")):
        kept = json.dumps([{"once": "x", "at": 1, "said": said}])
        page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [key, kept])
    page.get_by_role("button", name="Sign out").click()
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text(
        "1 game is waiting in this browser and has not been recorded. If you sign out, it is discarded."
    )
    expect(notice).to_contain_text("Anna Berg 10, Ben Cohen −10")
    expect(notice).not_to_contain_text("Theirs")
    expect(notice).to_be_focused()
    expect(notice.get_by_role("link", name="Send it from the score pad")).to_have_attribute("href", PAD)
    assert Session.objects.count() == 1
    notice.get_by_role("button", name="Sign out and discard it").click()
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    page.wait_for_function("async () => !(await caches.keys()).length")
    # What another one typed in this browser is theirs.
    assert [one for one in waiting_in(page) if one.startswith("pad-")] == [other]
    assert not league.games.exists()
