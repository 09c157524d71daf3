"""What reaches far asks for the password again, where it was given a while ago."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.members import set_member
from league.models import Membership, Token
from league.web.sign_in.sessions import SIGNED_IN_AT
from tests.helpers.api_client import Api
from tests.helpers.attempts import use_up
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
    session[SIGNED_IN_AT] -= 1801
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
    assert "Nothing has been done yet: enter your password, then try again." in page
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
        ("/accounts/second/on/", {"code": "123456"}),
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
        wrong: Any = owner.post(change, {"old_password": "wrong", **new})
    assert (wrong.status_code, "This is not your password." in wrong.content.decode()) == (200, True)
    assert caplog.messages[-1] == "Refused: wrong password: olga from 127.0.0.1"
    use_up(address="127.0.0.2")
    refused: Any = owner.post(change, {"old_password": PASSWORD, **new}, REMOTE_ADDR="127.0.0.2")
    assert (refused.status_code, refused["Retry-After"]) == (429, "3600")
    assert "Too many wrong attempts. Try again in an hour." in refused.content.decode()
    with caplog.at_level("INFO", "league.security"):
        assert owner.post(change, {"old_password": PASSWORD, **new})["Location"] == "/admin/"
    assert caplog.messages[-1] == "New password by the present one: olga from 127.0.0.1"
    assert "The password was changed." in owner.get("/admin/").content.decode()


def test_guessing_there_is_slowed_down_and_leads_nowhere_else(owner: Client) -> None:
    elsewhere = owner.post("/accounts/again/", {"password": PASSWORD, "next": "https://elsewhere.example/"})
    assert elsewhere["Location"] == "/admin/"
    use_up()
    refused: Any = owner.post("/accounts/again/", {"password": PASSWORD}, REMOTE_ADDR="192.0.2.1")
    assert (refused.status_code, refused["Retry-After"]) == (429, "3600")
    assert "Too many wrong attempts. Try again in an hour." in refused.content.decode()
    assert Client().get("/accounts/again/").status_code == 302
