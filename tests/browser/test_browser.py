"""Every page in a real browser: accessible, in light, dark and on a phone, without JavaScript, by keyboard."""

from datetime import timedelta
from uuid import UUID

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from league.models import Game, League, Player
from league.services.dispatch.nightly import ask_verifications, hear
from league.services.dispatch.sweep import do_job
from league.services.jobs.work import ask
from league.services.ladders.decisions import advance
from league.services.ladders.ladders import Ranking, create_ladder
from tests.browser.conftest import Opener, go
from tests.browser.measures import shifts, weak_inputs
from tests.helpers.builders import EVENING, make_league, record, sheet

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database("How a page is drawn; what stands on it, tests/league asks on both."),
]

LOOKS = {"light": {}, "dark": {"dark": True}, "phone": {"phone": True}}
PAGES = {
    "leagues": "/",
    "leaderboard": "/leagues/club/",
    "leaderboard then": "/leagues/club/?at=2024-03-09",
    "leaderboard by games": "/leagues/club/?sort=games&games=1",
    "leaderboard around": "/leagues/club/?around=ben",
    "leaderboard searched": "/leagues/club/?q=a",
    "leaderboard compared": "/leagues/club/compared/?from=2024-03-01",
    "ladders": "/leagues/club/ladders/",
    "running period": "/leagues/club/ladders/ever/",
    "closed period": "/leagues/club/ladders/month/2024-03/",
    "what changed": "/leagues/club/ladders/month/2024-03/changes/",
    "winners": "/leagues/club/ladders/month/winners/",
    "games": "/leagues/club/games/",
    "player": "/leagues/club/players/anna/",
    "several": "/leagues/club/players/anna/?with=ben",
    "versus": "/leagues/club/players/anna/versus/ben/",
    "compare": "/leagues/club/players/anna/versus/?with=nemo",
    "game": "/leagues/club/games/1/",
    "what if": "/leagues/club/what-if/?p=anna&r=1&p=ben&r=2&p=cleo&r=3&p=dan&r=4",
    "what if refused": "/leagues/club/what-if/?p=zoe&r=1&p=ben&r=1",
    "every outcome": "/leagues/club/what-if/?p=anna&p=ben&p=cleo",
    "every outcome of four": "/leagues/club/what-if/?p=anna&p=ben&p=cleo&p=dan",
    "how": "/leagues/club/how/",
    "take it with you": "/leagues/club/share/",
    "status": "/status/",
    "systems": "/systems/",
    "system": "/systems/barbu/",
    "ladder methods": "/ladder-methods/",
    "ladder method": "/ladder-methods/erf_mean/",
    "rulings": "/rulings/",
    "problems": "/docs/problems/",
    "problem": "/docs/problems/refused/",
    "fault": "/docs/problems/not_finite/",
}
#: Cumulative layout shift of a page that stands still, late scripts and charts included.
STILL = 0.01
#: A heading that comes late, borders as light as hairlines, a box that hardly shows.
FAULTS = """() => {
  const main = document.querySelector("main"), make = (kind, more) => Object.assign(document.createElement(kind), more);
  main.prepend(make("h1", { innerText: "Late" }));
  document.documentElement.style.setProperty("--edge", "var(--hair)");
  main.append(make("input", { type: "checkbox" }));
  main.lastChild.style.opacity = "0.2";
}"""
#: What stands on other sites is short: nothing is asked of its length.
FRAMES = {
    "a board in a frame": "/embed/leagues/club/",
    "a dark board in a frame": "/embed/leagues/club/?theme=dark",
    "a ladder in a frame": "/embed/leagues/club/ladders/month/",
    "a player in a frame": "/embed/leagues/club/players/ben/",
}


@pytest.fixture
def league() -> League:
    """Return a league with some games and a very long name."""
    league = make_league(
        "durak",
        starts={"anna": 1000, "ben": 1150, "cleo": 900, "dan": 1200},
        description="A club.",
        close_after_hours=0,
    )
    Player.objects.filter(handle="ben").update(
        name="Benjamin-Maximilian von und zu Wolfeschlegelsteinhausenbergerdorff"
    )
    for day in range(12):
        seats = ("anna", "ben", "cleo", "dan")
        turned = seats[day % 4 :] + seats[: day % 4]
        record(league, sheet(turned, places=(1, 2, 3, 4), played_at=EVENING + timedelta(days=day)))
    create_ladder(league.pk, "month", "Score of the month", Ranking("rating_score", "month"), by="test")
    create_ladder(league.pk, "ever", "Points", Ranking("points", "all_time", {"minimum": 13}), by="test")
    advance(league.pk)
    record(league, sheet(("anna", "ben"), places=(1, 2), played_at=EVENING + timedelta(days=20)))
    for job in ask_verifications():
        do_job(UUID(job))
    hear("sweep")
    ask(league, "replay", by="test")
    return league


@pytest.mark.parametrize("look", LOOKS)
def test_pages_are_accessible_fit_and_stand_still(league: League, open_page: Opener, look: str) -> None:
    page = open_page("/", **LOOKS[look])
    for path in [*PAGES.values(), *FRAMES.values()]:
        fit_for_all(go(page, path))


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_not_there_is_said_by_a_page_like_others(
    league: League, open_page: Opener, known_faults: list[str], look: str
) -> None:
    known_faults.append("status of 404")
    page = open_page("/leagues/nowhere/", **LOOKS[look])
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    fit_for_all(page)


def fit_for_all(page: Page) -> None:
    """Assert that a page stands still, that its inputs stand out, that axe finds nothing, and that it fits."""
    jump, moved = shifts(page)
    assert jump < STILL, (page.url, moved)
    assert (page.url, weak_inputs(page)) == (page.url, [])
    found = Axe().run(page).response["violations"]
    violations = [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found]
    assert (page.url, violations) == (page.url, [])
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth"), page.url


@pytest.mark.parametrize("look", LOOKS)
def test_names_of_forty_letters_are_words_in_the_table_of_outcomes(
    league: League, open_page: Opener, look: str
) -> None:
    """A row of the table is as high as its names need where they have room, and no figure is out of sight."""
    for handle in ("anna", "ben", "cleo", "dan"):
        Player.objects.filter(handle=handle).update(name=f"{handle.title()} Mačavariani-Gelovani Stanojević-Jović")
    page = open_page(PAGES["every outcome of four"], **LOOKS[look])
    rows = page.locator(".outcomes tbody tr")
    assert max(box["height"] for row in rows.all() if (box := row.bounding_box())) < 220
    table = page.locator(".scroll:has(.outcomes)")
    assert table.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


def test_what_jumps_and_what_does_not_stand_out_is_seen(league: League, open_page: Opener) -> None:
    """The measures themselves: each sees the fault that it is for."""
    page = open_page("/leagues/club/what-if/")
    assert weak_inputs(page) == []
    page.evaluate(FAULTS)
    assert shifts(page)[0] > STILL
    *fields, box = weak_inputs(page)
    assert len(fields) == page.locator("main input:not([type=checkbox])").count()
    assert box.startswith("checkbox, false: drawn 1.")


def test_pages_are_readable_without_javascript(league: League, open_page: Opener) -> None:
    page = open_page("/", script=False)
    for path in PAGES.values():
        assert len(go(page, path).locator("main").inner_text()) > 60, path


def test_the_chart_is_stepped_through_by_keyboard(league: League, open_page: Opener) -> None:
    page = open_page("/leagues/club/players/anna/")
    plot = page.locator(".hover")
    plot.focus()
    expect(page.locator(".tip")).to_contain_text("game 13")
    plot.press("ArrowLeft")
    expect(page.locator(".tip")).to_contain_text("game 12")
    plot.press("Home")
    expect(page.locator(".tip")).to_contain_text("1018 · +18 · game 1 ·")
    plot.press("Enter")
    page.wait_for_url("**/games/1/")


def test_the_first_tab_skips_to_the_content(league: League, open_page: Opener) -> None:
    page = open_page("/leagues/club/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_the_api_docs_show_the_operations(league: League, open_page: Opener) -> None:
    page = open_page("/api/v1/docs/")
    expect(page.get_by_text("/api/v1/leagues/{league}/games/", exact=True).first).to_be_visible(timeout=30_000)


def sign_in(page: Page) -> None:
    """Sign in as an organiser."""
    User.objects.create_superuser("olga", password="correct horse battery")
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.parametrize("look", LOOKS)
def test_a_volunteer_records_and_corrects_a_sheet(league: League, open_page: Opener, look: str) -> None:
    page = open_page("/admin/", **LOOKS[look])
    sign_in(page)
    page.goto(page.url.split("/admin/")[0] + "/admin/league/game/add/?league=club")
    for seat, (player, place) in enumerate((("anna", "1"), ("ben", "2"), ("cleo", "3"), ("zoe", "4")), start=1):
        page.get_by_label(f"Seat {seat} Player").fill(player)
        page.get_by_label(f"Seat {seat} Place").fill(place)
    page.get_by_role("button", name="Record", exact=True).click()
    expect(page.get_by_text("Seat 4: there is no player “zoe”.")).to_be_visible()
    page.get_by_label("Seat 4 Player").fill("dan")
    page.get_by_role("button", name="Record and add another").click()
    expect(page.locator(".messagelist")).to_contain_text("Game 14 recorded: Anna")
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    game = Game.objects.get(number=14)
    page.goto(page.url.split("/admin/")[0] + f"/admin/league/game/{game.pk}/change/")
    page.get_by_role("link", name="Correct this game").click()
    # What is typed while the page still moves the focus goes into the first score.
    page.wait_for_load_state()
    expect(page.get_by_label("Seat 1 score")).to_be_focused()
    page.get_by_label("Seat 1 Place").fill("2")
    page.get_by_label("Seat 2 Place").fill("1")
    page.get_by_role("button", name="Show what it changes").press("Enter")
    expect(page.get_by_role("heading", name="Correct game 14?")).to_be_visible()
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    page.get_by_role("button", name="Back to the sheet").press("Enter")
    expect(page.get_by_label("Seat 1 Place")).to_have_value("2")
    page.get_by_role("button", name="Show what it changes").press("Enter")
    page.get_by_label("Reason").fill("The first two were swapped.")
    page.get_by_role("button", name="Correct game 14").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Game 14 is corrected: game 15 counts now.")


@pytest.mark.parametrize("look", LOOKS)
def test_an_organiser_decides_about_a_closed_period(league: League, open_page: Opener, look: str) -> None:
    page = open_page("/admin/", **LOOKS[look])
    sign_in(page)
    page.goto(page.url.split("/admin/")[0] + f"/admin/league/league/{league.pk}/change/")
    page.get_by_role("link", name="decide what becomes of that").click()
    page.get_by_role("link", name="Score of the month, March 2024").click()
    expect(page.get_by_role("heading", name="March 2024: Score of the month")).to_be_visible()
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    page.get_by_role("button", name="Publish edition 2").click()
    expect(page.get_by_text("Say why: edition 2 of March 2024 keeps its reason.")).to_be_visible()
    page.get_by_label("Reason").fill("A sheet came late.")
    page.get_by_role("button", name="Publish edition 2").click()
    expect(page.locator(".messagelist")).to_contain_text("Edition 2 of March 2024 is published.")
    page.get_by_role("link", name="Public page").click()
    expect(page.get_by_text("A sheet came late.")).to_be_visible()
    page.get_by_role("link", name="What it changed").click()
    expect(page.get_by_role("heading", name="What changed in March 2024")).to_be_visible()
