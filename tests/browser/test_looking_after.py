"""Ladders, webhooks, starts, orders, merges and jobs of a desk in a real browser: in every look, by keys."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from league.apps.webhooks.models import Webhook
from league.core.ladders.services.decisions import advance
from league.models import Edition, Job, League, Period
from tests.browser.clubs import make_looked_after_club
from tests.browser.visits import Opener, check_desk_page, go, run_in_looks
from tests.helpers.builders import make_league
from tests.helpers.desk_client import DESK


@run_in_looks()
def test_a_month_is_closed_from_the_ladders(desk: Opener, look: dict[str, bool]) -> None:
    make_looked_after_club()
    page = desk(DESK + "ladders/", **look)
    page.get_by_role("link", name="Close now April 2024").click()
    expect(page.get_by_text("The ranking is published as edition 1 of April 2024")).to_be_visible()
    page.get_by_role("button", name="Close April 2024").click()
    expect(page.get_by_text("Edition 1 of April 2024 was published.")).to_be_visible()
    check_desk_page(page)
    assert Edition.objects.filter(key="2024-04").count() == 1


@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.slow("The same keys without script."))])
def test_a_decision_is_taken_by_keys(desk: Opener, script: bool) -> None:
    make_looked_after_club()
    page = desk(DESK + "ladders/month/periods/2024-03/", script=script)
    page.get_by_label("Publish edition 2").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("A late sheet.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Edition 2 of March 2024 was published.")).to_be_visible()


@run_in_looks()
@pytest.mark.slow("A rare turn; what most do is held by other journeys.")
def test_a_ladder_is_made_after_a_look(desk: Opener, look: dict[str, bool]) -> None:
    make_looked_after_club()
    page = desk(DESK + "new-ladder/", **look)
    page.get_by_role("link", name="Choose Points table").click()
    page.get_by_label("Title").fill("Table of the year")
    page.get_by_label("New period").select_option("year")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    check_desk_page(page)
    page.get_by_role("button", name="Create ladder").click()
    expect(page.get_by_text("Table of the year was created and ranks all games so far.")).to_be_visible()
    assert Period.objects.filter(ladder__slug="table-of-the-year", key="2024").exists()


def test_games_are_put_in_order_by_keys_and_by_hand(desk: Opener) -> None:
    make_looked_after_club()
    page = desk(DESK + "games/3/order/")
    names = page.locator(".ordered .strong")
    assert names.all_inner_texts() == ["Game 2", "Game 3", "Game 4"]
    page.get_by_role("button", name="Move game 4 earlier").press("Enter")
    assert names.all_inner_texts() == ["Game 2", "Game 4", "Game 3"]
    expect(page.get_by_role("button", name="Move game 4 earlier")).to_be_focused()
    last, first = page.locator("[data-grip]").nth(2), page.locator(".ordered li").nth(0)
    here, there = last.bounding_box(), first.bounding_box()
    assert here
    assert there
    page.mouse.move(here["x"] + 5, here["y"] + 5)
    page.mouse.down()
    page.mouse.move(there["x"] + 5, there["y"] + 40, steps=4)
    page.mouse.move(there["x"] + 5, there["y"] + 2, steps=4)
    page.mouse.up()
    assert names.all_inner_texts() == ["Game 3", "Game 2", "Game 4"]
    page.get_by_role("button", name="Preview changes").click()
    expect(page.get_by_text("will be rated again.")).to_be_visible()
    page.get_by_role("button", name="Use this order").click()
    expect(page.get_by_text("The 3 games are now in this order.")).to_be_visible()
    league = League.objects.get()
    order = league.games.filter(played_at__day=5, played_at__hour=19).order_by("order_key")
    assert list(order.values_list("number", flat=True)) == [3, 2, 4]


@pytest.mark.slow("What the form sends, tests/web/organiser holds; that it can be sent without script, this.")
def test_games_are_put_in_order_without_script(desk: Opener) -> None:
    make_looked_after_club()
    page = desk(DESK + "games/3/order/", script=False)
    page.get_by_role("button", name="Move game 4 earlier").click()
    page.get_by_role("button", name="Preview changes").click()
    page.get_by_role("button", name="Use this order").click()
    expect(page.get_by_text("The 3 games are now in this order.")).to_be_visible()


@pytest.mark.slow("tests/apps/webhooks/test_desk_webhooks.py holds it.")
@run_in_looks()
def test_a_webhook_shows_its_secret_once(desk: Opener, look: dict[str, bool]) -> None:
    make_looked_after_club()
    page = desk(DESK + "webhooks/", **look)
    page.get_by_label("URL").fill("https://club.example/other")
    page.get_by_role("button", name="Create webhook").click()
    expect(page.locator("#secret")).to_have_value(Webhook.objects.get(url__endswith="other").secret)
    check_desk_page(page)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("The webhook is paused.")).to_be_visible()
    assert page.locator("#secret").count() == 0


@pytest.mark.slow("That pages of jobs refresh themselves, test_organising.py holds.")
def test_a_job_is_cancelled_and_says_so(desk: Opener) -> None:
    league = make_looked_after_club()
    page = desk(DESK + "jobs/")
    page.get_by_role("button", name="Cancel the import").click()
    expect(page.get_by_text("olga cancelled it; it will stop at its next step")).to_be_visible()
    problem = {"code": "cancelled", "detail": "Cancelled by olga. Nothing was saved."}
    Job.objects.filter(league=league).update(state="failed", ended_at=timezone.now(), problem=problem)
    expect(page.get_by_text("Cancelled by olga. Nothing was saved.")).to_be_visible()


@pytest.mark.slow("tests/web/organiser holds what they say.")
@run_in_looks()
def test_empty_pages_say_what_comes(desk: Opener, look: dict[str, bool]) -> None:
    league = make_league()
    advance(league.pk)
    page = desk(DESK, **look)
    for path, sentence in (
        ("ladders/", "No ladders yet."),
        ("webhooks/", "No webhooks yet."),
        ("starts/", "None."),
        ("decisions/", "No decisions are due."),
    ):
        go(page, DESK + path)
        expect(page.get_by_text(sentence)).to_be_visible()
        check_desk_page(page)
