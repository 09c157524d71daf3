"""What reaches far asks for the password again, where it was given a while ago."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.desk.sessions import PROVED
from league.models import LoginTries, Membership, Token
from league.services.accounts.logins import PAIR
from league.services.accounts.members import set_member
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league

PASSWORD = "correct horse battery"
MEMBERS = "/admin/leagues/club/people/members/"
PEOPLE = "/admin/leagues/club/people/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> Client:
    """Return the browser of an owner who signed in long ago."""
    league = make_league(slug="club")
    for name, role in (("olga", "owner"), ("rita", "recorder")):
        User.objects.create_user(name, password=PASSWORD)
        set_member(league.pk, name, role)
    client = Client()
    client.post("/admin/login/", {"username": "olga", "password": PASSWORD})
    session = client.session
    session[PROVED] -= 1801
    session.save()
    return client


def role_of(name: str) -> str:
    """Return the role of a member."""
    return str(Membership.objects.get(user__username=name).role)


def test_a_member_is_changed_after_the_password(owner: Client) -> None:
    change = {"user": "rita", "role": "organiser"}
    asked = owner.post(MEMBERS, change, headers={"Referer": f"http://testserver{PEOPLE}"})
    assert asked["Location"] == f"/accounts/again/?next={PEOPLE.replace('/', '%2F')}"
    assert role_of("rita") == "recorder"
    page = owner.get(asked["Location"]).content.decode()
    assert "Nothing was done yet: give your password, then do it again." in page
    wrong = owner.post("/accounts/again/", {"password": "wrong", "next": PEOPLE})
    assert "This is not your password." in wrong.content.decode()
    assert owner.post("/accounts/again/", {"password": PASSWORD, "next": PEOPLE})["Location"] == PEOPLE
    owner.post(MEMBERS, change)
    assert role_of("rita") == "organiser"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (f"{PEOPLE}invite/", {"role": "owner"}),
        (f"{PEOPLE}password/", {"user": "rita"}),
        ("/admin/leagues/club/tokens/", {"name": "server", "scope": "organise"}),
        ("/accounts/second/", {"code": "123456"}),
    ],
)
def test_what_else_asks(owner: Client, path: str, fields: dict[str, str]) -> None:
    assert owner.post(path, fields)["Location"].startswith("/accounts/again/?next=")
    assert Token.objects.count() == 0


def test_the_api_says_where(owner: Client) -> None:
    given = {"name": "server", "scope": "organise", "leagues": ["club"]}
    answer = owner.post("/api/v1/tokens/", given, content_type="application/json")
    assert (answer.status_code, "/accounts/again/" in answer.content.decode()) == (403, True)
    owner.post("/accounts/again/", {"password": PASSWORD})
    assert owner.post("/api/v1/tokens/", given, content_type="application/json").status_code == 201


def test_members_ask_at_the_other_door_too(owner: Client) -> None:
    """The API with a session; a token has no session to prove anything of."""
    one = "/api/v1/leagues/club/members/rita/"
    put = owner.put(one, {"role": "organiser"}, content_type="application/json")
    assert (put.status_code, "/accounts/again/" in put.content.decode()) == (403, True)
    assert owner.delete(one).status_code == 403
    assert role_of("rita") == "recorder"
    assert Api("organise").put("leagues/club/members/rita/", {"role": "organiser"}).status_code == 200
    owner.post("/accounts/again/", {"password": PASSWORD})
    assert owner.delete(one).status_code == 204


def test_accounts_ask_whoever_runs_the_site(owner: Client) -> None:
    """A browser that was left open makes nobody staff, gives nobody a password, and is not taken for new by trying."""
    User.objects.filter(username="olga").update(is_staff=True, is_superuser=True)
    rita = User.objects.get(username="rita")
    new = {"password1": "quite another horse", "password2": "quite another horse", "usable_password": "true"}
    for path, fields in (
        ("add/", {"username": "eve", **new}),
        (f"{rita.pk}/password/", new),
        (f"{rita.pk}/change/", {"username": "rita", "is_superuser": "on"}),
        (f"{rita.pk}/delete/", {"post": "yes"}),
        ("", {"action": "delete_selected", "_selected_action": str(rita.pk), "post": "yes"}),
    ):
        asked = owner.post(f"/admin/auth/user/{path}", fields)
        assert asked["Location"].startswith("/accounts/again/?next="), path
    assert owner.get(f"/admin/auth/user/{rita.pk}/change/").status_code == 200
    rita.refresh_from_db()
    assert (rita.check_password(PASSWORD), rita.is_superuser, User.objects.count()) == (True, False, 2)
    owner.post("/accounts/again/", {"password": PASSWORD})
    owner.post(f"/admin/auth/user/{rita.pk}/password/", new)
    rita.refresh_from_db()
    assert rita.check_password("quite another horse")


def test_guessing_at_the_change_of_a_password_is_slowed_down(owner: Client, caplog: Any) -> None:
    change = "/admin/password_change/"
    new = {"new_password1": "quite another horse", "new_password2": "quite another horse"}
    with caplog.at_level("INFO", "league.security"):
        for _ in range(PAIR.size):
            assert owner.post(change, {"old_password": "wrong", **new}).status_code == 200
    assert caplog.messages[-1] == "Refused: wrong password, at its change: olga from 127.0.0.1"
    refused: Any = owner.post(change, {"old_password": PASSWORD, **new})
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert "Too many wrong passwords. Wait" in refused.content.decode()
    LoginTries.objects.all().delete()
    with caplog.at_level("INFO", "league.security"):
        assert owner.post(change, {"old_password": PASSWORD, **new}).status_code == 302
    assert caplog.messages[-1] == "New password by the present one: olga from 127.0.0.1"
    assert LoginTries.objects.get().spent < 1, "whoever knows it has their tries back"


def test_guessing_there_is_slowed_down_and_leads_nowhere_else(owner: Client) -> None:
    elsewhere = owner.post("/accounts/again/", {"password": PASSWORD, "next": "https://elsewhere.example/"})
    assert elsewhere["Location"] == "/admin/"
    for _ in range(PAIR.size):
        owner.post("/accounts/again/", {"password": "wrong"})
    refused: Any = owner.post("/accounts/again/", {"password": PASSWORD})
    assert refused.status_code == 429
    assert "Too many wrong passwords. Wait" in refused.content.decode()
    assert Client().get("/accounts/again/").status_code == 302
