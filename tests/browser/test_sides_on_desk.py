"""Sides, weights and long names on the desk, in a browser: what is seen, what follows while it is typed, what fits."""

from playwright.sync_api import expect

from league.core.players.services.players import set_initial_rating
from league.models import Game, Player
from tests.browser.clubs import NAMES, make_club
from tests.browser.pad import score_in, type_initials
from tests.browser.visits import Opener, check_width, go
from tests.helpers.builders import record, sheet
from tests.helpers.desk_client import PAD

LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle"


def test_a_long_name_fits_a_phone_tonight_at_the_table_and_in_its_game(desk: Opener) -> None:
    league = make_club("elo", names=NAMES[:4])
    Player.objects.filter(handle="ben").update(name=LONG)
    record(league, sheet(("anna", "ben", "cleo", "dan"), (4, 3, 2, 1), played_at=None))
    page = desk("/status/", phone=True)
    for path in ("/admin/leagues/club/", PAD, "/leagues/club/games/1/"):
        go(page, path)
        assert page.get_by_text(LONG).locator("visible=true").count(), path
        check_width(page)


def test_the_box_for_sides_says_what_it_is_on_a_phone(desk: Opener) -> None:
    make_club("elo", names=NAMES[:4])
    page = desk(f"{PAD}?sides=1", phone=True)
    word = page.locator(".sidebox label").first
    seen = word.bounding_box()
    assert seen is not None
    assert seen["width"] > 15
    assert seen["height"] > 8
    assert word.inner_text().split()[-1] == "Team"
    # It belongs to the box, which a finger meets.
    word.click()
    expect(page.locator(".sidebox input").first).to_be_focused()
    check_width(page)


def test_what_a_game_weighs_changes_at_once_what_stands_beside_the_names(desk: Opener) -> None:
    make_club("elo", names=NAMES[:4])
    page = desk(f"{PAD}?sides=1")
    type_initials(page, "abbccdde")
    # A side's score once is enough to say preview.
    score_in(page, 1).fill("21")
    score_in(page, 3).fill("15")
    change = page.locator(".seats .live .chg").nth(1)
    expect(change).to_have_text("+10.0")
    score_in(page, 2).fill("21")
    expect(page.locator("#sum")).to_have_text("36")
    page.locator("details summary", has_text="Date, kind and note").click()
    page.get_by_label("Weight").fill("2")
    expect(change).to_have_text("+20.0")
    assert not Game.objects.exists()


def test_the_seated_are_put_into_fair_teams(desk: Opener) -> None:
    """Anna 1600 and Dan 1400 against Ben and Cleo with 1500 each."""
    league = make_club("elo", names=NAMES[:4])
    for handle, rating in (("anna", 1600.0), ("dan", 1400.0)):
        set_initial_rating(league.pk, Player.objects.get(handle=handle), rating)
    page = desk(f"{PAD}?sides=1")
    key = page.get_by_role("button", name="Make fair teams")
    key.click()
    expect(page.locator("#fair-told")).to_have_text("Seat the players first.")
    page.locator("#find").focus()
    type_initials(page, "abbccdde")
    key.click()
    expect(page.locator("#fair-told")).to_have_text("Expected shares of the points: 50% – 50%.")
    teams = [page.locator("#seats > li").nth(seat).locator("input[name$='-side']").input_value() for seat in range(4)]
    assert teams == ["1", "2", "2", "1"]
    check_width(page)
