"""The pad of a league of two: keys for the result, and a row for each set of a match."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.models import League
from tests.browser.pad import score_in
from tests.browser.visits import Opener, check_page
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import PAD
from tests.helpers.running_competitions import run_competition


def test_a_result_is_one_key_and_sets_come_one_after_the_other(desk: Opener) -> None:
    league = make_league(players=("anna", "ben"), sets={"best_of": 3, "to": 11})
    League.objects.filter(pk=league.pk).update(seats=2)
    page = desk(PAD, phone=True)
    results = page.locator("#results")
    expect(results).to_be_hidden()
    for name in ("Anna", "Ben"):
        page.locator("#chips").get_by_role("button", name=name).click()
    expect(results.get_by_role("button")).to_have_text(["2–0", "2–1", "1–2", "0–2"])
    results.get_by_role("button", name="1–2").click()
    expect(results.locator("[aria-pressed=true]")).to_have_text("1–2")
    expect(page.locator("#outcome")).to_have_text("1–2")
    expect(page.locator("#spoken")).to_contain_text("Ben: +")
    # The points of sets tell the result instead, and the next set comes by itself.
    fields = page.locator("#seats [name*='-set_']:visible")
    expect(fields).to_have_count(2)
    page.locator("[name=seats-0-set_1]").fill("11")
    page.locator("[name=seats-1-set_1]").fill("9")
    expect(fields).to_have_count(4)
    expect(page.locator("#outcome")).to_have_text("1–0")
    expect(score_in(page, 2)).to_have_value("")
    expect(results).to_be_hidden()
    check_page(page)
    page.locator("[name=seats-0-set_2]").fill("11")
    page.locator("[name=seats-1-set_2]").fill("7")
    expect(fields).to_have_count(4)
    expect(page.locator("#outcome")).to_have_text("2–0")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert [line["sets"] for line in league.games.get().set_rows] == [[11, 11], [9, 7]]


def test_seats_have_colours_in_a_game_of_white_and_black(desk: Opener) -> None:
    league = make_league("elo", ("anna", "ben"))
    League.objects.filter(pk=league.pk).update(seats=2, game="Chess")
    page = desk(PAD, phone=True)
    grips, swap = page.locator("#seats .grip"), page.get_by_role("button", name="Swap colours", exact=True)
    expect(grips).to_have_text(["White", "Black"])
    expect(swap).to_be_hidden()
    for name in ("Anna", "Ben"):
        page.locator("#chips").get_by_role("button", name=name).click()
    page.locator("#results").get_by_role("button", name="1–0").click()
    swap.click()
    # Anna has won still, now with Black.
    expect(page.locator("#seats .called")).to_have_text(["Ben", "Anna"])
    expect(grips).to_have_text(["White", "Black"])
    expect(page.locator("#outcome")).to_have_text("0–1")
    check_page(page)


def test_seats_are_the_first_and_the_second_side_in_other_games(desk: Opener) -> None:
    league = make_league("elo", ("anna", "ben"))
    League.objects.filter(pk=league.pk).update(seats=2, game="Table tennis")
    page = desk(PAD)
    expect(page.locator("#seats .grip")).to_have_text(["First side", "Second side"])
    assert not page.get_by_role("button", name="Swap colours").count()


def test_names_of_sides_stay_where_they_are_when_players_swap_and_go_with_a_third(desk: Opener) -> None:
    league = make_league("elo", ("anna", "ben", "cleo"))
    League.objects.update(seats=2, game="Football")
    page = desk(PAD)
    grips = page.locator("#seats .grip:visible")
    for name in ("Anna", "Ben"):
        page.locator("#chips").get_by_role("button", name=name).click()
    page.get_by_role("button", name="Swap sides", exact=True).click()
    expect(page.locator("#seats .called:visible")).to_have_text(["Ben", "Anna"])
    expect(grips).to_have_text(["Home", "Away"])
    # A league of two has no third: the first must go before another comes.
    page.get_by_role("button", name="Change", exact=True).click()
    page.locator("#chips").get_by_role("button", name="Cleo").click()
    expect(page.locator("#found")).to_have_text("The table is full: 2 players. Remove one first.")
    expect(grips).to_have_text(["Home", "Away"])
    # Where two played last, but more may play, there is room.
    League.objects.update(seats=None, game="Table tennis")
    record(league, sheet(("anna", "ben"), (1, 0)))
    page.reload()
    page.get_by_role("button", name="Change or add").click()
    page.locator("#chips").get_by_role("button", name="Cleo").click()
    expect(grips).to_have_text(["1", "2", "3"])


def test_the_rest_of_the_one_point_is_proposed_and_what_is_missing_is_said_at_its_field(desk: Opener) -> None:
    league = make_league("elo", ("anna", "ben"))
    League.objects.filter(pk=league.pk).update(seats=2, game="Chess")
    page = desk(f"{PAD}?players=anna,ben")
    score_in(page, 1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#seats > li").first.locator(".errors")).to_have_text("Anna: nothing entered yet.")
    expect(score_in(page, 1)).to_have_attribute("aria-invalid", "true")
    for typed, rest in (("1", "0"), (".5", "½"), ("0,5", "½"), ("½", "½"), ("0", "1"), ("10", "")):
        score_in(page, 1).fill(typed)
        expect(score_in(page, 2)).to_have_value(rest)
    expect(page.locator("#seats .errors")).to_have_count(0)
    score_in(page, 1).fill("0")
    page.keyboard.press("Enter")
    expect(score_in(page, 2)).to_be_focused()
    expect(score_in(page, 2)).to_have_class("score guess")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Game 1 recorded:")).to_be_visible()
    assert [line.score for line in league.games.get().results.order_by("seat")] == [0, 1]


@pytest.mark.parametrize(
    ("seats", "named"),
    [
        ("dan,cleo,ben,anna", "Rubber · Fixture 1"),
        ("cleo,anna,dan,ben", "Return · Fixture 2"),
        # Anna and Dan are partners in neither.
        ("dan,anna,cleo,ben", ""),
    ],
)
def test_partners_who_sit_otherwise_are_named_for_their_own_fixture(desk: Opener, seats: str, named: str) -> None:
    """Of two fixtures of the same four people, the sides of the table decide."""
    make_league("elo", ("anna", "ben", "cleo", "dan"))
    for slug, sides in (("rubber", [["anna", "ben"], ["cleo", "dan"]]), ("return", [["dan", "ben"], ["anna", "cleo"]])):
        run_competition(League.objects.get(), sides, "free", slug=slug, title=slug.title())
        add_fixtures(League.objects.get().pk, slug, [NewFixture(entries=(1, 2))], by="olga")
    page = desk(f"{PAD}?players={seats}&sides=1")
    expect(page.locator("#seats .called:visible")).to_have_count(4)
    expect(page.locator("#playedfor")).to_have_text(named)


def test_a_correction_seats_no_third_in_a_league_of_two_and_keeps_one_who_played(desk: Opener) -> None:
    league = make_league("elo", ("anna", "ben", "cleo"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("anna", "ben", "cleo"), (2, 1, 0)))
    League.objects.update(seats=2)
    page = desk("/admin/leagues/club/games/1/correct/")
    assert not page.get_by_role("button", name="+ Seat").count()
    page.get_by_role("button", name="Change", exact=True).click()
    page.locator("#chips").get_by_role("button", name="Cleo").click()
    expect(page.locator("#found")).to_have_text("The table is full: 2 players. Remove one first.")
    expect(page.locator("#seats .called:visible")).to_have_text(["Anna", "Ben"])
    page = desk("/admin/leagues/club/games/2/correct/")
    assert page.locator("#pad").get_attribute("data-most") == "3"
    expect(page.locator("#seats .called:visible")).to_have_text(["Anna", "Ben", "Cleo"])


def test_what_may_be_done_with_a_game_of_today_is_one_line(desk: Opener) -> None:
    league = make_league("elo", ("anna", "ben"))
    League.objects.filter(pk=league.pk).update(seats=2, last_number=127)
    for _ in range(2):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=timezone.now()))
    page = desk(PAD)
    lines = page.locator(".tonight > li")
    expect(lines).to_have_count(2)
    for width in (360, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        for line in lines.all():
            keys = [key.bounding_box() for key in line.locator(".btn").all()]
            assert len({round(box["y"]) for box in keys if box}) == 1, width
