"""A correction two weeks later in a real browser: found by a name and a score, decided about, undone; in every look."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from league import tasks
from league.models import Edition, Game, Job
from tests.browser.clubs import NAMES, make_club_with_closed_march
from tests.browser.pad import score_in
from tests.browser.visits import Opener, check_page, run_in_looks
from tests.helpers.builders import rename


class Hand:
    """Fills, presses and chooses as somebody does, and counts keys and presses."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def write(self, label: str, text: str) -> None:
        """Write into a field: a press, and a key a letter."""
        self.page.get_by_label(label, exact=True).fill(text)
        self.count += 1 + len(text)

    def press(self, role: Any, name: str) -> None:
        """Press a key or a link."""
        self.page.get_by_role(role, name=name).first.click()
        self.count += 1


@run_in_looks()
def test_a_correction_two_weeks_later(desk: Opener, look: dict[str, bool]) -> None:
    make_club_with_closed_march()
    page = desk("/admin/leagues/club/games/", **look)
    hand = Hand(page)
    hand.write("A name, score, date or number", "ben −40")
    hand.press("button", "Find")
    expect(page.locator(".gamelist > li")).to_have_count(1)
    hand.press("link", "Correct game 1")
    hand.write("Score of Anna Berg", "35")
    hand.write("Score of Ben Cohen", "0")
    hand.press("button", "Preview changes")
    expect(page.get_by_role("heading", name="Correct game 1?")).to_be_visible()
    expect(page.locator("tr.changed")).to_have_count(2)
    check_page(page)
    hand.press("button", "Correct game 1")
    box = page.get_by_role("alert").first
    expect(box).to_contain_text("Nothing was saved. Decide what happens to each closed period.")
    expect(box).to_be_focused()
    expect(page).to_have_title("Error: Correct game 1? · Club · Rungs")
    page.get_by_label("Publish edition 2").check()
    hand.count += 1
    hand.write("Reason (public)", "misread")
    hand.press("button", "Correct game 1")
    expect(page.get_by_role("status").first).to_contain_text("Game 1 was corrected; game 5 now counts. Edition 2 of")
    scores = [line.score for line in Game.objects.get(number=5).results.order_by("seat")]
    assert scores == [35, 0, -35, 0]
    assert Edition.objects.filter(number=2).count() == 1
    # What is typed (7 of the search, 3 of scores, 7 of the reason) and ten presses, one of them too early.
    assert hand.count == 17 + 10


@run_in_looks()
def test_a_void_is_undone_by_one_press(desk: Opener, look: dict[str, bool]) -> None:
    make_club_with_closed_march()
    page = desk("/leagues/club/games/4/", **look)
    page.get_by_role("link", name="Void game 4").click()
    page.get_by_role("button", name="Preview changes").click()
    expect(page.get_by_text("Nothing has been saved yet.")).to_be_visible()
    check_page(page)
    page.get_by_label("Reason (public)").fill("never played")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Game 4 was voided.")
    check_page(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").first).to_contain_text("Game 4 counts again, as game 5.")


@pytest.mark.slow("tests/core/dry_runs holds the job; the page waits as every page of a job.")
def test_a_long_void_is_shown_by_itself_when_its_job_is_done(desk: Opener, settings: Any) -> None:
    make_club_with_closed_march()
    settings.RUNGS_INLINE_GAMES = 0
    page = desk("/leagues/club/games/1/")
    page.get_by_role("link", name="Void game 1").click()
    page.get_by_role("button", name="Preview changes").click()
    expect(page.get_by_text("waiting to start")).to_be_visible()
    check_page(page)
    assert tasks.job(str(Job.objects.get().pk))
    expect(page.get_by_role("heading", name="Void game 1?")).to_be_visible()
    page.get_by_label("Reason (public)").fill("never played")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Game 1 was voided.")


def test_the_sheet_has_the_seats_of_the_pad(desk: Opener) -> None:
    make_club_with_closed_march()
    page = desk("/admin/leagues/club/games/1/correct/")
    expect(score_in(page, 1)).to_be_focused()
    expect(page.locator("#sum")).to_have_text("0 ✓")
    expect(page.locator(".chip[aria-pressed=true]")).to_have_count(4)
    score_in(page, 1).fill("35")
    expect(page.locator("#sum")).to_have_text("−40")
    # The seat beside it says what makes the sum come out, once it is emptied.
    score_in(page, 2).fill("")
    score_in(page, 3).focus()
    expect(score_in(page, 2)).to_have_value("0")
    expect(page.locator("#sum")).to_have_text("0 ✓")
    # Somebody else sat there: one tap off, one tap on.
    page.locator("#unfold").click()
    page.locator(".chip[data-handle=dan]").click()
    page.locator(".chip[data-handle=finn]").click()
    score_in(page, 4).fill("0")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Correct game 1?")).to_be_visible()
    rows = page.locator("tr.changed")
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_contain_text("Finn Gross")


def test_the_sheet_is_corrected_without_script() -> None:
    """Names stand in fields that can be typed in, as people read them."""
    make_club_with_closed_march()
    browser = Client()
    browser.force_login(User.objects.create_superuser("olga"))
    page = browser.get("/admin/leagues/club/games/1/correct/")
    assert [form["player"].value() for form in page.context["sheet"].formset.forms] == list(NAMES[:4])


@pytest.mark.slow("Another correction; one is held above.")
def test_a_namesake_of_whom_the_chips_know_is_not_taken_for_them(desk: Opener) -> None:
    """Two bear one name; the sheet means who sat there, also with the script."""
    make_club_with_closed_march()
    rename("Anna Berg", "eva")
    page = desk("/admin/leagues/club/games/1/correct/")
    score_in(page, 1).fill("70")
    score_in(page, 2).fill("-35")
    page.locator("#record").click()
    expect(page.get_by_role("heading", name="Correct game 1?")).to_be_visible()
    page.get_by_label("Keep edition 1").check()
    page.get_by_label("Reason (public)").fill("misread")
    page.get_by_role("button", name="Correct game 1").click()
    expect(page.get_by_role("status").first).to_contain_text("Game 1 was corrected")
    seats = Game.objects.latest("number").results.order_by("seat")
    assert [line.player.handle for line in seats] == ["anna", "ben", "cleo", "dan"]
