"""A session that ends in mid-sheet loses nothing: what was typed comes back after the login, and is not carried out."""

import hashlib
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core import signing
from django.test import Client, override_settings

from league.desk import keeping
from league.models import Game, League, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import DESK, PAD, dated_sheet, page_messages

pytestmark = pytest.mark.django_db
RIGHT = {"username": "olga", "password": "correct horse battery"}
SHEET = dated_sheet(("anna", "12,5x"), ("ben", "−25"), note="typed for an hour")


class Browser(Client):
    """A browser whose forms bear the key of the page that it saw last, unless they bring one along."""

    def key(self) -> str:
        """Return the key of the page that was seen last."""
        return self.cookies["csrftoken"].value if "csrftoken" in self.cookies else ""

    def post(self, path: str, data: Any = None, *args: Any, **more: Any) -> Any:  # type: ignore[override]  # looser
        """Send a form."""
        return super().post(path, {"csrfmiddlewaretoken": self.key(), **(data or {})}, *args, **more)


def of_an_earlier_session(name: str = "olga") -> tuple[Browser, str]:
    """Return a browser that looks closely, in which somebody is signed in, and a form's key from before that."""
    browser = Browser(enforce_csrf_checks=True)
    browser.login(**{**RIGHT, "username": name})
    browser.get(PAD)
    key = browser.key()
    browser.cookies["csrftoken"] = key[::-1]
    return browser, key


@pytest.fixture
def typist() -> Browser:
    """Return a browser in which an organiser is signed in and has the sheet before them, with a club."""
    User.objects.create_superuser("olga", password=RIGHT["password"])
    make_league()
    browser = Browser()
    browser.login(**RIGHT)
    browser.get(PAD)
    return browser


def ended(browser: Browser) -> Browser:
    """End the session as time does."""
    Session.objects.all().delete()
    return browser


def signed_in_again(browser: Client, answer: Any) -> Any:
    """Follow to the login, sign in, and return the page where that leads."""
    assert answer.status_code == 302
    login = browser.get(answer["Location"])
    assert login.status_code == 200
    return browser.post(answer["Location"], RIGHT, follow=True)


def test_a_sheet_comes_back_after_the_login_with_all_that_was_typed(typist: Browser) -> None:
    answer = ended(typist).post(PAD, SHEET)
    assert answer["Location"] == "/admin/login/?next=/admin/leagues/club/record/"
    page = signed_in_again(typist, answer)
    text = page.content.decode()
    for value in ("anna", "12,5x", "ben", "−25", "typed for an hour", "2024-03-05T20:30"):
        assert f'value="{value}"' in text
    assert "This is what you typed before your session had ended. Nothing was written yet." in page_messages(page)
    assert Game.objects.count() == 0
    assert 'value="12,5x"' not in typist.get(PAD).content.decode(), "it comes back once"


def test_the_login_page_says_that_it_is_kept(typist: Browser) -> None:
    answer = ended(typist).post(PAD, SHEET)
    assert "What you typed is kept and comes back" in typist.get(answer["Location"]).content.decode()


def test_it_is_recorded_once_it_is_sent_again(typist: Browser) -> None:
    (key,) = re.findall(r'name="once" value="(\w+)"', typist.get(PAD).content.decode())
    typed = dated_sheet(("anna", 1), ("ben", 0), once=key)
    page = signed_in_again(typist, ended(typist).post(PAD, typed))
    assert f'name="once" value="{key}"' in page.content.decode()
    assert typist.post(PAD, typed).status_code == 302
    assert Game.objects.count() == 1


def test_a_form_of_an_earlier_session_comes_back_at_once(typist: Browser) -> None:
    browser, key = of_an_earlier_session()
    answer = browser.post(PAD, {**SHEET, "csrfmiddlewaretoken": key})
    assert (answer.status_code, answer["Location"]) == (302, PAD)
    page = browser.get(PAD)
    assert 'value="typed for an hour"' in page.content.decode()
    assert Game.objects.count() == 0


def test_a_form_of_an_earlier_session_comes_back_after_the_login(typist: Browser) -> None:
    browser, key = of_an_earlier_session()
    ended(browser)
    answer = browser.post(PAD, {**SHEET, "csrfmiddlewaretoken": key}, headers={"Origin": "http://testserver"})
    assert answer["Location"].startswith("/admin/login/?next=")
    login = browser.get(answer["Location"])
    (token,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', login.content.decode())
    page = browser.post(answer["Location"], {**RIGHT, "csrfmiddlewaretoken": token}, follow=True)
    assert 'value="typed for an hour"' in page.content.decode()


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Referer": "https://evil.example/x"}]
)
def test_a_strangers_page_cannot_fill_in_our_forms(typist: Client, headers: dict[str, str]) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.login(**RIGHT)
    answer = browser.post(PAD, SHEET, headers=headers)
    assert answer.status_code == 403
    assert "not sent from a page of this site" in answer.content.decode()
    assert keeping.COOKIE not in browser.cookies


def test_a_trusted_origin_is_our_own(typist: Browser) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.login(**RIGHT)
    with override_settings(CSRF_TRUSTED_ORIGINS=["https://club.example"]):
        assert browser.post(PAD, SHEET, headers={"Origin": "https://club.example"}).status_code == 302


def test_an_old_login_page_is_shown_anew_and_an_old_logout_does_no_harm(typist: Browser) -> None:
    browser = Client(enforce_csrf_checks=True)
    answer = browser.post("/admin/login/?next=/admin/", RIGHT)
    assert answer["Location"] == "/admin/login/?next=/admin/"
    assert "This page was too old. Sign in again." in browser.get(answer["Location"]).content.decode()
    assert browser.post("/admin/logout/")["Location"] == "/admin/"
    assert browser.post("/status/").status_code == 403


def test_nothing_is_carried_out_on_the_way(typist: Browser) -> None:
    league = League.objects.get()
    record(league, sheet(("anna", "ben"), (1, 0)))
    entries = league.log.count()
    sent: list[tuple[str, dict[str, Any]]] = [
        (f"{DESK}rules/", {"parameters_k": "typed", "adopt": "1"}),
        (PAD, {"note": "typed", "seats-0-player": "anna"}),
    ]
    for address, data in sent:
        page = signed_in_again(typist, ended(typist).post(address, data))
        assert page.status_code == 200, address
        assert next(iter(data.values())) in unescape(page.content.decode()), address
    assert League.objects.get().title == "Club"
    assert Game.objects.get().voided_at is None
    assert league.log.count() == entries
    assert Player.objects.get(handle="anna").merged_into is None


def test_a_button_without_a_form_leads_back_to_its_page(typist: Browser) -> None:
    before = f"{DESK}jobs/"
    answer = ended(typist).post(f"{before}replay/", {}, headers={"Referer": f"http://testserver{before}"})
    assert answer["Location"] == f"/admin/login/?next={before}"
    page = signed_in_again(typist, answer)
    assert page.redirect_chain[-1] == (before, 302)
    for referer in ("https://evil.example/admin/", ""):
        answer = ended(typist).post(f"{before}replay/", {}, headers={"Referer": referer})
        assert answer["Location"] == "/admin/login/?next=/admin/"
    browser = Client(enforce_csrf_checks=True)
    browser.login(**RIGHT)
    answer = browser.post(f"{before}replay/", {})
    assert answer["Location"] == "/admin/"


def test_what_is_too_long_is_not_kept_and_that_is_said(typist: Browser) -> None:
    long = "".join(hashlib.sha256(bytes([number])).hexdigest() for number in range(200))
    for text in (long, "x" * (keeping.MOST_LETTERS + 1)):
        answer = ended(typist).post(PAD, {**SHEET, "note": text})
        assert keeping.COOKIE not in answer.cookies
        page = typist.get(answer["Location"])
        assert "What you typed is too long to be kept here" in page.content.decode()
    browser, key = of_an_earlier_session()
    answer = browser.post(PAD, {**SHEET, "note": long, "csrfmiddlewaretoken": key})
    assert "too long" in page_messages(browser.get(answer["Location"]))


def test_what_is_kept_is_small_signed_without_secrets_and_of_its_page_only(typist: Browser) -> None:
    answer = ended(typist).post(PAD, {**SHEET, "old_password": "hush", "new_password1": "hush"})
    cookie = answer.cookies[keeping.COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["max-age"]) == (True, "Lax", "/admin/", 3600)
    assert len(cookie.value) < 4000
    address, whose, fields = signing.loads(cookie.value, salt=keeping.COOKIE)
    assert (address, whose) == (PAD, User.objects.get().pk)
    assert {name for name, _ in fields} & {"old_password", "new_password1", "_save", "csrfmiddlewaretoken"} == set()
    typist.login(**RIGHT)
    assert "This is what you typed" not in page_messages(typist.get(f"{DESK}people/add/"))
    typist.cookies[keeping.COOKIE] = cookie.value[:-2] + "xx"
    assert "typed for an hour" not in typist.get(PAD).content.decode()


def test_nothing_typed_stands_in_an_address(typist: Browser) -> None:
    answer = ended(typist).post(PAD, SHEET)
    assert "typed" not in answer["Location"]
    assert "anna" not in answer["Location"]


def at_the_door(browser: Client, name: str) -> Any:
    """Sign somebody in on the login page of a browser, and return where that leads."""
    if not User.objects.filter(username=name).exists():
        User.objects.create_superuser(name, password=RIGHT["password"])
    return browser.post(f"/admin/login/?next={PAD}", {**RIGHT, "username": name}, follow=True)


def test_another_one_who_signs_in_does_not_get_what_was_typed(typist: Browser) -> None:
    at_the_door(typist, "olga")
    ended(typist).post(PAD, SHEET)
    assert keeping.COOKIE in typist.cookies
    page = at_the_door(typist, "otto")
    assert "typed for an hour" not in page.content.decode()
    assert not typist.cookies[keeping.COOKIE].value, "nor does it stay in their browser"
    assert "typed for an hour" not in at_the_door(typist, "olga").content.decode()


def test_who_typed_it_gets_it_back_whoever_was_there_before(typist: Browser) -> None:
    at_the_door(typist, "otto")
    at_the_door(typist, "Olga".lower())
    ended(typist).post(PAD, SHEET)
    assert 'value="typed for an hour"' in at_the_door(typist, "olga").content.decode()


def test_whose_a_form_is_its_own_key_tells(typist: Browser) -> None:
    """The key of a page is masked anew each time; the session began without the login page, and nothing else tells."""
    (key,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w{64})"', typist.get(PAD).content.decode()))
    answer = ended(typist).post(PAD, {**SHEET, "csrfmiddlewaretoken": key})
    assert "rungs_known" not in typist.cookies
    assert 'value="typed for an hour"' in signed_in_again(typist, answer).content.decode()


@pytest.mark.parametrize("key", ["", "x", "ä" * 64, "x" * 64])
def test_where_nothing_tells_whose_it_is_nothing_is_kept_and_that_is_said(typist: Browser, key: str) -> None:
    for browser in (Browser(), ended(typist)):
        answer = browser.post(PAD, {**SHEET, "csrfmiddlewaretoken": key})
        assert keeping.COOKIE not in answer.cookies
        page = browser.get(answer["Location"]).content.decode()
        assert "Your session had ended. What you typed is not kept, for nothing tells here whose it is" in unescape(
            page
        )
        assert "typed for an hour" not in at_the_door(browser, "otto").content.decode()


def test_a_page_that_another_one_left_open_gives_nothing_to_who_is_signed_in_now(typist: Browser) -> None:
    key = typist.key()
    at_the_door(typist, "otto")
    otto, _ = of_an_earlier_session("otto")
    otto.cookies[keeping.WHOSE] = typist.cookies[keeping.WHOSE].value
    answer = otto.post(PAD, {**SHEET, "csrfmiddlewaretoken": key})
    assert keeping.COOKIE not in answer.cookies
    page = otto.get(answer["Location"])
    assert "typed for an hour" not in page.content.decode()
    assert "Nothing was written. What somebody else had typed in this browser was thrown away." in page_messages(page)
    # And where otto's session has ended, too, it waits for olga.
    answer = ended(otto).post(PAD, {**SHEET, "csrfmiddlewaretoken": key}, headers={"Origin": "http://testserver"})
    _, whose, _ = signing.loads(answer.cookies[keeping.COOKIE].value, salt=keeping.COOKIE)
    assert whose == User.objects.get(username="olga").pk


def test_a_browser_knows_the_last_four_keys_and_who_forged_one_knows_none(typist: Browser) -> None:
    for name in ("otto", "olga", "otto", "olga", "otto"):
        at_the_door(typist, name)
    assert len(signing.loads(typist.cookies[keeping.WHOSE].value, salt=keeping.WHOSE)) == 4
    before = typist.cookies[keeping.WHOSE].value
    assert keeping.WHOSE not in typist.get(PAD).cookies, "it is told once"
    typist.cookies[keeping.WHOSE] = f"{before[:-2]}xx"
    assert keeping.COOKIE not in ended(typist).post(PAD, SHEET).cookies


def test_a_cookie_of_an_earlier_version_brings_nothing_back(typist: Browser) -> None:
    old = signing.dumps([PAD, [["note", "typed for an hour"]]], salt=keeping.COOKIE, compress=True)
    typist.cookies[keeping.COOKIE] = old
    assert "typed for an hour" not in typist.get(PAD).content.decode()
    nobodys = signing.dumps([PAD, "", [["note", "typed for an hour"]]], salt=keeping.COOKIE, compress=True)
    typist.cookies[keeping.COOKIE] = nobodys
    page = typist.get(PAD)
    assert "typed for an hour" not in page.content.decode()
    assert page_messages(page) == "What somebody else had typed in this browser was thrown away."


def test_no_button_of_any_page_is_kept() -> None:
    """What a button said is done, or it is not: it never comes back with what was typed."""
    names = set()
    for path in Path("templates").rglob("*.html"):
        for tag in re.findall(r"<(?:button|input[^>]*type=.submit.)[^>]*>", path.read_text()):
            names |= set(re.findall(r' name="([^"]*)"', tag))
    assert len(names) > 15
    named = {name for name in names if "{{" not in name}
    assert {name for name in named if not keeping.is_button(name)} == set()


def test_buttons_are_no_fields_elsewhere() -> None:
    """What is left out as a button must be typed nowhere."""
    fields = set()
    for path in Path("templates").rglob("*.html"):
        for tag in re.findall(r"<(?:input|select|textarea)[^>]*>", path.read_text()):
            if 'type="hidden"' not in tag and 'type="submit"' not in tag:
                fields |= set(re.findall(r' name="([^"]*)"', tag))
    assert fields & keeping.BUTTONS == set()
