"""A second system's board in Chromium: accessible, of one width with the screen; it comes as soon as it is made."""

from uuid import UUID

import pytest
from playwright.sync_api import expect

from league.apps.laboratory.services.second_board import choose_second_board
from league.core.dispatch.sweep import run_requested_job
from league.core.players.services.players import change_player
from league.models import League, Player
from tests.browser.visits import Opener, check_public_page, run_in_looks
from tests.helpers.experiment_builders import club

PAGE = "/leagues/club/second/"


def chosen(system: str = "weng_lin") -> tuple[League, UUID]:
    """Return a league with the longest name on its board, and the job of its second board."""
    league = club(60)
    change_player(Player.objects.get(handle="anna"), name="W" * 100, username="test")
    return league, choose_second_board(league.pk, system, {}, username="olga").pk


@run_in_looks()
def test_it_is_accessible_and_fits_with_the_longest_names(open_page: Opener, look: dict[str, bool]) -> None:
    _, job = chosen()
    assert run_requested_job(job)
    page = open_page(PAGE, **look)
    expect(page.get_by_role("heading", name="By Weng–Lin")).to_be_visible()
    check_public_page(page)


@pytest.mark.slow("tests/apps/laboratory holds the choice; the form is as every form.")
@run_in_looks()
def test_it_is_chosen_by_keyboard(desk: Opener, look: dict[str, bool]) -> None:
    chosen()
    page = desk("/admin/leagues/club/second-board/", **look)
    check_public_page(page)
    page.get_by_label("System", exact=True).select_option("elo")
    page.locator("summary", has_text="Parameters").click()
    page.get_by_role("button", name="Show the parameters of this system").press("Enter")
    page.get_by_label("K", exact=True).fill("900")
    page.get_by_label("K", exact=True).press("Enter")
    expect(page.get_by_text("less than or equal to 400")).to_be_visible()
    check_public_page(page)
    page.get_by_label("K", exact=True).fill("16")
    page.get_by_label("K", exact=True).press("Enter")
    page.wait_for_url(f"**{PAGE}")
    expect(page.get_by_role("heading", name="By Elo, K = 16")).to_be_visible()
