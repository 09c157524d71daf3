"""What the API refuses, how it says so, and that nothing was written."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.exceptions import ValidationError

from league.core.accounts.services.tokens import make_token, revoke_token
from league.models import Game, League, Token
from league.web.api.core.inputs import JsonNumberField, JsonTextField
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db


def problem(answer: Any, status: int, code: str) -> list[tuple[str, str]]:
    """Check that an answer is a problem document; return pointer and code of each error."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.data
    assert set(body) == {"type", "title", "status", "code", "detail", "errors"}
    assert (body["status"], body["code"]) == (status, code)
    assert body["detail"]
    return [(error["pointer"], error["code"]) for error in body["errors"]]


def test_bodies_that_are_no_sane_json_object_are_refused() -> None:
    make_league()
    api = Api("record")
    for text in (
        '{"results": [{"player": "anna", "score": NaN}]}',
        '{"results": [{"player": "anna", "score": 1e400}]}',
        '{"results": [{"player": "anna", "score": -Infinity}]}',
        '{"results": [{"player": "anna", "score": ' + "9" * 5000 + "}]}",
        '{"note": "a", "note": "b"}',
        '{"note": "a\\u0000b"}',
        '{"note": "\\ud800"}',
        "[" * 30 + "]" * 30,
        "[]",
        "",
        "{",
        '"\\"[[[["',
        "null",
        b"\xff\xfe{}",
    ):
        problem(api.post_file("leagues/club/games/", text, "application/json"), 400, "invalid")
    assert not Game.objects.exists()


def test_malformed_parameters_are_refused_and_what_is_not_there_is_a_problem_document() -> None:
    make_league()
    for path in (
        "leagues/club/leaderboard/?limit=abc",
        "leagues/club/leaderboard/?limit=0",
        "leagues/club/leaderboard/?limit=9223372036854775808",
        "leagues/club/leaderboard/?limit=5&limit=6",
        "leagues/club/leaderboard/?at=March",
        "leagues/club/leaderboard/?after=abc",
        "leagues/club/leaderboard/?after=WzEsMl0",
        "leagues/club/leaderboard/?after=W05hTiwgMS4wLCAiYSJd",
        "leagues/club/leaderboard/?active_since=yesterday",
        "leagues/club/leaderboard/?min_games=-1",
        "leagues/club/games/?cursor=" + "W" * 600,
        "leagues/club/games/?from=2024-13-45",
        "leagues/club/games/?from=0001-01-01T00:00:00%2B14:00",
        "leagues/club/games/?status=maybe",
        "leagues/club/games/?player=",
        "leagues/club/games/?player=a%00b",
        "leagues/club/games/1/?verbose=1",
        "players/?cursor=bm90IGpzb24",
    ):
        problem(Api().get(path), 400, "invalid")
    for path in (
        "leagues/none/",
        "leagues/club/games/4711/",
        "leagues/club/games/99999999999999999999/",
        "leagues/club/players/zoe/",
        "leagues/club/games/?player=zoe",
        "systems/chess/",
        "players/zoe/",
        "nothing/here",
        "leagues/club/games/x/",
    ):
        problem(Api().get(path), 404, "not_found")
    excluded = Api().get("leagues/club/leaderboard/?around=anna&after=WzEuMCwgMS4wLCAiYSJd")
    assert (excluded.status_code, excluded.data["errors"][0]["pointer"]) == (400, "?after")


def test_a_method_that_an_address_does_not_know_is_refused() -> None:
    problem(Api().call("delete", "leagues/"), 405, "method_not_allowed")


def test_tokens_that_are_wrong_expired_or_revoked_do_not_let_in() -> None:
    make_league()
    _, expired = make_token("old", "read", expires_at=timezone.now() - timedelta(seconds=1))
    _, revoked = make_token("ended", "read")
    revoke_token("ended")
    _, good = make_token("good", "read")
    for text in (expired, revoked, good[:-1] + "x", "rungs_x", "abc", "rungs_\u00e4_x", good + " more"):
        answer = Api().get("leagues/", Authorization=f"Bearer {text}")
        problem(answer, 401, "unauthenticated")
        assert answer["WWW-Authenticate"].startswith("Bearer")
    assert Api().get("leagues/", Authorization=f"Bearer {good}").status_code == 200
    token = Token.objects.get(name="good")
    assert token.last_used_at is not None
    assert good not in (token.prefix, token.digest)


def test_the_session_of_staff_writes_with_csrf_and_others_only_read() -> None:
    make_league()
    api, sheet = Api(), game(("anna", 1), ("ben", 0))
    api.client.force_login(User.objects.create_superuser("olga"))
    api.client.handler.enforce_csrf_checks = True
    problem(api.post("leagues/club/games/", sheet), 403, "forbidden")
    api.client.handler.enforce_csrf_checks = False
    answer = api.post("leagues/club/games/", sheet)
    assert (answer.status_code, answer.data["recorded_by"]) == (201, "olga")
    api.client.force_login(User.objects.create_user("ben"))
    assert api.post("leagues/club/games/", sheet).status_code == 403


def test_settings_rules_and_players_are_refused_with_pointers() -> None:
    make_league()
    api = Api("organise")
    bad_rule = {"system": "elo", "parameters": {"k": -1}}
    for method, path, body, status, pointer, code in (
        ("post", "leagues/", {"slug": "club", "title": "Again"}, 409, "/slug", "taken"),
        ("post", "leagues/", {"slug": "x", "title": "X", "rule": bad_rule}, 400, "/rule/parameters/k", "invalid"),
        ("post", "leagues/", {"slug": "x"}, 400, "/title", "required"),
        ("patch", "leagues/club/", {"time_zone": "Mars"}, 400, "/time_zone", "unknown_time_zone"),
        ("patch", "leagues/club/", {"min_games": True}, 400, "/min_games", "not_whole"),
        ("post", "leagues/club/rules/", {"system": "bridge"}, 400, "/system", "unknown_system"),
        ("post", "leagues/club/rules/", {"system": "elo", "start": "anew"}, 422, "/start", "same_system"),
        ("post", "players/", {"handle": "ANNA"}, 409, "/handle", "taken"),
        ("post", "players/", {"handle": "a b", "name": 5}, 400, "/name", "not_a_text"),
        ("put", "leagues/club/players/anna/", {"initial_rating": 1e7}, 422, "/initial_rating", "out_of_bounds"),
    ):
        word = {400: "invalid", 409: "conflict", 422: "refused"}[status]
        assert problem(api.call(method, path, body), status, word) == [(pointer, code)]
    assert League.objects.count() == 1


def test_writing_to_an_address_that_is_none_is_a_problem_document_without_a_token_of_forms() -> None:
    """Found by tests/fuzz: Django's page about CSRF answered, in HTML. Its own test client asks for no such token."""
    make_league()
    api = Api()
    api.client.handler.enforce_csrf_checks = True
    for path in ("leagues/club/games/x/void/", "leagues/club/gamez/", "nothing/"):
        problem(api.post(path, {"reason": "."}), 404, "not_found")


def test_a_dry_run_with_a_key_that_is_none_is_refused_as_the_real_run_is() -> None:
    """Found by tests/fuzz: the dry run was answered, and the same request without it refused."""
    make_league()
    api = Api("record")
    api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    for path in ("void/", "void/?dry_run=true"):
        answer = api.post(f"leagues/club/games/1/{path}", {"reason": "."}, **{"Idempotency-Key": 'a"b'})
        assert (answer.status_code, answer.data["detail"][:15]) == (400, "Idempotency-Key"), path


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ("  abcd ", "abcd"),
        ("Zoë", "Zoë"),
        ("a\tb", "a\tb"),
        ("abcde", "max_length"),
        ("", "blank"),
        (" \n", "blank"),
        ("a\0", "null_characters_not_allowed"),
        ("a\ud800", "surrogate_characters_not_allowed"),
        (5, "not_a_text"),
        (None, "null"),
    ],
)
def test_a_text_is_taken_without_what_stands_around_it_or_refused(sent: Any, found: str) -> None:
    assert read_or_refused(JsonTextField(max_length=4), sent) == found


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (3, 3.0),
        (-0.25, -0.25),
        (True, "not_a_number"),
        ("3", "not_a_number"),
        (float("nan"), "not_a_number"),
        (11, "max_value"),
        (None, "null"),
    ],
)
def test_a_number_is_taken_as_a_float_or_refused(sent: Any, found: Any) -> None:
    taken = read_or_refused(JsonNumberField(max_value=10), sent)
    assert (taken, type(taken)) == (found, type(found))
    if found != "max_value":
        assert read_or_refused(JsonNumberField(), sent) == found


def read_or_refused(field: JsonTextField | JsonNumberField, sent: Any) -> Any:
    """Return what a field makes of a value, or the code of its refusal."""
    try:
        return field.run_validation(sent)
    except ValidationError as error:
        codes = error.get_codes()
        assert isinstance(codes, list)
        return codes[0]
