"""Tokens of the API at the desk: made and shown once, listed for whoever made them, revoked."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.members import set_member
from league.models import League, Token
from tests.helpers.builders import make_league
from tests.helpers.desk_client import page_html, page_text, sign_in_member

pytestmark = pytest.mark.django_db
PAGE = "/admin/leagues/club/tokens/"


@pytest.fixture
def league() -> League:
    """Return a league."""
    return make_league()


@pytest.fixture
def owner(league: League) -> Client:
    """Return the browser of its owner."""
    return sign_in_member("oscar", "owner", league)


def test_a_token_is_shown_once_and_revoked(owner: Client, league: League) -> None:
    assert "No tokens yet." in page_text(owner.get(PAGE))
    sent = {"name": "server-7", "scope": "record", "leagues": [league.pk], "expires_at": "2031-01-01T10:00"}
    made = owner.post(PAGE, sent)
    (text,) = re.findall(r'id="token" readonly value="([^"]+)"', page_html(made))
    api = {"Authorization": f"Bearer {text}"}
    assert "no-store" in made["Cache-Control"]
    assert Client().patch("/api/v1/leagues/club/", headers=api).status_code == 403, "it records and does not organise"
    shown = owner.get(PAGE)
    assert text not in shown.content.decode()
    said = page_text(shown)
    assert "Revoke “server-7” Record Club" in said and "Expires 1 Jan 2031, 10:00 UTC" in said and "Last used" in said
    again = owner.post(PAGE, sent)
    assert list(again.context["form"].errors) == ["name"]
    assert "No token was created." in page_text(again)
    token = Token.objects.get()
    assert (token.maker, list(token.leagues.all())) == (User.objects.get(username="oscar"), [league])
    for _ in range(2):
        gone = page_text(owner.post(f"{PAGE}{token.pk}/revoke/", follow=True))
        assert "The token “server-7” was revoked." in gone and "Revoked " in gone
    assert Client().get("/api/v1/leagues/club/", headers=api).status_code == 401


def test_a_token_is_for_the_league_of_its_page_unless_others_are_chosen(owner: Client, league: League) -> None:
    for slug, role in (("second", "owner"), ("third", "organiser")):
        set_member(make_league(slug=slug, title=slug).pk, "oscar", role)
    form = owner.get(PAGE).context["form"]
    assert form["leagues"].value() == [league.pk]
    assert [one.slug for one in form.fields["leagues"].queryset] == ["club", "second"]
    other = League.objects.get(slug="third").pk
    assert list(owner.post(PAGE, {"name": "x", "scope": "read", "leagues": [other]}).context["form"].errors) == [
        "leagues"
    ]
    owner.post(PAGE, {"name": "all", "scope": "read"})
    assert "Revoke “all” Read All leagues" in page_text(owner.get(PAGE))


def test_tokens_are_their_makers_and_staff_see_all(owner: Client, league: League, olga: Client) -> None:
    owner.post(PAGE, {"name": "server-7", "scope": "read"})
    token = Token.objects.get()
    other = sign_in_member("otto", "owner", league)
    assert "server-7" not in other.get(PAGE).content.decode()
    assert other.post(f"{PAGE}{token.pk}/revoke/").status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None
    assert "server-7 oscar Never used." in page_text(olga.get(PAGE))
