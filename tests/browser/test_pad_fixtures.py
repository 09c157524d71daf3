"""The score pad names the fixture whose players sit at the table, by their sides."""

from playwright.sync_api import Page, expect

from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from tests.browser.visits import Opener
from tests.helpers.builders import make_league
from tests.helpers.desk_client import PAD
from tests.helpers.running_competitions import run_competition


def tap(page: Page, *names: str) -> None:
    """Seat players by their chips."""
    for name in names:
        page.locator("#chips").get_by_role("button", name=name).click()


def test_the_link_of_a_fixture_seats_its_partners_whatever_a_draft_of_the_same_people_has(desk: Opener) -> None:
    league = make_league()
    for slug, sides in (("cup", ("anna ben", "cleo dan")), ("plate", ("anna cleo", "ben dan"))):
        run_competition(league, [side.split() for side in sides], "free", slug=slug, title=slug.title())
        add_fixtures(league.pk, slug, [NewFixture([1, 2])], by="arbiter")
    page = desk(f"{PAD}?sides=1")
    place = page.locator("#playedfor")
    tap(page, "Anna", "Ben", "Cleo", "Dan")
    for row, side in enumerate("2212"):
        page.locator(f"[name=seats-{row}-side]").fill(side)
    expect(place).to_be_empty()
    page.get_by_role("link", name="Ben / Dan").click()
    expect(place).to_contain_text("Plate")
    assert [page.locator(f"[name=seats-{row}-side]").input_value() for row in range(4)] == ["1", "1", "2", "2"]
