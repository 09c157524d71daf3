"""A real browser runs competitions: every page accessible on a phone, and an evening by keys alone."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.services.rounds import make_round, publish_round
from tests.browser.visits import Opener, check_desk_page, check_narrow, go, run_in_looks
from tests.helpers.builders import FOUR, make_league
from tests.helpers.competition_builders import make_competition, start

DESK = "/admin/leagues/club/competitions/"
PAGES = (
    "", "+new/", "+import/", "cup/", "cup/entries/", "cup/entries/1/", "cup/check-in/", "cup/settings/",
    "cup/fixtures/1/", "cup/print/slips/", "cup/print/pairings/", "cup/print/tables/", "cup/prizes/",
    "free/", "free/fixtures/+new/",
)  # fmt: skip
#: Presses that a round of four takes: pair, publish, and a result for each game.
PRESSES_A_ROUND = 4
#: The keys of the open games of a round; those that correct a game are folded.
OPEN_KEYS = ".meets > li > form.quick"


@run_in_looks("phone")
@pytest.mark.slow("What the pages hold, tests/apps/competitions says; that they can be used on a phone, this.")
def test_pages_are_accessible_and_fit(desk: Opener, look: dict[str, bool]) -> None:
    league = make_league(players=(*FOUR, "maximilian-alexander-von-und-zu-hohenstein"))
    make_competition(league, "swiss", rounds=3)
    start(league, (*FOUR, "maximilian-alexander-von-und-zu-hohenstein"))
    make_competition(league, "free", "free")
    start(league, slug="free")
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    page = desk(f"{DESK}?lang=ru", **look)
    for part in PAGES:
        check_desk_page(go(page, DESK + part))
        check_narrow(page)


@run_in_looks("phone")
@pytest.mark.slow("Plans are held by tests/apps/competitions; that one is made and read on a phone, by this.")
def test_an_evening_in_a_hall_is_planned_on_a_phone(desk: Opener, look: dict[str, bool]) -> None:
    """A hall for one of two competitions; both games of a round have the table that they had, and begin at once."""
    league = make_league()
    make_competition(league, "swiss", rounds=3)
    start(league, FOUR)
    make_competition(league, "free", "free")
    start(league, slug="free")
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    page = desk("/admin/leagues/club/halls/+new/", **look)
    check_desk_page(page)
    check_narrow(page)
    page.get_by_label("Name of the hall").fill("Town hall")
    page.get_by_role("textbox", name="First table").fill("1")
    page.get_by_role("textbox", name="Last table").fill("3")
    page.get_by_text("Only for these competitions").first.click()
    page.get_by_role("checkbox", name="Cup").check()
    press(page, "Create")
    begins = timezone.now() + timedelta(days=1)
    page.get_by_label("Begins").fill(f"{begins:%Y-%m-%dT18:00}")
    page.get_by_label("Ends at the latest").fill(f"{begins:%Y-%m-%dT22:00}")
    page.get_by_role("combobox", name="Cup").select_option(label="Round 1")
    press(page, "Plan the evening")
    check_desk_page(page)
    check_narrow(page)
    press(page, "Publish the plan")
    rows = page.locator(".hallplan tbody tr")
    assert [row.locator("td.num").inner_text() for row in rows.all()] == ["1", "2"]
    expect(page.locator(".hallplan tbody tr.same")).to_have_count(1)
    names = page.locator(".hallplan tbody th").first.bounding_box()
    assert names and names["width"] >= 220
    check_desk_page(page)
    check_narrow(page)


def press(page: Page, name: str) -> None:
    """Press a button, and wait for the page after it."""
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).first.click()


@pytest.mark.slow("What the forms send, tests/apps/competitions holds; that an evening needs no script, this.")
@pytest.mark.parametrize("script", [True, False])
def test_an_evening_by_the_next_step_alone(desk: Opener, script: bool) -> None:
    make_league()
    page = desk(f"{DESK}+new/", phone=True, script=script)
    page.get_by_label("Name", exact=True).fill("Thursday")
    page.get_by_text("Club Swiss").click()
    page.get_by_label("Rounds", exact=True).fill("2")
    press(page, "Create")
    for name in FOUR:
        page.get_by_text(name.title(), exact=True).click()
    # With a script, the key says how many.
    press(page, "Add 4 entries" if script else "Add entries")
    page.get_by_role("link", name="Continue to the start").click()
    press(page, "Start")
    for number in (1, 2):
        presses = 0
        for step in (f"Pair round {number}", f"Publish round {number}"):
            press(page, step)
            presses += 1
        while page.locator(OPEN_KEYS).count():
            with page.expect_navigation():
                page.locator(f"{OPEN_KEYS} button").first.click()
            presses += 1
        assert presses == PRESSES_A_ROUND
    press(page, "Finish")
    expect(page.get_by_text("its final standings are published")).to_be_visible()
    assert Competition.objects.get().status == "finished"
    assert Fixture.objects.filter(game__isnull=False).count() == 4
