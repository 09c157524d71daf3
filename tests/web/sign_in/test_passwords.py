"""Forgotten passwords: links by mail and by owners; who may make them, when they end, and that they are used once."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone

from league import tasks
from league.core.accounts.services.members import set_member
from league.core.accounts.services.passwords import OVER, create_reset_link_for_member, send_reset_link
from league.core.errors import Forbidden, NotFound
from league.environment import Environment
from league.models import CacheEntry, Invitation, Membership
from league.web.sign_in.adapters import AccountAdapter
from tests.helpers.builders import league_of, make_league
from tests.helpers.desk_client import browser_of
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
OLD, NEW = "correct horse battery", "staple of quiet rivers"
FORGOTTEN = "/accounts/forgotten/"
CHOICE = {"new_password1": NEW, "new_password2": NEW}


@pytest.fixture
def mailing(settings: Any) -> None:
    """Let the site send mail."""
    settings.EMAIL_HOST = "mail.example"


def build() -> None:
    """Make a league with an owner, an organiser and a recorder, who came by an invitation of the owner's."""
    league = make_league()
    for name, role in (("oscar", "owner"), ("olga", "organiser"), ("rita", "recorder")):
        User.objects.create_user(name, f"{name}@club.example", OLD)
        set_member(league.pk, name, role)
    now = timezone.now()
    Invitation.objects.create(
        league=league, role="recorder", digest="0" * 64, invited_by=user("oscar"), used_by=user("rita"),
        made_at=now, expires_at=now, used_at=now,
    )  # fmt: skip


built = built_once(build)


def user(name: str) -> User:
    """Return somebody."""
    return User.objects.get(username=name)


def chosen(link: str, browser: Client | None = None) -> Any:
    """Open a link and choose a new password."""
    browser = browser or Client()
    opened = browser.get(link)
    return opened if opened.status_code != 302 else browser.post(opened.headers["Location"], CHOICE)


def test_a_link_comes_by_mail_and_lets_in_with_a_new_password(mailing: None, settings: Any) -> None:
    old = browser_of("rita")
    with patch("league.web.sign_in.adapters.enqueue") as sent:
        page = Client().post(FORGOTTEN, {"email": "Rita@CLUB.example"}, follow=True)
    sent.assert_called_once_with("league.password", user("rita").pk, "http://testserver", "en")
    # Whoever asks by another host that leads here gets no link of it into somebody's mail.
    settings.RUNGS_ORIGIN = "https://club.example"
    with patch("league.web.sign_in.adapters.enqueue") as sent:
        Client().post(FORGOTTEN, {"email": "rita@club.example"}, headers={"Host": "elsewhere.example"})
    sent.assert_called_once_with("league.password", user("rita").pk, "https://club.example", "en")
    settings.RUNGS_ORIGIN = ""
    assert "If an account has this address, a password link is on its way." in page.content.decode()
    assert tasks.mail_link(user("rita").pk, "http://testserver")
    (letter,) = mail.outbox
    assert letter.to == ["rita@club.example"]
    assert "A new password was requested for rita at testserver." in letter.body
    (link,) = re.findall(r"http://testserver(/accounts/reset/\S+)", str(letter.body))
    browser = Client()
    shown = browser.get(link, follow=True)
    assert "For rita." in shown.content.decode()
    assert shown.headers["X-Robots-Tag"] == "noindex, nofollow"
    answer = chosen(link, browser)
    assert answer.headers["Location"] == "/accounts/reset/done/"
    page = browser.get(answer.headers["Location"], follow=True)
    assert page.redirect_chain == [("/admin/login/", 302)]
    assert "The password was changed." in page.content.decode()
    assert user("rita").check_password(NEW)
    assert old.get("/admin/leagues/club/").status_code == 302, "whoever was signed in is so no longer"
    again = chosen(link)
    assert (again.status_code, OVER in again.content.decode()) == (410, True)


def test_whether_there_is_an_account_is_told_to_nobody(mailing: None) -> None:
    User.objects.filter(username="olga").update(is_active=False)
    answers = set()
    with patch("league.web.sign_in.adapters.enqueue") as sent:
        for address in ("rita@club.example", "nobody@club.example", "olga@club.example"):
            answer = Client().post(FORGOTTEN, {"email": address}, REMOTE_ADDR=f"192.0.2.{len(address)}")
            answers.add((answer.status_code, answer.headers["Location"], answer.content))
    assert answers == {(302, "/accounts/asked/", b"")}
    assert sent.call_count == 1
    assert not send_reset_link(user("olga").pk, "http://testserver")
    User.objects.filter(username="rita").update(email="")
    assert not send_reset_link(user("rita").pk, "http://testserver")
    assert mail.outbox == []


def test_nobody_is_flooded_with_mail(mailing: None) -> None:
    with patch("league.web.sign_in.adapters.enqueue") as sent:
        for number in range(5):
            answer = Client().post(FORGOTTEN, {"email": "rita@club.example"}, REMOTE_ADDR=f"192.0.2.{number}")
        assert sent.call_count == 3
        assert (answer.status_code, answer["Retry-After"]) == (429, "3600")
        assert "You did this too often. Try again in an hour." in answer.content.decode()
        codes = [Client().post(FORGOTTEN, {"email": f"{n}@x.example"}).status_code for n in range(21)]
    assert codes == [302] * 20 + [429]


def test_an_address_that_is_none_is_told_at_its_field(mailing: None) -> None:
    shown = Client().post(FORGOTTEN, {"email": "rita"}).content.decode()
    assert "No link was sent." in shown
    assert "Enter a valid email address." in shown
    assert CacheEntry.objects.count() == 0


def test_a_site_without_mail_says_who_helps() -> None:
    for answer in (Client().get(FORGOTTEN), Client().post(FORGOTTEN, {"email": "rita@club.example"})):
        shown = answer.content.decode()
        assert "This site does not send emails." in shown
        assert "An owner of your league can create a link for you" in shown
        assert "<form" not in shown
    assert mail.outbox == []


def test_an_owner_makes_a_link_for_a_member() -> None:
    oscar = browser_of("oscar")
    before = User.objects.values_list("pk", "password")
    page = oscar.post("/admin/leagues/club/people/password/", {"user": "rita", "role": "recorder"})
    (link,) = re.findall(r'id="link" readonly value="http://testserver([^"]+)"', page.content.decode())
    assert "Link for rita." in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert list(before) == list(User.objects.values_list("pk", "password"))
    assert chosen(link).status_code == 302
    assert user("rita").check_password(NEW)
    assert chosen(link).status_code == 410
    assert oscar.get("/admin/leagues/club/people/password/").headers["Location"] == "/admin/leagues/club/people/"


def test_naming_somebody_as_a_recorder_opens_nobodys_account() -> None:
    User.objects.create_user("vera", "vera@elsewhere.example", OLD)
    set_member(league_of().pk, "vera", "recorder")
    with pytest.raises(Forbidden, match="vera did not join through an invitation to Club"):
        create_reset_link_for_member(league_of(), "vera", owner=user("oscar"))
    page = browser_of("oscar").post("/admin/leagues/club/people/password/", {"user": "vera"}, follow=True)
    assert "/accounts/reset/" not in page.content.decode()
    assert user("vera").check_password(OLD)


@pytest.mark.parametrize("name", ["olga", "rita", ""])
def test_only_owners_make_such_links(name: str) -> None:
    browser = browser_of(name) if name else Client()
    answer = browser.post("/admin/leagues/club/people/password/", {"user": "rita"})
    assert answer.status_code == (403 if name else 302)
    assert "/accounts/reset/" not in answer.content.decode()
    if name:
        with pytest.raises(Forbidden, match="Only an owner of Club"):
            create_reset_link_for_member(league_of(), "rita", owner=user(name))


#: What makes Rita's account more than a recorder's here.
MORE: dict[str, Callable[[], object]] = {
    "an owner": lambda: set_member(league_of().pk, "rita", "owner"),
    "of the staff": lambda: User.objects.filter(username="rita").update(is_staff=True),
    "a superuser": lambda: User.objects.filter(username="rita").update(is_superuser=True),
    "who may found leagues": lambda: user("rita").user_permissions.add(Permission.objects.get(codename="add_league")),
    "a member elsewhere": lambda: set_member(
        make_league(slug="elsewhere", players=(), visibility="private").pk, "rita", "recorder"
    ),
    # Groups may come to more on any day.
    "one of a group": lambda: user("rita").groups.add(Group.objects.create(name="Board")),
}


@pytest.mark.parametrize("what", MORE)
def test_no_link_leads_to_an_account_that_is_more_or_becomes_more(what: str) -> None:
    link = create_reset_link_for_member(league_of(), "rita", owner=user("oscar"))
    MORE[what]()
    assert chosen(link).status_code == 410
    assert user("rita").check_password(OLD)
    if what == "one of a group":
        return
    with pytest.raises(Forbidden, match="rita owns this league or has other roles on this site") as refused:
        create_reset_link_for_member(league_of(), "rita", owner=user("oscar"))
    assert "elsewhere" not in str(refused.value).lower()
    page = browser_of("oscar").post("/admin/leagues/club/people/password/", {"user": "rita"}, follow=True)
    assert (
        "so their password can be changed only by themselves, by email, or by the site&#x27;s staff."
        in page.content.decode()
    )


def test_a_link_ends_with_its_makers_role_with_a_login_and_with_a_day() -> None:
    set_member(league_of().pk, "olga", "owner")
    link = create_reset_link_for_member(league_of(), "rita", owner=user("oscar"))
    set_member(league_of().pk, "oscar", "recorder")
    assert chosen(link).status_code == 410
    link = create_reset_link_for_member(league_of(), "rita", owner=user("olga"))
    Client().post("/admin/login/", {"username": "rita", "password": OLD})
    assert chosen(link).status_code == 410
    link = create_reset_link_for_member(league_of(), "rita", owner=user("olga"))
    later = datetime.now() + timedelta(hours=24, seconds=5)  # noqa: DTZ005 -- as Django's own clock of links
    with patch.object(PasswordResetTokenGenerator, "_now", lambda _: later):
        assert chosen(link).status_code == 410
    User.objects.filter(username="rita").update(is_active=False)
    assert chosen(link).status_code == 410


def test_who_is_no_member_gets_none() -> None:
    User.objects.create_user("otto")
    for name in ("otto", "nobody", "a\0b"):
        with pytest.raises(NotFound, match="is not a member of the league Club"):
            create_reset_link_for_member(league_of(), name, owner=user("oscar"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"new_password1": NEW, "new_password2": "other"}, "You must type the same password each time."),
        ({"new_password1": "password", "new_password2": "password"}, "This password is too common."),
        ({"new_password1": "", "new_password2": ""}, "This field is required."),
    ],
)
def test_what_is_no_password_is_told_and_nothing_is_changed(given: dict[str, str], sentence: str) -> None:
    browser = Client()
    address = browser.get(create_reset_link_for_member(league_of(), "rita", owner=user("oscar"))).headers["Location"]
    shown = browser.post(address, given).content.decode()
    assert "Nothing was changed." in shown
    assert sentence.replace("'", "&#x27;") in shown
    assert user("rita").check_password(OLD)
    assert browser.post(address, CHOICE).status_code == 302, "the link is good still"


def test_a_link_that_never_was_leads_nowhere() -> None:
    for link in ("1-abc", f"{user('rita').pk}-set-password", "zzzzzzzzzzzzz-x", "1-%00"):
        answer = Client().get(f"/accounts/reset/{link}/")
        assert (answer.status_code, OVER in answer.content.decode()) == (410, True), link


def test_guessing_links_is_slowed_down_and_a_good_one_never_waits() -> None:
    for number in range(50):
        assert Client().get(f"/accounts/reset/1-{number}-abc/").status_code == 410
    refused = Client().get("/accounts/reset/1-51-abc/")
    assert (refused.status_code, refused["Retry-After"]) == (429, "3600")
    assert "Too many wrong links were opened from your network</h1>" in refused.content.decode()
    link = create_reset_link_for_member(league_of(), "rita", owner=user("oscar"))
    assert {Client().get(link).status_code for _ in range(30)} == {302}


def test_a_password_that_was_changed_between_two_pages_stays() -> None:
    browser = Client()
    address = browser.get(create_reset_link_for_member(league_of(), "rita", owner=user("oscar"))).headers["Location"]
    assert browser.get(address).status_code == 200
    checked = AccountAdapter.clean_password

    def change_first(adapter: AccountAdapter, password: str, user: Any = None) -> str:
        User.objects.filter(pk=user.pk).update(password="changed")
        return str(checked(adapter, password, user))

    with patch.object(AccountAdapter, "clean_password", change_first):
        answer = browser.post(address, CHOICE)
    assert (answer.status_code, OVER in answer.content.decode()) == (409, True)
    assert user("rita").password == "changed"


def test_an_address_is_found_in_any_case_and_by_no_lookalike(mailing: None) -> None:
    User.objects.filter(username="rita").update(email="Rita@Club.example")
    with patch("league.web.sign_in.adapters.enqueue") as sent:
        Client().post(FORGOTTEN, {"email": "rita@club.example"})
        Client().post(FORGOTTEN, {"email": "rıta@club.example"})
    assert sent.call_count == 1


def test_the_login_page_says_what_is_wrong_and_where_help_is() -> None:
    browser = Client()
    shown = browser.get("/admin/login/").content.decode()
    assert 'href="/accounts/forgotten/"' in shown
    assert "rungs/look.css" in shown
    wrong = browser.post("/admin/login/?next=/admin/", {"username": "rita", "password": "x"}).content.decode()
    assert "You are not signed in." in wrong
    assert "Please enter a correct username and password." in wrong
    assert 'name="username" value="rita"' in wrong
    User.objects.create_user("otto", password=OLD)
    assert (
        "You are signed in as otto, who has no role here." in browser_of("otto").get("/admin/login/").content.decode()
    )
    out = browser_of("rita").post("/admin/logout/").content.decode()
    assert "You are signed out" in out
    assert 'href="/admin/login/"' in out
    assert Membership.objects.count() == 3


def test_mail_needs_the_sites_names() -> None:
    assert Environment({}).mail_host() == ""
    assert Environment({"EMAIL_HOST": "m", "RUNGS_ALLOWED_HOSTS": "club.example"}).mail_host() == "m"
    with pytest.raises(ImproperlyConfigured, match="EMAIL_HOST needs RUNGS_ALLOWED_HOSTS"):
        Environment({"EMAIL_HOST": "mail.example"}).mail_host()
