"""A form that comes too late, or from elsewhere, is not carried out: it leads to the login or back to its page."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client, override_settings

from league.models import Game
from tests.helpers.builders import make_league
from tests.helpers.desk_client import DESK, PAD, dated_sheet, page_messages

pytestmark = pytest.mark.django_db
RIGHT = {"username": "olga", "password": "correct horse battery"}
SHEET = dated_sheet(("anna", "1"), ("ben", "0"))
FROM_PAD = {"Referer": f"http://testserver{PAD}"}


@pytest.fixture
def strict() -> Client:
    """Return a browser that looks closely at the keys of forms, in which an organiser is signed in, with a club."""
    User.objects.create_superuser("olga", password=RIGHT["password"])
    make_league()
    browser = Client(enforce_csrf_checks=True)
    browser.login(**RIGHT)
    return browser


@pytest.mark.parametrize("what", [PAD, f"{DESK}jobs/replay/"])
def test_a_form_after_the_session_leads_to_the_login_and_back_and_is_not_carried_out(strict: Client, what: str) -> None:
    browser = Client()
    answer = browser.post(what, SHEET, headers=FROM_PAD)
    assert answer["Location"] == f"/admin/login/?next={PAD}"
    page: Any = browser.get(answer["Location"])
    assert "Your session had ended. Sign in, then try again." in page.content.decode()
    assert browser.post(answer["Location"], RIGHT, follow=True).redirect_chain[-1] == (PAD, 302)
    assert Game.objects.count() == 0
    for referer in ("https://evil.example/admin/", ""):
        answer = Client().post(what, SHEET, headers={"Referer": referer})
        assert answer["Location"] == "/admin/login/?next=/admin/"


def test_a_form_of_an_earlier_session_leads_back_to_its_page(strict: Client) -> None:
    answer = strict.post(PAD, SHEET, headers=FROM_PAD)
    assert (answer.status_code, answer["Location"]) == (302, PAD)
    said = page_messages(strict.get(PAD))
    assert said == "This page was opened in an earlier session. Nothing was done; please try again."
    assert strict.post(PAD, SHEET)["Location"] == "/admin/"
    Session.objects.all().delete()
    assert strict.post(PAD, SHEET, headers=FROM_PAD)["Location"] == f"/admin/login/?next={PAD}"
    assert Game.objects.count() == 0


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Referer": "https://evil.example/x"}]
)
def test_a_strangers_page_cannot_send_our_forms(strict: Client, headers: dict[str, str]) -> None:
    answer = strict.post(PAD, SHEET, headers=headers)
    assert answer.status_code == 403
    assert "This form did not come from this site" in answer.content.decode()


def test_a_trusted_origin_is_our_own(strict: Client) -> None:
    with override_settings(CSRF_TRUSTED_ORIGINS=["https://club.example"]):
        assert strict.post(PAD, SHEET, headers={"Origin": "https://club.example"}).status_code == 302


def test_an_old_login_page_is_shown_anew_and_an_old_logout_does_no_harm(strict: Client) -> None:
    browser = Client(enforce_csrf_checks=True)
    answer = browser.post("/admin/login/?next=/admin/", RIGHT)
    assert answer["Location"] == "/admin/login/?next=/admin/"
    assert "This page was too old. Sign in again." in browser.get(answer["Location"]).content.decode()
    assert browser.post("/admin/logout/")["Location"] == "/admin/"
    assert browser.post("/status/").status_code == 403
