"""Notices, in a real browser: somebody turns a mail off and on, and ends it by the link of one without signing in."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from playwright.sync_api import expect

from league.apps.notices.models import NoticeChoice, NoticeMail
from league.apps.notices.services.mails import send_mail
from league.models import League
from tests.browser.visits import Opener, check_page, go, run_in_looks
from tests.helpers.notice_builders import club, evening, member, told

PAGE = "/admin/leagues/club/notices/"


@pytest.fixture
def league(settings: Any, live_server: Any) -> League:
    """Return a league of a site that sends mail, with somebody who records there."""
    settings.EMAIL_HOST, settings.RUNGS_ORIGIN = "mail.example", live_server.url
    league = club()
    member(league, "rita", "recorder")
    return league


def chosen() -> dict[str, bool]:
    """Return what Rita chose."""
    return dict(NoticeChoice.objects.filter(user=User.objects.get(username="rita")).values_list("kind", "wanted"))


def test_a_mail_is_turned_off_and_on_and_ended_by_the_link_of_one(league: League, open_page: Opener) -> None:
    page = open_page(PAGE, user="rita")
    for wanted, said in (
        (True, "You get emails about: games of the day, closed months, failed imports, final standings."),
        (False, "You get emails about: closed months, failed imports, final standings."),
        (True, "You get emails about: games of the day, closed months, failed imports, final standings."),
    ):
        page.get_by_label("Games of the day").set_checked(wanted)
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text(said)).to_be_visible()
        assert chosen()["notice.evening"] is wanted
    evening(league)
    told(league)
    assert send_mail(NoticeMail.objects.get().pk)
    page.reload()
    expect(page.get_by_role("link", name="Tuesday 5 March 2024: 2 games, 4 players")).to_be_visible()
    expect(page.get_by_text("Games of the day · 1 email")).to_be_visible()
    (sent,) = mail.outbox
    (link,) = re.findall(r"Unsubscribe without signing in: (\S+)", str(sent.body))
    phone = open_page(link.removeprefix(page.url.removesuffix(PAGE)), phone=True)
    expect(phone.get_by_text("Nothing has changed yet.")).to_be_visible()
    assert chosen()["notice.evening"] is True
    phone.get_by_role("button", name="Stop only: Games of the day").click()
    expect(phone.get_by_text("You get no more emails of this kind from Club")).to_be_visible()
    page = go(page, PAGE)
    expect(page.get_by_label("Games of the day")).not_to_be_checked()
    expect(page.get_by_label("Closed months")).to_be_checked()
    again = open_page(link.removeprefix(page.url.removesuffix(PAGE)), phone=True)
    again.get_by_role("button", name="Stop all notices").click()
    expect(again.get_by_text("You get no more emails from Club.")).to_be_visible()
    assert not any(chosen().values())


@run_in_looks()
def test_the_page_is_accessible_and_fits(league: League, open_page: Opener, look: dict[str, bool]) -> None:
    League.objects.filter(pk=league.pk).update(title="A club with a name that is as long as names of clubs may be")
    evening(League.objects.get())
    told(league)
    page = open_page(PAGE, user="rita", **look)
    expect(page.get_by_role("heading", name="Recently sent")).to_be_visible()
    check_page(page)
