"""Links of tables, where browsers distinguish the sender of a report from others; withdrawing reports."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from league.apps.reports import report_pages
from league.apps.reports.models import Report
from league.apps.reports.report_pages import COOKIE
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services import entering
from league.apps.reports.services.answering import RememberedAnswer, confirm_report, dispute_report, withdraw_report
from league.apps.reports.services.deciding import record_report, refuse_report
from league.apps.reports.services.links import make_link
from league.core.errors import Conflict, NotFound, Refused
from league.core.players.services.merges import merge_players
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry
from tests.helpers.builders import league_of, player_of, record
from tests.helpers.desk_client import page_text
from tests.helpers.notice_builders import member
from tests.helpers.report_builders import (
    TABLE,
    TABLE_PAGE,
    all_refuse,
    link_of,
    played,
    report_fields,
    reported,
    reporting_club,
)
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(reporting_club)


RIGHT = {"_say": "right", "who": "ben"}
HERE = "This game was reported in this browser."


def reload_report() -> Report:
    """Return the only report."""
    return Report.objects.get()


def report_at_table(browser: Client, **more: Any) -> str:
    """Let Anna report a game at the table; returns the URL for answers."""
    browser.post(TABLE_PAGE, report_fields(**{"who": "anna", **more}))
    return f"{TABLE_PAGE}{Report.objects.latest('entered_at').pk}/"


def answer_report(browser: Client, address: str, **form: str) -> str:
    """Answer a report; returns the text of the page."""
    return page_text(browser.post(address, form, follow=True))


@long_way
def test_the_senders_browser_cannot_confirm_at_a_table() -> None:
    one, other = Client(), Client()
    address = report_at_table(one)
    assert HERE in answer_report(one, address, _say="right", who="ben")
    assert HERE in answer_report(one, address, _say="wrong", who="ben", reason="I won.")
    assert "You reported this game" in answer_report(one, address, _say="right", who="anna")
    assert (reload_report().state, reload_report().answers, Game.objects.count()) == ("waiting", [], 2)
    shown = one.get(f"{TABLE_PAGE}?who=ben").content.decode()
    assert "Is this right?" not in shown
    assert "to confirm it, use another phone or your own link." in shown
    assert "Is this right?" in other.get(f"{TABLE_PAGE}?who=ben").content.decode()
    assert "You reported this game" in answer_report(other, address, _say="right", who="anna")
    assert "Confirmed: game 3" in answer_report(other, address, **RIGHT)
    assert "Confirmed: game 3" in answer_report(other, address, **RIGHT), "sent twice it is answered alike"


@long_way
def test_a_browser_is_recognised_across_links() -> None:
    league = league_of()
    phone = Client()
    anna, ben = (f"/report/{link_of(league, one)}/" for one in ("anna", "ben"))
    phone.post(anna, report_fields())
    make_link(league.pk, "second", username="olga", name="Table 2")
    for table in (TABLE_PAGE, "/report/second/"):
        assert HERE in answer_report(phone, f"{table}{reload_report().pk}/", **RIGHT)
    done = answer_report(phone, f"{ben}{reload_report().pk}/", _say="right")
    assert "Confirmed: game 3" in done, "by a link of one's own one is known, whatever browser it is"


def test_one_browser_answers_a_report_once() -> None:
    address = report_at_table(Client(), **report_fields(("anna", "ben", "cleo"), (3, 2, 1)))
    second = Client()
    answer_report(second, address, _say="wrong", who="ben", reason="I had 4.")
    assert "This report was already answered in this browser." in answer_report(
        second, address, _say="right", who="cleo"
    )
    assert [one["player"] for one in reload_report().answers] == ["ben"]
    assert "Your answer was saved." in answer_report(Client(), address, _say="right", who="cleo")


def test_the_senders_browser_is_not_offered_to_confirm_a_similar_game() -> None:
    browser = Client()
    report_at_table(browser)
    turned = report_fields(("ben", "anna"), (0, 1), once="b" * 32, who="ben")
    question = browser.post(TABLE_PAGE, turned).content.decode()
    assert "Is it the same game?" in question
    assert "Same game: confirm it" not in question
    assert "Same game: confirm it" in Client().post(TABLE_PAGE, turned).content.decode()


@long_way
def test_the_cookie_is_signed_short_and_sent_to_links_only() -> None:
    browser = Client()
    address = report_at_table(browser)
    stored = browser.cookies[COOKIE]
    assert (stored["path"], bool(stored["httponly"]), stored["samesite"]) == ("/report/", True, "Lax")
    lines = [(uuid4().hex, "entered") for _ in range(report_pages.MAX_REMEMBERED_REPORTS)]
    full = signing.dumps(lines, salt=COOKIE, compress=True)
    browser.cookies[COOKIE] = full
    report_at_table(browser, **{"once": "b" * 32, "seats-0-score": "5"})
    assert len(browser.cookies[COOKIE].value) < 3500, "a browser takes 4096 bytes"
    assert len(signing.loads(browser.cookies[COOKIE].value, salt=COOKIE)) == report_pages.MAX_REMEMBERED_REPORTS
    for forged in (signing.dumps(lines), "nothing", signing.dumps([["x", "entered"]], salt=COOKIE),
                   signing.dumps([[lines[0][0], "owned"]], salt=COOKIE), signing.dumps(7, salt=COOKIE)):  # fmt: skip
        browser.cookies[COOKIE] = forged
        assert browser.get(TABLE_PAGE).status_code == 200
    assert "Confirmed: game 3" in answer_report(browser, address, **RIGHT), "who clears it is taken for another one"


def test_the_sender_can_withdraw_an_open_report() -> None:
    league = league_of()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    report = reported(anna)
    for _ in range(2):
        done = withdraw_report(anna, report.pk)
        assert (done.state, done.decided_by, done.game) == ("withdrawn", "the table", None)
    kinds = [entry.kind for entry in LogEntry.objects.filter(kind__startswith="report").order_by("position")]
    assert kinds == ["report.entered", "report.withdrawn"]
    all_refuse(
        Conflict,
        "This report was withdrawn by its sender",
        lambda: confirm_report(ben, report.pk),
        lambda: record_report(league.pk, report.pk, mark=compute_mark(done), username="olga"),
    )
    confirmed = reported(anna)
    confirm_report(ben, confirmed.pk)
    with pytest.raises(Conflict, match="has already been recorded as game 3"):
        withdraw_report(anna, confirmed.pk)
    assert verify_league(league.pk).state == "is right"
    Report.objects.filter(pk=report.pk).update(state="waiting")
    assert " has seal “" in str(verify_league(league.pk).differences)


def test_reports_waiting_for_the_organiser_can_be_withdrawn() -> None:
    league = league_of()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    for state in ("waiting", "disputed", "overdue", "twin"):
        report = reported(anna)
        assert report.state == "waiting", "withdrawn reports are not similar games"
        if state == "disputed":
            dispute_report(ben, report.pk, reason="No")
        Report.objects.filter(pk=report.pk).update(state=state)
        assert withdraw_report(anna, report.pk).state == "withdrawn"


def test_only_the_sender_can_withdraw_a_report() -> None:
    league = league_of()
    report = reported(link_of(league, "anna"))
    with pytest.raises(Refused, match="Another player reported this game"):
        withdraw_report(link_of(league, "ben"), report.pk)
    with pytest.raises(NotFound):
        withdraw_report(link_of(league, "cleo"), report.pk)
    with pytest.raises(NotFound):
        withdraw_report(link_of(league, "cleo"), uuid4())
    for before in (RememberedAnswer.NOTHING, RememberedAnswer.ANSWERED):
        with pytest.raises(Refused, match="only in the browser it was sent from"):
            withdraw_report(TABLE, report.pk, handle="anna", remembered=before)
    assert reload_report().state == "waiting"
    assert withdraw_report(TABLE, report.pk, handle="anna", remembered=RememberedAnswer.ENTERED).state == "withdrawn"


def test_withdrawals_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    league = league_of()
    anna, ben = link_of(league, "anna"), link_of(league, "ben")
    monkeypatch.setattr(entering, "MAX_OPEN_REPORTS_PER_PLAYER", 2)
    for _ in range(2):
        withdraw_report(anna, reported(anna).pk)
    with pytest.raises(Refused, match="Anna withdrew 2 reports within a day"):
        reported(anna)
    withdraw_report(ben, reported(ben).pk)
    Report.objects.update(decided_at=timezone.now() - timedelta(days=1))
    assert reported(anna).state == "waiting"


def test_a_merged_player_can_withdraw_their_report() -> None:
    league = league_of()
    report = reported(link_of(league, "dan"), played(("dan", "ben")))
    merge_players(player_of("dan"), player_of("anna"), username="olga")
    assert withdraw_report(link_of(league, "anna"), report.pk).state == "withdrawn"


@long_way
def test_withdrawing_on_the_page() -> None:
    league = league_of()
    phone, other = Client(), Client()
    address = report_at_table(phone)
    page = phone.get(f"{TABLE_PAGE}?who=anna").content.decode()
    assert "Withdraw the report" in page
    assert "Withdraw the report" not in other.get(f"{TABLE_PAGE}?who=anna").content.decode()
    assert "only in the browser it was sent from" in answer_report(other, address, _say="withdraw", who="anna")
    done = answer_report(phone, address, _say="withdraw", who="anna")
    assert "The report was withdrawn." in done
    assert "Withdrawn by the sender." in done
    late = answer_report(other, address, **RIGHT)
    assert "This report was withdrawn by its sender." in late
    twice = phone.post(TABLE_PAGE, report_fields(who="anna"), follow=True)
    assert "This report was withdrawn. To report the game again" in page_text(twice)
    desk = signed_in(league)
    shown = page_text(desk.get("/admin/leagues/club/reports/"))
    assert re.search(r"Recently decided Withdrawn by the sender Anna 1, Ben 0", shown)
    assert "the table withdrew a report" in page_text(desk.get("/admin/leagues/club/log/"))


def test_similar_games_are_shown_to_the_organiser() -> None:
    league = league_of()
    new = played()
    report = reported(link_of(league, "anna"), new)
    record(league, new)
    confirm_report(link_of(league, "ben"), report.pk)
    desk = signed_in(league)
    queue = page_text(desk.get("/admin/leagues/club/reports/"))
    assert "Possibly already recorded: Game 3 at about that time has the same players and scores." in queue
    assert "Not confirmed in time" not in queue
    assert "The same game is already recorded." in page_text(desk.get("/admin/leagues/club/"))
    assert "passed a report to the organiser: the same game is already recorded" in page_text(
        desk.get("/admin/leagues/club/log/")
    )
    anna = f"/report/{link_of(league, 'anna')}/"
    assert "The same game is already recorded; the organiser will decide." in page_text(Client().get(anna))
    refuse_report(league.pk, report.pk, reason="It is now game 3.", mark=compute_mark(reload_report()), username="olga")
    assert verify_league(league.pk).state == "is right"


def signed_in(league: League) -> Client:
    """Return the browser of a recorder of a league."""
    browser = Client()
    browser.force_login(member(league, "rita", "recorder"))
    return browser
