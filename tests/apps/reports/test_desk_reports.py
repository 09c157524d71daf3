"""Player reports on the organiser's pages: open reports, decisions and links."""

import re
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.apps.reports.services.lapsing import lapse_due_reports
from league.core.accounts.services.members import set_member
from league.core.leagues.services.leagues import change_league
from league.models import Game, League, LogEntry
from tests.helpers.builders import make_league, player_of
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.report_builders import link_of, played, reported, reporting_club
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

DESK = "/admin/leagues/club/"
PAGE = f"{DESK}reports/"


def browser_with_role(role: str = "recorder", league: str = "club") -> Client:
    """Return the browser of a user with a role; "nobody" has none, "stranger" is not signed in."""
    browser = Client()
    if role == "stranger":
        return browser
    user = User.objects.create_user(f"{role}-of-{league}")
    if role != "nobody":
        set_member(League.objects.get(slug=league).pk, user.username, role)
    browser.force_login(user)
    return browser


def isolated_page_text(answer: Any) -> str:
    """Return the text of a page, including isolated names."""
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"</?bdi>", "", answer.content.decode())).split())


def disputed_report(league: League) -> Report:
    """Return a report that Anna entered and Ben disputed."""
    report = reported(link_of(league, "anna"))
    dispute_report(link_of(league, "ben"), report.pk, reason="I won.")
    return Report.objects.get(pk=report.pk)


def form_fields_of(page: Any, report: Report, say: str, **more: str) -> dict[str, str]:
    """Return the fields that a report's form on a page sends."""
    item = page.content.decode().split(f'id="r{report.pk}"')[1].split("</li>")[0]
    keys = re.findall(r'name="once" value="([0-9a-f]{32})"', item)
    (seen, *_) = re.findall(r'name="seen" value="([^"]+)"', item)
    return {"once": keys[0 if say == "record" else 1], "seen": seen, "_say": say, **more}


@long_way
def test_an_organiser_records_a_disputed_report() -> None:
    league = reporting_club()
    report, browser = disputed_report(league), browser_with_role()
    home = isolated_page_text(browser.get(DESK))
    assert "Anna 1–0 Ben Disputed. Reported by Anna," in home
    assert "Ben: I won." in home
    # It comes first, and is counted among what is due.
    assert home.index("Player reports") < home.index("Today")
    assert "Decisions due 1 1 player report needs a decision" in home
    # What waits for somebody comes before the games of the day.
    assert home.index("Decisions due") < home.index("Today")
    assert "No decisions are due." not in home
    assert "1 decision due" in isolated_page_text(browser.get("/admin/"))
    page = browser.get(PAGE)
    assert "Decisions due 1 Reported by Anna" in isolated_page_text(page)
    data = form_fields_of(page, report, "record")
    for _ in range(2):
        done = browser.post(f"{PAGE}{report.pk}/", data, follow=True)
        assert "The report is now game 3." in isolated_page_text(done)
    game = Game.objects.get(number=3)
    assert (game.recorded_by, game.played_at) == ("recorder-of-club", report.played_at)
    assert "Game 3 Anna 1, Ben 0 recorder-of-club" in isolated_page_text(done)
    assert "decision due" not in isolated_page_text(browser.get("/admin/"))


def test_a_report_is_refused_with_a_reason() -> None:
    league = reporting_club()
    report, browser = disputed_report(league), browser_with_role()
    page = browser.get(PAGE)
    without = browser.post(f"{PAGE}{report.pk}/", form_fields_of(page, report, "refuse"), follow=True)
    assert "Give a reason" in isolated_page_text(without)
    data = form_fields_of(browser.get(PAGE), report, "refuse", reason="Nobody played.")
    done = browser.post(f"{PAGE}{report.pk}/", data, follow=True)
    assert "The report was rejected. The players can read the reason." in isolated_page_text(done)
    assert "Rejected Anna 1, Ben 0 Nobody played." in isolated_page_text(done)
    late = browser.post(f"{PAGE}{report.pk}/", {**data, "once": "b" * 32}, follow=True)
    assert "This report was rejected: Nobody played." in isolated_page_text(late)
    assert Game.objects.count() == 2


def test_a_newer_answer_prevents_the_decision() -> None:
    league = reporting_club()
    ben = link_of(league, "ben")
    report, browser = reported(link_of(league, "anna")), browser_with_role()
    page = browser.get(PAGE)
    assert "Waiting for another player at the table 1" in isolated_page_text(page)
    dispute_report(ben, report.pk, reason="I won.")
    done = browser.post(f"{PAGE}{report.pk}/", form_fields_of(page, report, "record"), follow=True)
    assert "Another player has answered this report meanwhile." in isolated_page_text(done)
    assert Game.objects.count() == 2


def sheet_on(page: Any) -> dict[str, str]:
    """Return the fields of the sheet on a page."""
    html = page.content.decode().split("<main")[1]
    fields = {}
    for tag in re.findall(r"<input[^>]*>", html):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        if name is not None:
            fields[name[1]] = value[1] if value else ""
    return fields


@long_way
def test_a_report_can_be_corrected() -> None:
    league = reporting_club()
    report, browser = disputed_report(league), browser_with_role()
    page = browser.get(f"{PAGE}{report.pk}/amend/")
    assert "Ben says it is wrong: I won." in isolated_page_text(page)
    data = sheet_on(page)
    assert (data["seats-0-player"], data["seats-0-score"], data["seats-1-player"]) == ("Anna", "1", "Ben")
    wrong = browser.post(f"{PAGE}{report.pk}/amend/", {**data, "seats-1-player": "Anna"})
    assert "Anna is in seats 1 and 2" in isolated_page_text(wrong)
    assert "Nothing was saved." in isolated_page_text(wrong)
    more = browser.post(f"{PAGE}{report.pk}/amend/", {**data, "_more": "more"})
    assert "seats-5-player" in more.content.decode()
    right = {**data, "seats-0-score": "0", "seats-1-score": "1"}
    for _ in range(2):
        done = browser.post(f"{PAGE}{report.pk}/amend/", right, follow=True)
        assert "The report is now game 3." in isolated_page_text(done)
    game = Game.objects.get(number=3)
    assert [line.score for line in game.results.order_by("seat")] == [0, 1]
    assert game.played_at == report.played_at, "an unchanged time keeps its seconds"
    again = browser.post(f"{PAGE}{report.pk}/amend/", {**right, "seats-0-score": "5"})
    assert "This game has already been recorded" in isolated_page_text(again)
    assert "This report has already been decided." in isolated_page_text(
        browser.get(f"{PAGE}{report.pk}/amend/", follow=True)
    )
    other = browser.post(f"{PAGE}{report.pk}/amend/", {**right, "once": "c" * 32}, follow=True)
    assert "This report has already been recorded as game 3." in isolated_page_text(other)
    assert Game.objects.count() == 3


@pytest.mark.parametrize(("winner", "says"), [("lowest", 1), ("highest", 0)])
def test_the_correction_sheet_shows_that_the_lowest_score_wins(winner: str, says: int) -> None:
    report = disputed_report(reporting_club(parameters={"winner": winner}))
    page = browser_with_role().get(f"{PAGE}{report.pk}/amend/")
    assert isolated_page_text(page).count("The lowest score wins.") == says


def test_a_corrected_time_is_recorded() -> None:
    league = reporting_club()
    report, browser = disputed_report(league), browser_with_role()
    data = sheet_on(browser.get(f"{PAGE}{report.pk}/amend/"))
    browser.post(f"{PAGE}{report.pk}/amend/", {**data, "played_at": "2026-01-02T20:15"})
    assert Game.objects.get(number=3).played_at == utc("2026-01-02T20:15")


def test_a_link_is_shown_once_with_a_qr_code_and_can_be_revoked() -> None:
    league = reporting_club()
    browser = browser_with_role()
    page = browser.get(PAGE)
    (key, *_) = re.findall(r'name="once" value="([0-9a-f]{32})"', page.content.decode())
    data = {"once": key, "player": "Ben", "name": "", "good_for": "31"}
    created = [browser.post(f"{PAGE}links/", data) for _ in range(2)]
    found = {
        re.findall(r'id="link" readonly value="http://testserver([^"]+)"', one.content.decode())[0] for one in created
    }
    assert len(found) == 1
    assert ReportLink.objects.filter(player=player_of("ben")).count() == 1
    (address,) = found
    assert '<svg class="qr" viewBox="0 0 ' in created[0].content.decode()
    assert "Ben" in isolated_page_text(Client().get(address))
    link = ReportLink.objects.get(player=player_of("ben"))
    assert link.expires_at is not None
    assert (link.expires_at - link.made_at).days == 31
    listed = browser.get(PAGE)
    assert address.split("/")[2] not in listed.content.decode()
    assert "Ben 0 reports · created" in isolated_page_text(listed)
    changed = browser.post(f"{PAGE}links/", {**data, "player": "cleo"})
    assert "This form has already created a link, and its contents have changed." in isolated_page_text(changed)
    missing = browser.post(f"{PAGE}links/{link.pk}/revoke/", follow=True)
    assert "The link for Ben was revoked. Games reported with it stay." in isolated_page_text(missing)
    assert Client().get(address).status_code == 410
    late = browser.post(f"{PAGE}links/{link.pk}/revoke/", follow=True)
    assert "This link is no longer valid." in isolated_page_text(late)
    assert LogEntry.objects.filter(kind="link.revoked", by="recorder-of-club").count() == 1
    assert browser.get(f"{PAGE}links/").headers["Location"] == PAGE
    assert league.pk == link.league_id


@pytest.mark.parametrize("over", ["the time", "the link"])
def test_a_repeated_form_shows_its_valid_link_for_a_while(over: str) -> None:
    reporting_club()
    browser, data = browser_with_role(), {"once": "d" * 32, "player": "ben"}
    created = browser.post(f"{PAGE}links/", data).content.decode()
    (secret,) = set(re.findall(r'value="http://testserver/report/([^/"]+)/"', created))
    if over == "the link":
        browser.post(f"{PAGE}links/{ReportLink.objects.get(player=player_of('ben')).pk}/revoke/")
    minutes = 5.1 if over == "the time" else 0
    with patch("league.web.organiser.forms.timezone.now", return_value=timezone.now() + timedelta(minutes=minutes)):
        again = browser.post(f"{PAGE}links/", data, follow=True)
    assert again.redirect_chain == [(PAGE, 302)]
    assert "This form has already created a link, which was shown then." in isolated_page_text(again)
    assert secret not in again.content.decode()
    assert ReportLink.objects.filter(player=player_of("ben")).count() == 1


def test_invalid_links_are_refused_at_the_field() -> None:
    reporting_club()
    browser = browser_with_role()
    refusals: list[tuple[dict[str, str], str]] = [
        ({}, "Enter a name for the table"),
        ({"player": "zoe"}, "No active player has this name."),
        ({"player": "Ben", "name": "Table 2"}, "A link is for a player or for a table"),
        ({"name": "Table 1"}, "Table 1 already has a link; revoke it first."),
        ({"name": "x" * 81}, "at most 80 characters"),
        ({"name": "Table 2", "good_for": "7000"}, "not one of the available choices"),
        ({"player": "a\0b"}, "Null characters are not allowed"),
    ]
    for data, sentence in refusals:
        answer = isolated_page_text(browser.post(f"{PAGE}links/", data))
        assert "No links were created." in answer, data
        assert sentence in answer
    assert ReportLink.objects.count() == 1


def test_players_of_the_same_name_need_handles() -> None:
    reporting_club()
    player_of("ben").__class__.objects.filter(handle="cleo").update(name="Ben")
    browser = browser_with_role()
    assert "Several players have this name" in isolated_page_text(browser.post(f"{PAGE}links/", {"player": "Ben"}))
    assert "The link for Ben" in isolated_page_text(browser.post(f"{PAGE}links/", {"player": "ben"}))


@long_way
def test_the_players_page_creates_their_link() -> None:
    league = reporting_club()
    browser = browser_with_role("organiser")
    page = browser.get(f"{DESK}people/players/anna/").content.decode()
    assert "Create a link for Anna" in page
    assert "The link for Anna" in isolated_page_text(
        browser.post(f"{PAGE}links/", {"player": "anna", "once": "d" * 32})
    )
    assert "They have had a link since" in browser.get(f"{DESK}people/players/anna/").content.decode()
    change_league(league.pk, {"reporting": "off"})
    assert "Create a link for Anna" not in browser.get(f"{DESK}people/players/anna/").content.decode()
    assert "You can let players report games with private links." in isolated_page_text(browser.get(f"{DESK}people/"))


def test_a_league_without_reporting_explains_it() -> None:
    make_league()
    browser = browser_with_role("owner")
    page = isolated_page_text(browser.get(PAGE))
    assert "Players cannot report games here at present" in page
    assert "An owner can let players report games in the settings." in page
    assert "Player reports" not in isolated_page_text(browser.get(DESK))
    refused = isolated_page_text(browser.post(f"{PAGE}links/", {"name": "Table 1"}))
    assert "Players cannot report games in Club." in refused


def test_overdue_reports_show_the_reason() -> None:
    league = reporting_club(report_timeout="confirm")
    report = reported(link_of(league, "anna"))
    Report.objects.filter(pk=report.pk).update(sheet={**report.sheet, "details": {"bula": 1}})
    fine = reported(link_of(league, "cleo"), played(("cleo", "dan")))
    browser, later = browser_with_role(), timezone.now() + 2 * (report.due_at - report.entered_at)
    lapse_due_reports(league.pk, later)
    page = isolated_page_text(browser.get(PAGE))
    assert "Not confirmed in time. It could not be recorded:" in page
    with clock(later):
        confirm_report(link_of(league, "dan"), fine.pk)
    log = isolated_page_text(browser.get(f"{DESK}log/?what=reports"))
    for words in (
        "the table reported a game",
        "the clock confirmed a report as game 3",
        "the clock passed a report to the organiser",
        "olga created a link to report games",
    ):
        assert words in log
    html = browser.get(f"{DESK}log/?what=reports").content.decode()
    assert "/leagues/club/games/3/" in html


def test_reports_of_other_leagues_are_not_found() -> None:
    league = reporting_club()
    report = reported(link_of(league, "anna"))
    make_league(slug="other", players=(), reporting="by_link")
    browser = browser_with_role("owner", "other")
    for path in (f"{report.pk}/amend/", "5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21/amend/"):
        assert browser.get(f"/admin/leagues/other/reports/{path}").status_code == 404
    link = ReportLink.objects.get(player=player_of("anna"))
    browser.post(f"/admin/leagues/other/reports/links/{link.pk}/revoke/")
    browser.post(f"/admin/leagues/other/reports/{report.pk}/", {"_say": "record", "seen": compute_mark(report)})
    assert ReportLink.objects.filter(revoked_at=None).count() == 2
    assert Report.objects.get().state == "waiting"
    assert "Anna" not in isolated_page_text(browser.get("/admin/leagues/other/reports/"))
