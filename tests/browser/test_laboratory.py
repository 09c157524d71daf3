"""The laboratory in Chromium: accessible, of one width with the screen, without JavaScript; progress that moves."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from league.apps.laboratory.services.questions import check_question
from league.core.players.services.players import change_player
from league.models import Job, League, Player
from tests.browser.visits import Opener, check_public_page, go, run_in_looks
from tests.helpers.builders import record, sheet
from tests.helpers.experiment_builders import club, made, question

PAGE = "/leagues/club/laboratory/"


def tried() -> tuple[League, Job]:
    """Return a league with an experiment that is done."""
    league = club(90)
    return league, made(question("elo", "glicko2", "weng_lin", "preferans", draws=60), league)


def waiting(league: League) -> Job:
    """Return an experiment that no worker has taken up."""
    kept = {"question": question("elo", draws=60).to_json()}
    return Job.objects.create(league=league, kind="compare", asked_at=timezone.now(), arguments=kept)


@pytest.mark.slow("Pages of one kind; test_browser.py holds the others.")
@run_in_looks()
def test_experiments_are_accessible_fit_and_stand_still(open_page: Opener, look: dict[str, bool]) -> None:
    league, job = tried()
    page = open_page(PAGE, **look)
    check_public_page(page)
    check_public_page(go(page, f"{PAGE}{waiting(league).pk}/"))
    go(page, f"{PAGE}{job.pk}/")
    # What is folded is looked at, too.
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    check_public_page(page)


@pytest.mark.slow("That it is written by the server, tests/web/organiser holds; that nothing hides it, this.")
def test_a_report_is_readable_without_javascript(open_page: Opener) -> None:
    _, job = tried()
    page = open_page(f"{PAGE}{job.pk}/", script=False)
    expect(page.get_by_role("heading", name="cannot be told apart")).to_be_visible()
    # The order of three systems and two baselines; two errors of the systems and one baseline;
    # the score error of the two systems that share a unit. Then two charts.
    assert page.locator("main svg.interval").count() == 15
    assert page.locator("main svg.plot").count() == 2


@run_in_looks()
@pytest.mark.slow("The experiments' page is held in script/test.")
def test_the_form_is_accessible_and_sent_by_keyboard(desk: Opener, look: dict[str, bool]) -> None:
    tried()
    page = desk("/admin/leagues/club/laboratory/", **look)
    check_public_page(page)
    for summary in ("Parameters, more systems", "Parameters of Elo"):
        page.locator("summary", has_text=summary).first.click()
    check_public_page(page)
    page.get_by_label("K", exact=True).first.fill("900")
    page.get_by_label("K", exact=True).first.press("Enter")
    expect(page.get_by_text("less than or equal to 400")).to_be_visible()
    check_public_page(page)
    page.get_by_label("K", exact=True).first.fill("16")
    page.get_by_label("K", exact=True).first.press("Enter")
    page.wait_for_url("**/leagues/club/laboratory/*/")
    expect(page.get_by_role("heading", name="Elo · Glicko-2")).to_be_visible()


@pytest.mark.slow("tests/apps/laboratory holds the page; its parts are those of the other pages.")
@run_in_looks()
def test_the_health_of_a_league_is_accessible_and_fits_with_the_longest_names(
    desk: Opener, look: dict[str, bool]
) -> None:
    league = club(40)
    long = ("maximiliane", "w" * 20)
    for day in range(1, 45):
        at = datetime(2024, 1 + day // 15, 1 + day % 15, 19, tzinfo=UTC)
        record(league, sheet(long, (1, 0), played_at=at, create_players=True))
    for handle in long:
        change_player(Player.objects.get(handle=handle), name="W" * 100, username="test")
    page = desk("/leagues/club/health/", **look)
    expect(page.get_by_role("heading", name="One frequent opponent")).to_be_visible()
    assert page.locator("main svg.plot").count() == 2
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    check_public_page(page)


@run_in_looks()
@pytest.mark.slow("The experiments' page is held in script/test.")
def test_what_was_fitted_is_accessible_and_fits(open_page: Opener, look: dict[str, bool]) -> None:
    league = club(160)
    asked = [
        {"system": "elo", "parameters": {"k": 1}, "fit": ["k", "scale"]},
        {"system": "preferans", "parameters": {}},
    ]
    job = made(check_question(asked, draws=60), league)
    page = open_page(f"{PAGE}{job.pk}/", **look)
    expect(page.get_by_role("heading", name="Fitted parameters")).to_be_visible()
    check_public_page(page)
