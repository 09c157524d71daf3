"""Tokens of whoever is signed in: listed without secrets, shown once, revoked; and the site's own."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.core.accounts.services.members import set_member
from league.core.accounts.services.tokens import make_token
from league.models import League, Token
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def build_leagues() -> None:
    """Make the league whose tokens these are, another one, and a private one."""
    for slug, visibility in (("club", "public"), ("open", "public"), ("hidden", "private")):
        make_league(slug=slug, visibility=visibility)


built = built_once(build_leagues)


def signed_in(name: str, role: str = "") -> Api:
    """Return the API in the browser of a new user, with a role in the league where one is named."""
    user = User.objects.create_user(name)
    if role:
        set_member(League.objects.get(slug="club").pk, name, role)
    api = Api()
    api.client.force_login(user)
    return api


def test_a_token_is_shown_once_and_works_until_it_is_revoked() -> None:
    api = signed_in("oscar", "owner")
    made = api.post("tokens/", {"name": "server-7", "scope": "record", "leagues": ["club"]})
    assert (made.status_code, made["Cache-Control"]) == (201, "private, no-store")
    text = made.data.pop("token")
    assert made.data["maker"] == "oscar"
    assert api.get("tokens/").data == {"results": [made.data], "next": None, "total": 1}
    assert text not in str(Token.objects.values_list()[0])
    server = Api()
    server.headers["Authorization"] = f"Bearer {text}"
    sent = {"results": [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}]}
    assert server.post("leagues/club/games/", sent).data["recorded_by"] == "server-7"
    assert api.get("tokens/").data["results"][0]["last_used_at"] is not None
    for _ in range(2):  # one that has ended stays ended
        assert api.call("delete", f"tokens/{made.data['id']}/").status_code == 204
    assert server.get("leagues/").status_code == 401
    assert api.get("tokens/").data["results"][0]["revoked_at"] is not None


def test_nobody_sees_or_ends_the_token_of_another_but_staff() -> None:
    owner = signed_in("oscar", "owner")
    made = owner.post("tokens/", {"name": "server-7", "scope": "read"}).data
    other = signed_in("otto", "owner")
    assert other.get("tokens/").data["results"] == []
    for name in (made["id"], "nada", "a\0b"):
        assert other.call("delete", f"tokens/{name}/").status_code == 404
    staff = Api()
    staff.client.force_login(User.objects.create_superuser("sara"))
    assert [one["name"] for one in staff.get("tokens/").data["results"]] == ["server-7"]
    assert staff.call("delete", f"tokens/{made['id']}/").status_code == 204


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"name": " ", "scope": "read"}, 400, "/name"),
        ({"name": "x", "scope": "all"}, 400, "/scope"),
        ({"name": "x", "scope": "read", "expires_at": "2024-01-01T00:00:00Z"}, 400, "/expires_at"),
        ({"name": "taken", "scope": "read"}, 409, "/name"),
        ({"name": "x", "scope": "read", "leagues": ["nada"]}, 404, None),
        ({"name": "x", "scope": "read", "leagues": ["hidden"]}, 404, None),
        ({"name": "x", "scope": "read", "leagues": ["open"]}, 403, None),
    ],
)
def test_a_token_that_cannot_be_made(body: dict[str, Any], status: int, pointer: str | None) -> None:
    api = signed_in("oscar", "owner")
    make_token("taken", "read")
    answer = api.post("tokens/", body)
    assert answer.status_code == status
    assert [one["pointer"] for one in answer.data["errors"]] == ([pointer] if pointer else [])
    assert Token.objects.count() == 1


@pytest.mark.parametrize("role", ["", "organiser"])
def test_only_owners_make_tokens(role: str) -> None:
    api = signed_in("rita", role)
    for leagues in ([], ["club"]):
        answer = api.post("tokens/", {"name": "x", "scope": "read", "leagues": leagues})
        assert (answer.status_code, answer.data["detail"][:40]) == (403, "Only owners can create tokens: this need")


def test_no_token_manages_tokens_and_no_stranger() -> None:
    api = Api("organise")
    for method, path, body in (
        ("get", "tokens/", None), ("post", "tokens/", {"name": "x", "scope": "read"}), ("delete", "tokens/x/", None),
    ):  # fmt: skip
        assert api.call(method, path, body).status_code == 403
        assert Api().call(method, path, body).status_code == 401


def test_a_token_expires() -> None:
    api = signed_in("oscar", "owner")
    soon = timezone.now() + timedelta(hours=1)
    text = api.post("tokens/", {"name": "x", "scope": "read", "expires_at": soon.isoformat()}).data["token"]
    headers = {"Authorization": f"Bearer {text}"}
    assert Client().get("/api/v1/leagues/", headers=headers).status_code == 200
    Token.objects.update(expires_at=timezone.now())
    assert Client().get("/api/v1/leagues/", headers=headers).status_code == 401


def test_the_last_use_is_written_once_a_minute() -> None:
    api = Api("read")

    def writes() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api.get("leagues/").status_code == 200
        return sum(query["sql"].startswith("UPDATE") for query in queries.captured_queries)

    assert [writes(), writes()] == [1, 0]
    Token.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
    assert [writes(), writes()] == [1, 0]


def test_a_token_names_no_owner_and_changes_no_visibility() -> None:
    owner = signed_in("oscar", "owner")
    User.objects.create_user("mallory")
    made = owner.post("tokens/", {"name": "server-7", "scope": "organise", "leagues": ["club"]}).data
    server = Api()
    server.headers["Authorization"] = f"Bearer {made['token']}"
    for api in (server, Api("organise", name="of-the-site")):
        refused = api.put("leagues/club/members/mallory/", {"role": "owner"})
        assert (refused.status_code, "signed in" in refused.data["detail"]) == (403, True)
        refused = api.patch("leagues/club/", {"visibility": "private", "title": "Mine"})
        assert (refused.status_code, "signed in" in refused.data["detail"]) == (403, True)
        for refused in (
            api.put("leagues/club/members/oscar/", {"role": "recorder"}),
            api.call("delete", "leagues/club/members/oscar/"),
        ):
            assert (refused.status_code, "signed in" in refused.data["detail"]) == (403, True)
        assert api.patch("leagues/club/", {"visibility": "public", "min_games": 2}).status_code == 200
        assert api.put("leagues/club/members/mallory/", {"role": "recorder"}).status_code == 200
    assert owner.get("leagues/club/").data["title"] != "Mine"
    assert owner.patch("leagues/club/", {"visibility": "private"}).status_code == 200
    assert owner.put("leagues/club/members/mallory/", {"role": "owner"}).status_code == 200
