"""Splitting a player who was two in a real browser: a game to a new person, done and taken back, in every look."""

import pytest
from playwright.sync_api import expect

from league.models import Player
from tests.browser.clubs import make_club_with_closed_march
from tests.browser.visits import Opener, check_page, run_in_looks
from tests.helpers.builders import ratings


@pytest.mark.slow("A rare turn; tests/core/games/test_splitting.py holds what it does.")
@run_in_looks()
def test_games_are_split_off_and_joined_again_by_one_press(desk: Opener, look: dict[str, bool]) -> None:
    league = make_club_with_closed_march()
    before = ratings(league)
    page = desk("/admin/leagues/club/people/players/dan/", **look)
    page.get_by_role("link", name="Split off games").click()
    expect(page.get_by_role("heading", name="Which games did another person play?")).to_be_visible()
    check_page(page)
    page.get_by_label("Game 2").check()
    page.locator("main").get_by_label("Correct player", exact=True).and_(page.locator("input")).fill("Dan Evers junior")
    page.get_by_label("Add them as a new player").check()
    page.get_by_role("button", name="Preview changes").click()
    expect(page.get_by_role("heading", name="Give 1 game of Dan Evers to Dan Evers junior?")).to_be_visible()
    check_page(page)
    page.get_by_role("radio", name="Keep edition 1").check()
    page.get_by_role("button", name="Split off 1 game").click()
    expect(page.get_by_role("status").first).to_contain_text("1 game was split off to Dan Evers junior.")
    assert Player.objects.filter(name="Dan Evers junior", results__game__voided_at=None).count() == 1
    page.get_by_role("button", name="Undo").click()
    # The month is closed: it is asked what becomes of it again.
    page.get_by_role("radio", name="Keep edition 1").check()
    page.get_by_role("button", name="Give 1 game back to Dan Evers").click()
    expect(page.get_by_role("status").first).to_contain_text("The split was undone: 1 game was restored.")
    assert ratings(league) == before
