"""The score pad names the fixture whose players sit at the table, by their sides, and says how they are paired."""

import re

from playwright.sync_api import Page, expect

from league.apps.competitions.models import Fixture
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.models import League
from tests.browser.pad import expect_seated, score_in
from tests.browser.visits import Opener, check_page, go
from tests.helpers.builders import make_league
from tests.helpers.desk_client import PAD
from tests.helpers.report_builders import link_of, played, reported
from tests.helpers.running_competitions import play_round, run_competition


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


def test_two_sit_as_they_are_paired_until_they_are_swapped_and_a_report_that_waits_is_said(desk: Opener) -> None:
    league = make_league("elo", ("anna", "ben", "cleo", "dan"), game="Chess", reporting="by_link")
    League.objects.filter(pk=league.pk).update(seats=2)
    run_competition(league, ("anna", "ben", "cleo", "dan"), "free")
    # Ben has White against Anna in both fixtures, Cleo has it against Dan.
    add_fixtures(league.pk, "cup", [NewFixture([2, 1]), NewFixture([3, 4])], by="arbiter")
    page = desk(PAD, phone=True)
    place = page.locator("#playedfor")
    tap(page, "Anna", "Ben")
    expect_seated(page, ["Ben", "Anna"])
    expect(place).to_have_text("Cup · Fixture 1 – White and Black as paired")
    page.locator("#results").get_by_role("button", name="½–½").click()
    for seat in (1, 2):
        expect(score_in(page, seat)).to_have_value("½")
    page.get_by_role("button", name="Swap colours", exact=True).click()
    expect_seated(page, ["Anna", "Ben"])
    expect(place).to_have_text("Cup · Fixture 1 – colours swapped: paired the other way")
    # Whoever sits down again sits as paired; a typed half is the half of the key.
    page.locator("#clear").click()
    tap(page, "Dan", "Cleo")
    expect_seated(page, ["Cleo", "Dan"])
    score_in(page, 1).fill("0,5")
    score_in(page, 2).focus()
    expect(score_in(page, 1)).to_have_value("½")
    expect(page.locator("#results [aria-pressed=true]")).to_have_text("½–½")
    page.locator("#record").click()
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert [(one.player.handle, one.score) for one in league.games.get().results.order_by("seat")] == [
        ("cleo", 0.5),
        ("dan", 0.5),
    ]
    reported(link_of(league, "anna"), played(("ben", "anna"), (1, 0), fixture=1))
    go(page, PAD)
    expect(page.locator(".padfixtures")).to_contain_text("Anna reported 1–0")
    tap(page, "Ben", "Anna")
    expect(place).to_have_text("Cup · Fixture 1 – White and Black as paired. Anna reported 1–0. Look and confirm")
    # Swapped, the report is read the other way round; another result than it is asked about where it is recorded.
    page.get_by_role("button", name="Swap colours", exact=True).click()
    expect(place).to_contain_text("paired the other way. Anna reported 0–1.")
    page.get_by_role("button", name="Swap colours", exact=True).click()
    page.locator("#results").get_by_role("button", name="½–½").click()
    page.locator("#record").click()
    question = page.locator("[data-asked]")
    expect(question).to_contain_text("Anna reported 1–0; you record ½–½.")
    # The sheet is the one that was just sent: no draft.
    expect(page.locator("#found")).not_to_contain_text("Draft of")
    check_page(page)
    go(page, PAD)
    page.locator("#clear").click()
    tap(page, "Ben", "Anna")
    check_page(page)
    place.get_by_role("link", name="Look and confirm").click()
    expect(page).to_have_url(re.compile("/competitions/cup/fixtures/1/$"))
    expect(page.get_by_role("button", name="Accept")).to_be_visible()


def test_a_fixture_of_four_seats_four_in_a_league_of_two(desk: Opener) -> None:
    league = make_league("elo", ("anna", "ben", "cleo", "dan"))
    League.objects.filter(pk=league.pk).update(seats=2)
    run_competition(league, ("anna", "ben", "cleo", "dan"), "tables", rated=False, rounds=1)
    play_round(league, 1)
    page = desk(PAD, phone=True)
    tap(page, "Anna", "Ben")
    page.locator("a.chip[data-players]").click()
    expect(page.locator("#playedfor")).to_contain_text("Cup")
    expect(page.locator("#seats .called:not(.soft)")).to_have_count(4)
    for seat in range(1, 5):
        score_in(page, seat).fill(str(seat))
    page.locator("#record").click()
    expect(page.get_by_text("Game 1 recorded")).to_be_visible()
    game = Fixture.objects.get().game
    assert game is not None and game.results.count() == 4
