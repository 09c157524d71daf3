"""Who may do what: every writing endpoint by every role, in sessions and by tokens; private leagues are not there."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from league.core.accounts.services.members import format_role, remove_member, set_member
from league.core.accounts.services.tokens import make_token
from league.core.errors import Conflict, Forbidden, Invalid, NotFound, Refused
from league.core.games.services.record import correct_game, void_game
from league.core.leagues.services.leagues import change_league
from league.core.permissions import load_viewer_of_user, refuse_foreign
from league.core.players.services.players import change_player
from league.models import League, Membership, Player, RequestKey, Token
from league.web.api import urls
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import tables, utc
from tests.helpers.openapi_document import read_document
from tests.helpers.roles import ROLES, cross_with_roles, user_of
from tests.helpers.shared import built_once
from tests.helpers.tiers import mark_slow
from tests.helpers.writes import (
    ASKING,
    CLUB,
    HOOK,
    MONTH,
    OF_THE_SIGNED_IN,
    SHEET,
    WRITES,
    Write,
    build_club_of_writes,
    call,
)

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

#: Every operation by everybody; what each writes, the tests of its own ask on both databases.
SQLITE_IS_ENOUGH = pytest.mark.one_database("Who may do what are the same questions on both.")


built = built_once(build_club_of_writes)


def club(*, visibility: str = "public") -> League:
    """Return the league, as it stands; private where that is wanted."""
    league = League.objects.get(slug="club")
    if league.visibility != visibility:
        change_league(league.pk, {"visibility": visibility}, username="test")
    return League.objects.get(slug="club")


def signed_in(role: str) -> Api:
    """Return the API in the browser of somebody who is signed in."""
    api = Api()
    api.client.force_login(user_of(role))
    return api


def token_of(role: str, scope: str = "organise") -> Api:
    """Return the API with a token of the highest scope that somebody made."""
    token, text = make_token(f"{role}'s {scope}", scope)
    token.maker = user_of(role)
    token.save()
    api = Api()
    api.headers["Authorization"] = f"Bearer {text}"
    return api


#: In script/test sessions alone: a token does what its maker may, as tests of it hold below.
FACES = mark_slow([signed_in, token_of], "A token is asked as its maker is.", but=[signed_in])


@SQLITE_IS_ENOUGH
# Pytest numbers the cases of both lists together: with two faces, every fourth is one of the two roles at the limit.
@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(
    ("method", "path", "body", "least", "role"),
    cross_with_roles({f"{one.method} {one.path} {n}": (one[1:5], one.least) for n, one in enumerate(WRITES)}, ROLES),
)
def test_every_writing_endpoint_by_every_role(
    method: str, path: str, body: Any, least: str, role: str, face: Callable[[str], Api]
) -> None:
    api = face(role)
    allowed = ROLES.index(role) >= ROLES.index(least)
    before = {} if allowed else tables("Token")
    answer = call(api, method, path, body)
    if allowed:
        assert answer.status_code in (200, 201, 202, 204), answer.content
    else:
        assert (answer.status_code, answer.data["code"]) == (403, "forbidden")
        assert tables("Token") == before
    assert call(Api(), method, path, body).status_code == 401


def test_the_matrix_knows_every_writing_endpoint() -> None:
    writing = {
        pattern.name
        for pattern in urls.urlpatterns
        for view in [getattr(pattern.callback, "view_class", None)]
        if view is not None and any(hasattr(view, method) for method in ("post", "put", "patch", "delete"))
    }
    assert writing == {one.name for one in WRITES} | OF_THE_SIGNED_IN | ASKING


POSTS = [
    *((one.path, one.body) for one in WRITES if one.method == "post"),
    ("tokens/", {"name": "server-9", "scope": "read", "leagues": ["club"]}),
    (CLUB + "preview/", SHEET),
    (CLUB + "players/lookup/", {"players": ["anna"]}),
    (CLUB + "balance/", {"players": ["anna", "ben"]}),
    (CLUB + "balance/tables/", {"players": ["anna", "ben", "cleo"], "size": 3}),
]  # fmt: skip
#: What is read before its key: files, batches, and what is asked of competitions.
READ_FIRST = {
    r"games/import/": (415, "unsupported_media_type"),
    r"batch/|competitions/(import|open|next|played|regulated|box/fixtures/$)|seasons/may/(entries|draw)/": (
        400,
        "invalid",
    ),
}
#: The member of an answer that is shown once.
SECRETS = ("secret", "token")


@SQLITE_IS_ENOUGH
@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(("path", "body"), POSTS, ids=[path for path, _ in POSTS])
def test_every_post_is_done_once_for_a_key(path: str, body: Any) -> None:
    api = signed_in("staff")
    api.headers["Idempotency-Key"] = "k"
    first = call(api, "post", path, body)
    before, shown = tables(), first.content
    again = call(api, "post", path, body)
    assert first.status_code in (200, 201, 202), first.content
    assert (again.status_code, first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (
        first.status_code, None, "true",
    )  # fmt: skip
    assert tables() == before
    assert again.get("Location") == first.get("Location")
    (kept,) = RequestKey.objects.values_list("body", flat=True)
    for name in [name for name in SECRETS if first.data and first.data.get(name)]:
        assert (again.data[name], first.data[name] in kept) == ("", False)
        shown = first.content.replace(first.data[name].encode(), b"")
    assert again.content == shown
    other = call(api, "post", path, {"x": 1})
    expected = next((answer for part, answer in READ_FIRST.items() if re.search(part, path)), (422, "key_reused"))
    assert (other.status_code, other.data["code"]) == expected


@pytest.mark.slow("Generates the document.")
def test_the_keys_cover_every_post_and_the_document_names_them() -> None:
    names = {one.name for one in WRITES if one.method == "post"} | {"tokens", "preview", "lookup", "balance", "seating"}
    posting = {one.name for one in urls.urlpatterns if hasattr(getattr(one.callback, "view_class", None), "post")}
    assert posting == names
    parameters = {
        (method, address): {one["name"] for one in operation.get("parameters", [])}
        for address, path in read_document()["paths"].items()
        for method, operation in path.items()
        if method != "parameters"
    }
    keyed = {one for one, names in parameters.items() if "Idempotency-Key" in names}
    assert keyed == {(method, address) for method, address in parameters if method == "post"}
    dry = {address for (_, address), names in parameters.items() if "dry_run" in names}
    assert {resolve(f"/api/v1/{one.path.split('?')[0]}").route for one in WRITES if one.dry} == {
        resolve(re.sub(r"\{number\}", "1", address).replace("{", "").replace("}", "")).route for address in dry
    }


@SQLITE_IS_ENOUGH
@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("write", [one for one in WRITES if one.dry], ids=lambda one: f"{one.path}-{one.least}")
def test_every_dry_run_is_for_whom_the_write_is_and_writes_nothing(write: Write) -> None:
    path = write.path + ("&" if "?" in write.path else "?") + "dry_run=true"
    below = signed_in(ROLES[ROLES.index(write.least) - 1])
    assert call(below, write.method, path, write.body).status_code == 403
    api = signed_in(write.least)
    api.headers["Idempotency-Key"] = "k"
    before = tables()
    told = call(api, write.method, path, write.body)
    assert told.status_code == 200, told.content
    assert tables() == before
    assert call(api, write.method, write.path, write.body).status_code in (200, 201)


@SQLITE_IS_ENOUGH
@pytest.mark.parametrize("write", WRITES, ids=lambda one: f"{one.method} {one.path}-{one.least}")
def test_a_token_that_only_reads_writes_nothing(write: Write) -> None:
    answer = call(token_of("staff", "read"), write.method, write.path, write.body)
    assert (answer.status_code, answer.data["code"]) == (403, "forbidden")


@pytest.mark.parametrize(("scope", "code"), [("read", 403), ("record", 201), ("organise", 201)])
def test_a_token_does_no_more_than_its_scope(scope: str, code: int) -> None:
    assert token_of("owner", scope).post(CLUB + "games/", SHEET).status_code == code
    assert (token_of("staff", scope).patch(CLUB, {"title": "X"}).status_code == 200) == (scope == "organise")


def test_a_token_does_what_its_maker_may_now() -> None:
    league = club()
    api = token_of("organiser")
    assert api.post(CLUB + "games/1/void/", {"reason": "x"}).status_code == 200
    set_member(league.pk, "olga", "recorder")
    assert api.patch(MONTH, {"title": "X"}).status_code == 403
    assert api.post(CLUB + "games/", SHEET).status_code == 201
    remove_member(league.pk, "olga")
    assert api.post(CLUB + "games/", {**SHEET, "note": "again"}).status_code == 403
    User.objects.filter(username="olga").update(is_active=False)
    assert api.get(CLUB).status_code == 401
    User.objects.filter(username="olga").delete()
    assert not Token.objects.exists()


def test_a_token_of_one_league_does_nothing_in_another() -> None:
    league, other = club(), make_league(slug="other")
    set_member(other.pk, "oscar", "owner")
    token, text = make_token("limited", "organise", leagues=[league])
    token.maker = user_of("owner")
    token.save()
    api = Api()
    api.headers["Authorization"] = f"Bearer {text}"
    assert api.patch(CLUB, {"title": "X"}).status_code == 200
    sentence = api.patch("leagues/other/", {"title": "X"}).data["detail"]
    assert sentence == "This needs the scope “organise” for the league other, which “limited” does not have."
    assert api.post("players/", {"handle": "zoe"}).status_code == 403


def test_a_role_that_is_missing_is_named() -> None:
    sentence = signed_in("recorder").patch(CLUB, {"title": "X"}).data["detail"]
    assert sentence == "This needs the role “owner” in the league club, which “rita” does not have."
    sentence = signed_in("nobody").post("players/", {"handle": "zoe"}).data["detail"]
    assert sentence == "This needs the role “recorder” in a league, which “otto” does not have."
    sentence = signed_in("owner").post("leagues/", {"slug": "new", "title": "New"}).data["detail"]
    assert sentence == "Only the site's staff can create leagues; “oscar” cannot."


def test_every_role_has_its_word_and_its_refusal() -> None:
    assert [format_role(role) for role in ROLES[1:-1]] == ["recorder", "arbiter", "organiser", "owner"]
    with pytest.raises(Forbidden, match="of which “rita” is not an arbiter"):
        refuse_foreign(load_viewer_of_user(user_of("recorder")), [club()], "arbitrate")


def test_who_makes_a_league_becomes_its_owner() -> None:
    founder = User.objects.create_user("fred")
    founder.user_permissions.add(Permission.objects.get(codename="add_league"))
    api = Api()
    api.client.force_login(founder)
    assert api.post("leagues/", {"slug": "new", "title": "New"}).status_code == 201
    assert api.get("leagues/new/members/").data["results"] == [{"user": "fred", "role": "owner"}]
    assert api.patch("leagues/new/", {"title": "Newer"}).status_code == 200
    assert api.patch(CLUB, {"title": "X"}).status_code == 403


PRIVATE = [
    ("get", CLUB, None), ("get", CLUB + "games/", None), ("get", CLUB + "members/", None),
    ("get", CLUB + "changes/", None), ("get", CLUB + "export/", None), ("get", CLUB + "export/?format=csv", None),
    ("get", CLUB + "webhooks/", None), ("get", HOOK, None), ("get", HOOK + "deliveries/", None),
    *[(one.method, one.path, one.body) for one in WRITES if one.path.startswith(CLUB)],
]  # fmt: skip


@SQLITE_IS_ENOUGH
@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(("method", "path", "body"), PRIVATE, ids=[f"{one[0]} {one[1]}" for one in PRIVATE])
@pytest.mark.parametrize(
    "who", mark_slow(["stranger", "nobody", "token"], "Selectors decide for all faces.", but=["nobody"])
)
def test_a_private_league_answers_as_one_that_is_not_there(who: str, method: str, path: str, body: Any) -> None:
    club(visibility="private")
    faces: dict[str, Callable[[], Api]] = {
        "stranger": Api, "nobody": lambda: signed_in("nobody"), "token": lambda: token_of("nobody"),
    }  # fmt: skip
    api = faces[who]()
    api.get("systems/")  # a token's use is noted once a minute
    answers = []
    for address in (path, path.replace("club", "nada")):
        with CaptureQueriesContext(connection) as queries:
            answer = api.call(method, address, body)
        answers.append((answer.status_code, answer.content.replace(b"nada", b"club"), len(queries)))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


def test_a_private_league_is_there_for_its_members() -> None:
    club(visibility="private")
    assert signed_in("nobody").get("leagues/").data["results"] == []
    for role in ROLES[1:]:
        assert signed_in(role).get(CLUB).status_code == 200
        assert [one["slug"] for one in token_of(role, "read").get("leagues/").data["results"]] == ["club"]
    browser = Client()
    assert browser.get("/leagues/club/").status_code == 404
    browser.force_login(user_of("recorder"))
    assert browser.get("/leagues/club/").status_code == 200


@pytest.mark.parametrize("face", [signed_in, token_of])
def test_a_league_is_exported_to_everybody_with_other_spellings_for_organisers(face: Callable[[str], Api]) -> None:
    change_player(Player.objects.get(handle="anna"), aliases=["Annie"])
    for role in ROLES:
        api = face(role)
        assert api.get(CLUB + "changes/").status_code == 200
        answer = api.get(CLUB + "export/")
        assert answer.status_code == 200
        told = b"".join(answer.streaming_content)
        assert (b"Annie" in told) == (role not in ("nobody", "recorder", "arbiter"))
        assert b"rita" not in told  # members are accounts of this site


def test_a_merge_needs_every_league_concerned_and_names_no_private_one() -> None:
    for slug, visibility, words in (("secret", "private", "another league"), ("open", "public", "the league open")):
        other = make_league(slug=slug, visibility=visibility)
        record(other, sheet(("dan", "anna"), (1, 0)))
        api = signed_in("organiser")
        for query in ("", "?dry_run=true"):
            answer = api.post(f"players/dan/merge/{query}", {"into": "cleo"})
            assert (answer.status_code, answer.data["detail"]) == (
                403,
                f"This also changes {words}, of which “olga” is not an organiser.",
            )
        set_member(other.pk, "olga", "organiser")
    assert signed_in("organiser").post("players/dan/merge/", {"into": "cleo"}).status_code == 200


def test_members_are_listed_given_roles_and_dismissed() -> None:
    api = signed_in("owner")
    assert api.put(CLUB + "members/otto/", {"role": "organiser"}).data == {"user": "otto", "role": "organiser"}
    assert api.call("delete", CLUB + "members/rita/").status_code == 204
    assert api.get(CLUB + "members/").data == {
        "results": [
            {"user": "arne", "role": "arbiter"},
            {"user": "olga", "role": "organiser"},
            {"user": "oscar", "role": "owner"},
            {"user": "otto", "role": "organiser"},
        ],
        "next": None,
        "total": 4,
    }
    assert api.call("delete", CLUB + "members/rita/").status_code == 404
    refused = api.put(CLUB + "members/xaver/", {"role": "owner"})
    assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (422, "/user")
    assert api.put(CLUB + "members/otto/", {"role": "king"}).status_code == 400
    assert signed_in("organiser").get(CLUB + "members/").status_code == 403


def test_the_last_owner_stays() -> None:
    league = club()
    api = signed_in("owner")
    for answer in (api.call("delete", CLUB + "members/oscar/"), api.put(CLUB + "members/oscar/", {"role": "recorder"})):
        assert (answer.status_code, answer.data["errors"][0]["code"]) == (409, "last_owner")
    assert api.put(CLUB + "members/oscar/", {"role": "owner"}).status_code == 200
    set_member(league.pk, "otto", "owner")
    assert api.call("delete", CLUB + "members/oscar/").status_code == 204
    with pytest.raises(Conflict, match="“otto” is the last owner of Club"):
        remove_member(league.pk, "otto")


def test_members_are_refused_with_sentences() -> None:
    league = club()
    with pytest.raises(Invalid, match="A role is one of: recorder, arbiter, organiser, owner"):
        set_member(league.pk, "otto", "king")
    with pytest.raises(Refused, match="There is no user “no\0body”"):
        set_member(league.pk, "no\0body", "owner")
    with pytest.raises(NotFound, match="is not a member of the league Club"):
        remove_member(league.pk, "no\0body")
    assert Membership.objects.count() == 4


def test_a_members_question_costs_so_many_queries(django_assert_num_queries: Any) -> None:
    for number in range(3):
        token, _ = make_token(f"t{number}", "read")
        Token.objects.filter(pk=token.pk).update(maker=user_of("owner"))
    api = signed_in("owner")
    for path in ("leagues/", CLUB + "members/", "tokens/"):
        with django_assert_num_queries(5):
            assert api.get(path).status_code == 200


def test_restoring_into_a_closed_period_is_the_organisers() -> None:
    league = club()
    void_game(league.pk, 1, reason="a friendly", username="olga")
    refused = token_of("recorder").post(CLUB + "games/1/restore/", {"reason": "right after all"})
    assert (refused.status_code, "is closed" in refused.data["detail"]) == (403, True)
    assert token_of("organiser").post(CLUB + "games/1/restore/", {"reason": "right after all"}).status_code == 201


def test_restoring_takes_the_organiser_also_where_what_is_voided_for_it_lies_in_a_closed_period() -> None:
    league = club()
    moved = sheet(("dan", "ben"), (1, 0), played_at=utc("2024-03-06"))
    correct_game(league.pk, 3, moved, reason="the day", username="olga")
    refused = token_of("recorder").post(CLUB + "games/3/restore/", {"reason": "May after all"})
    assert (refused.status_code, "is closed" in refused.data["detail"]) == (403, True)
    assert token_of("organiser").post(CLUB + "games/3/restore/", {"reason": "May after all"}).status_code == 201
