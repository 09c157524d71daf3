"""Players take part, in a real browser: entered on one phone, confirmed on another, disputed to the desk."""

import re
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from league.apps.reports.models import Report
from league.core.accounts.services.members import set_member
from league.models import Game, League
from tests.browser.pad import score_in
from tests.browser.visits import Opener, check_page, go, run_in_looks
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.report_builders import TABLE, link_of, played, reported, reporting_club

LONG = "A table of a name so long that no printer has a line for it, none at all"


@pytest.fixture
def club() -> League:
    """Return a league whose players report, with somebody who records there."""
    league = reporting_club(report_hours=24)
    User.objects.create_user("rita")
    set_member(league.pk, "rita", "recorder")
    return league


def fill_in(page: Page, *scores: tuple[str, str]) -> None:
    """Seat those by their chips who do not sit yet, and type their scores."""
    for name, _ in scores:
        chip = page.get_by_role("button", name=re.compile(rf"^\d*\s*{name}"))
        if chip.get_attribute("aria-pressed") != "true":
            chip.click()
    for name, score in scores:
        page.locator("#seats > li").filter(has_text=name).get_by_label(re.compile("^Score (of|in seat) ")).fill(score)


def type_unknown_name(page: Page, name: str) -> None:
    """Type a name into the pad of a page that has just been sent, key by key as a person does, then Enter.

    The page is still loading when its first text is seen; what is filled in at once may reach no field.
    """
    page.wait_for_load_state()
    find = page.locator("#find")
    find.focus()
    find.press_sequentially(name)
    expect(find).to_have_value(name)
    find.press("Enter")


def enter(page: Page, *scores: tuple[str, str]) -> None:
    """Fill a sheet in, and enter the game."""
    fill_in(page, *scores)
    page.get_by_role("button", name="Report the game").click()


def test_one_enters_on_a_phone_another_confirms_by_their_link_and_the_board_shows_it(
    club: League, open_page: Opener
) -> None:
    anna = open_page(f"/report/{link_of(club, 'anna')}/?players=anna,ben#pad", phone=True)
    # In a game of two, keys enter the result; the first has the focus.
    keys = anna.get_by_role("group", name="Result")
    expect(keys.get_by_role("button", name="1–0")).to_be_focused()
    keys.get_by_role("button", name="½–½").click()
    expect(anna.locator("#seats > li input[name$=-score]").nth(1)).to_have_value("½")
    keys.get_by_role("button", name="0–1").click()
    expect(anna.locator("#sum")).to_be_hidden()
    # What the sheet would change stands beside the names.
    expect(anna.locator("#seats li").nth(0).locator(".live")).to_contain_text("−")
    expect(anna.locator("#seats li").nth(1).locator(".live")).to_contain_text("+")
    anna.get_by_role("button", name="Report the game").click()
    expect(anna.get_by_text("The game was reported.")).to_be_visible()
    type_unknown_name(anna, "Zoe")
    expect(anna.get_by_text("An organiser can add new players.")).to_be_visible()
    expect(anna.get_by_text("Waiting for another player at the table.")).to_be_visible()
    assert Game.objects.count() == 2
    board = open_page("/leagues/club/games/")
    expect(board.get_by_role("link", name="3", exact=True)).to_have_count(0)
    ben = open_page(f"/report/{link_of(club, 'ben')}/", phone=True)
    expect(ben.get_by_role("heading", name="Is this right?")).to_be_visible()
    ben.get_by_role("button", name="It is right").click()
    expect(ben.get_by_text("Confirmed: game 3")).to_be_visible()
    ben.get_by_role("link", name="Game 3").click()
    expect(ben.get_by_role("heading", name="Anna 0–1 Ben")).to_be_visible()
    assert Game.objects.get(number=3).recorded_by == "the table"


@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_who_enters_a_game_that_another_entered_confirms_it_instead(club: League, open_page: Opener) -> None:
    reported(link_of(club, "anna"))
    ben = open_page(f"/report/{link_of(club, 'ben')}/", phone=True)
    enter(ben, ("Anna", "1"), ("Ben", "0"))
    expect(ben.get_by_text("Is it the same game?")).to_be_visible()
    check_page(ben)
    ben.get_by_role("button", name="Same game: confirm it").click()
    expect(ben.get_by_text("Confirmed: game 3")).to_be_visible()
    expect(score_in(ben, 1)).to_have_value("")
    assert (Report.objects.count(), Game.objects.count()) == (1, 3)


@pytest.mark.slow("tests/apps/reports holds disputes; a report is confirmed in the browser beside it.")
def test_a_dispute_reaches_the_desk_and_is_amended_there(club: League, open_page: Opener) -> None:
    phone = open_page(f"/report/{TABLE}/", phone=True)
    phone.get_by_role("link", name="Anna").click()
    enter(phone, ("Anna", "1"), ("Ben", "0"))
    expect(phone.get_by_text("The game was reported.")).to_be_visible()
    phone.get_by_role("link", name="Not you?").click()
    phone.get_by_role("link", name="Ben").click()
    expect(phone.get_by_text("to confirm it, use another phone")).to_be_visible()
    expect(phone.get_by_role("button", name="It is right")).to_have_count(0)
    check_page(phone)
    phone = open_page(f"/report/{TABLE}/", phone=True)
    phone.get_by_role("link", name="Ben").click()
    phone.get_by_text("It is wrong").click()
    phone.get_by_label("What is wrong?").fill("I won: 1 for me.")
    phone.get_by_role("button", name="Dispute it").click()
    expect(phone.get_by_text("The organiser was notified")).to_be_visible()
    desk = open_page("/admin/leagues/club/", user="rita")
    expect(desk.get_by_text("Ben: I won: 1 for me.")).to_be_visible()
    desk.get_by_role("link", name="Decide").click()
    desk.get_by_role("link", name="Change", exact=True).click()
    desk.get_by_label("Seat 1 Score").fill("0")
    desk.get_by_label("Seat 2 Score").fill("1")
    desk.get_by_role("button", name="Record this").click()
    expect(desk.get_by_text("The report is now game 3.")).to_be_visible()
    assert [line.score for line in Game.objects.get(number=3).results.order_by("seat")] == [0, 1]
    phone.reload()
    expect(phone.get_by_text("Recorded with changes.")).to_be_visible()


@pytest.mark.slow("tests/browser/test_offline.py holds what waits for the network.")
def test_a_phone_without_network_sends_nothing_and_loses_nothing(club: League, open_page: Opener) -> None:
    path = f"/report/{link_of(club, 'anna')}/"
    page = open_page(path, phone=True)
    expect(page.get_by_text("If you are offline, your entries stay")).to_be_visible()
    page.get_by_text("Date and note").click()
    page.get_by_label("Note").fill("In the basement")
    page.context.set_offline(True)
    enter(page, ("Anna", "1"), ("Ben", "0"))
    expect(page.get_by_text("You are offline: nothing was sent.")).to_be_visible()
    expect(score_in(page, 1)).to_have_value("1")
    check_page(page)
    page.context.set_offline(False)
    expect(page.get_by_text("You are online again.")).to_be_visible()
    assert not Report.objects.exists()
    other = page.context.new_page()
    page.close()
    other.goto(page.url)
    expect(other.get_by_text("This report was not sent.")).to_be_visible()
    expect(score_in(other, 2)).to_have_value("0")
    check_page(other)
    other.get_by_role("button", name="Report the game").click()
    expect(other.get_by_text("The game was reported.")).to_be_visible()
    assert Report.objects.get().sheet["note"] == "In the basement"
    other.goto(page.url)
    expect(score_in(other, 1)).to_have_value("")
    expect(other.locator("#unsent")).to_be_hidden()


@pytest.mark.slow("tests/browser/test_offline.py holds what waits for the network.")
def test_a_browser_too_old_to_ask_whether_the_site_answers_sends_all_the_same(club: League, open_page: Opener) -> None:
    """Safari 15, the last one of many a phone: else it was told for ever that there is no network."""
    page = open_page(f"/report/{link_of(club, 'anna')}/", phone=True)
    page.add_init_script("delete AbortSignal.timeout; delete HTMLFormElement.prototype.requestSubmit;")
    page.reload()
    expect(page.get_by_text("If you are offline, your entries stay")).to_be_hidden()
    enter(page, ("Anna", "1"), ("Ben", "0"))
    expect(page.get_by_text("The game was reported.")).to_be_visible()
    assert Report.objects.count() == 1


@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_a_sheet_whose_answer_was_lost_is_entered_once(club: League, open_page: Opener) -> None:
    page = open_page(f"/report/{link_of(club, 'anna')}/", phone=True)

    def lost(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    address = page.url
    page.route(address, lost)
    with page.expect_event("requestfailed", lambda request: request.method == "POST" and request.url == address):
        enter(page, ("Anna", "1"), ("Ben", "0"))
    assert Report.objects.count() == 1
    again = page.context.new_page()
    page.close()
    again.goto(address)
    expect(again.get_by_text("This report may not have arrived.")).to_be_visible()
    again.get_by_role("button", name="Report the game").click()
    expect(again.get_by_text("This game has already been reported: the form was sent twice.")).to_be_visible()
    assert Report.objects.count() == 1


@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_who_mistyped_a_sheet_withdraws_it_and_enters_it_anew(club: League, open_page: Opener) -> None:
    page = open_page(f"/report/{link_of(club, 'anna')}/", phone=True)
    enter(page, ("Anna", "1"), ("Ben", "0"))
    page.get_by_text("Withdraw it").click()
    expect(page.get_by_role("button", name="Withdraw the report")).to_be_visible()
    check_page(page)
    page.get_by_role("button", name="Withdraw the report").click()
    expect(page.get_by_text("Withdrawn by the sender.")).to_be_visible()
    enter(page, ("Anna", "0"), ("Ben", "1"))
    expect(page.get_by_text("The game was reported.")).to_be_visible()
    assert sorted(Report.objects.values_list("state", flat=True)) == ["waiting", "withdrawn"]


@pytest.mark.slow("What the form sends, tests/web/organiser holds; that it can be sent without script, this.")
def test_without_script_names_are_written_and_all_else_is_the_same(club: League, open_page: Opener) -> None:
    page = open_page(f"/report/{link_of(club, 'anna')}/", phone=True, script=False)
    for seat, (name, score) in enumerate((("Anna", "1"), ("Ben", "0")), start=1):
        page.get_by_label(f"Player in seat {seat}").fill(name)
        score_in(page, seat).fill(score)
    page.get_by_role("button", name="Report the game").click()
    expect(page.get_by_text("The game was reported.")).to_be_visible()
    assert Report.objects.get().sheet["results"][0]["player"] == "anna"


def test_my_page_seats_me_and_keeps_no_sheet_that_nobody_has_typed(club: League, open_page: Opener) -> None:
    page = open_page(f"/report/{link_of(club, 'ben')}/", phone=True)
    expect(page.locator("#seats > li").first).to_contain_text("Ben")
    check_page(page)
    # The field is wide enough for what it says, in the longest language, too.
    for language in ("en", "de", "ru"):
        go(page, f"{urlsplit(page.url).path}?lang={language}")
        room = page.locator("#find").evaluate(
            "(one) => one.clientWidth - parseFloat(getComputedStyle(one).padding) * 2"
        )
        said = page.locator("#find").evaluate(
            """(one) => {
                const pen = document.createElement("canvas").getContext("2d");
                pen.font = getComputedStyle(one).font;
                return pen.measureText(one.placeholder).width;
            }"""
        )
        assert said <= room
    go(page, f"{urlsplit(page.url).path}?lang=en")
    expect(page.locator("#unsent")).to_be_hidden()
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('report-'))") == []
    # What was typed comes back instead of what the page proposes.
    fill_in(page, ("Cleo", "3"), ("Ben", "1"))
    page.reload()
    expect(page.locator("#seats > li").nth(1)).to_contain_text("Cleo")
    expect(page.locator("#seats > li").filter(has_text="Ben").get_by_label(re.compile("^Score"))).to_have_value("1")
    assert page.locator("#seats > li").filter(has_text="Ben").count() == 1


@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_the_paper_of_preferans_is_summed_while_it_is_typed(open_page: Opener) -> None:
    names = ("pedja", "marko", "johnny")
    league = make_league("preferans", names, slug="pref", reporting="by_link")
    record(league, sheet(names, (-60, 40, 20), details={"bula": 30}))
    page = open_page(f"/report/{link_of(league, 'pedja')}/", phone=True)
    for name in names[1:]:
        page.get_by_role("button", name=re.compile(rf"^\d*\s*{name.title()}")).click()
    for seat, paper in enumerate(((-20, 320, 160), (4, 120, 60), (16, 20, 60))):
        for column, value in zip(("middle", "left", "right"), paper, strict=True):
            page.locator(f"input[name='seats-{seat}-worksheet_{column}']").fill(str(value))
    expect(page.locator("input[name='seats-0-score']")).to_have_attribute("placeholder", re.compile(r"\d"))
    check_page(page)
    page.get_by_role("button", name="Report the game").click()
    expect(page.get_by_text("The game was reported.")).to_be_visible()


@pytest.mark.slow("Pages of one kind; test_browser.py holds the others.")
@run_in_looks()
def test_the_pages_are_accessible_and_fit(club: League, open_page: Opener, look: dict[str, bool]) -> None:
    anna, ben = link_of(club, "anna"), link_of(club, "ben")
    reported(anna, played(("anna", "ben"), note="x" * 200))
    reported(ben, played(("anna", "ben"), hours=2))
    page = open_page(f"/report/{TABLE}/", **look)
    check_page(page)
    go(page, f"/report/{anna}/")
    page.get_by_text("It is wrong").click()
    expect(page.get_by_label("What is wrong?")).to_be_visible()
    check_page(page)
    page = open_page("/admin/leagues/club/reports/", user="rita", **look)
    expect(page.get_by_role("heading", name="Player reports")).to_be_visible()
    page.get_by_text("Reject", exact=True).first.click()
    expect(page.get_by_role("button", name="Reject the report").first).to_be_visible()
    check_page(page)
    page.get_by_role("link", name="Change", exact=True).first.click()
    # A link's page is another document: what looks at it before it is there looks at none.
    expect(page.get_by_role("button", name="Record this")).to_be_visible()
    check_page(page)
    go(page, "/admin/leagues/club/reports/")
    page.get_by_role("textbox", name="Table").fill(LONG)
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_role("img", name="QR code of the link")).to_be_visible()
    check_page(page)
    pages = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", page.pdf(prefer_css_page_size=True))
    # The card is one page of A6, 105 by 148 mm in points of 1/72 inch; Chromium rounds to whole CSS pixels.
    assert [(abs(float(wide) - 297.6) < 1, abs(float(high) - 419.5) < 1) for wide, high in pages] == [(True, True)]
    check_page(go(page, "/admin/leagues/club/"))
