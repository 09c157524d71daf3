"""A competition in a real browser: created, entered by links, paired, recorded on phones, corrected, finished."""

import pytest
from playwright.sync_api import Page, expect

from league.apps.competitions.models import Competition, Fixture
from league.core.verify.run import verify_league
from league.models import Game
from tests.browser.pad import score_in
from tests.browser.visits import Opener, check_page, go
from tests.helpers.builders import FOUR
from tests.helpers.report_builders import link_of, reporting_club

DESK, CUP = "/admin/leagues/club/competitions/", "/leagues/club/competitions/thursday/"


def press(page: Page, name: str) -> None:
    """Press a button, and wait for the page after it."""
    with page.expect_navigation():
        page.get_by_role("button", name=name).first.click()


def create_swiss(arbiter: Page) -> None:
    """Create a Swiss of two rounds that players enter, and open it."""
    arbiter.get_by_label("Name", exact=True).fill("Thursday")
    arbiter.get_by_text("Club Swiss").click()
    arbiter.get_by_label("Rounds", exact=True).fill("2")
    arbiter.locator("summary", has_text="Entries").click()
    arbiter.get_by_label("Players enter themselves by their private links").check()
    press(arbiter, "Create")
    go(arbiter, f"{DESK}thursday/")
    press(arbiter, "Open for entries")


def enter_by_tap(arbiter: Page) -> None:
    """Enter the first missing result with one tap."""
    with arbiter.expect_navigation():
        arbiter.locator("form.quick button").first.click()


def correct_first_game(arbiter: Page) -> None:
    """Correct the first game to a draw."""
    go(arbiter, f"{DESK}thursday/fixtures/1/")
    press(arbiter, " ½–½ ")
    arbiter.get_by_label("Reason (public)").fill("Misread.")
    press(arbiter, "Correct")


@pytest.mark.slow("A journey through pages that tests/apps/competitions and other journeys hold.")
def test_a_competition_from_the_first_entry_to_the_print(desk: Opener, open_page: Opener) -> None:
    club = reporting_club(report_hours=24)
    arbiter = desk(f"{DESK}+new/", phone=True)
    create_swiss(arbiter)
    phones = {name: open_page(f"/report/{link_of(club, name)}/", phone=True) for name in FOUR}
    for page in phones.values():
        press(page, "Enter")
        expect(page.get_by_text("You are entered.")).to_be_visible()
        check_page(page)

    go(arbiter, f"{DESK}thursday/")
    press(arbiter, "Start")
    press(arbiter, "Pair round 1")
    press(arbiter, "Publish round 1")
    fixture = Fixture.objects.get(number=1)
    first, second = (seat.entry.players.get().player for seat in fixture.seats.order_by("seat"))

    # One of the two enters the result with the seats filled, the other confirms it.
    page = phones[first.handle]
    page.reload()
    page.get_by_role("link", name="Enter the result").click()
    score_in(page, 1).fill("1")
    score_in(page, 2).fill("0")
    page.get_by_role("button", name="Report the game").click()
    expect(page.get_by_text("The game was reported.")).to_be_visible()
    other = phones[second.handle]
    other.reload()
    other.get_by_role("button", name="It is right").click()
    expect(other.get_by_text("Confirmed: game 3")).to_be_visible()
    fixture.refresh_from_db()
    assert fixture.game == Game.objects.get(number=3)
    visitor = open_page(f"{CUP}rounds/1/", phone=True)
    expect(visitor.get_by_text("1–0").first).to_be_visible()

    # The arbiter enters the other game with one tap, and corrects the first.
    go(arbiter, f"{DESK}thursday/")
    enter_by_tap(arbiter)
    assert Fixture.objects.filter(game__isnull=False).count() == 2
    press(arbiter, "Pair round 2")
    press(arbiter, "Publish round 2")
    correct_first_game(arbiter)
    go(arbiter, f"{DESK}thursday/")
    for _ in range(2):
        enter_by_tap(arbiter)
    press(arbiter, "Finish")
    expect(arbiter.get_by_text("its final standings are published")).to_be_visible()
    visitor = go(visitor, f"{CUP}rounds/1/")
    expect(visitor.get_by_text("½–½").first).to_be_visible()
    check_page(go(visitor, CUP))
    for sheet in ("slips", "pairings", "tables"):
        go(arbiter, f"{DESK}thursday/print/{sheet}/")
        expect(arbiter.get_by_text("Thursday").first).to_be_visible()
    assert Competition.objects.get().status == "finished"
    assert verify_league(club.pk).state == "is right"
