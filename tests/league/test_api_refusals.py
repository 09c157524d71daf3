"""What the API refuses, how it says so, and that nothing was written."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rest_framework.exceptions import ValidationError

from league.api.core.inputs import Number, Text
from league.models import Game, League, Player, RatingChange, Result, Token
from league.services.accounts.tokens import make_token, revoke_token
from tests.helpers.api_client import Api, game, placed
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db


def written() -> list[int]:
    """Return how many rows stand in the tables."""
    return [model.objects.count() for model in (League, Player, Game, Result, RatingChange)]


def problem(answer: Any, status: int, code: str) -> list[tuple[str, str]]:
    """Check that an answer is a problem document; return pointer and code of each error."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.data
    assert set(body) == {"type", "title", "status", "code", "detail", "errors"}
    assert (body["status"], body["code"]) == (status, code)
    assert body["detail"]
    return [(error["pointer"], error["code"]) for error in body["errors"]]


SHEETS: dict[str, tuple[str, dict[str, Any], int, list[tuple[str, str]]]] = {
    "an unknown player": ("elo", game(("anna", 1), ("zoe", 0)), 422, [("/results/1/player", "unknown_player")]),
    "one player of four": ("barbu", game(("anna", 1), ("ben", 0)), 422, [("/results", "players")]),
    "a player twice": ("elo", game(("anna", 1), ("anna", 0)), 422, [("/results/1/player", "twice")]),
    "a missing score": ("serpentine", placed("anna", "ben"), 422, [
        ("/results/0/score", "missing"), ("/results/1/score", "missing"),
    ]),
    "an absurd score": ("elo", game(("anna", 1e12), ("ben", 0)), 422, [("/results/0/score", "out_of_bounds")]),
    "a tie in Durak": ("durak", {**placed("anna", "ben"), "results": [
        {"player": "anna", "place": 1}, {"player": "ben", "place": 1}]}, 422, [("/results/1/place", "tie")]),
    "bula zero": ("preferans", game(("anna", 1), ("ben", 0), ("cleo", 2), details={"bula": 0}), 422, [
        ("/details/bula", "out_of_bounds"),
    ]),
    "bula as text": ("preferans", game(("anna", 1), ("ben", 0), ("cleo", 2), details={"bula": "30"}), 422, [
        ("/details/bula", "not_a_number"),
    ]),
    "the far future": ("elo", game(("anna", 1), ("ben", 0), played_at="2090-01-01T00:00:00Z"), 422, [
        ("/played_at", "future"),
    ]),
    "a time without offset": ("elo", game(("anna", 1), ("ben", 0), played_at="2024-01-01T00:00:00"), 400, [
        ("/played_at", "no_offset"),
    ]),
    "a number for a time": ("elo", game(("anna", 1), ("ben", 0), played_at=5), 400, [("/played_at", "not_a_time")]),
    "a score as text": ("elo", {**game(("ben", 1)), "results": [
        {"player": "anna", "score": "1"}, {"player": "ben", "score": True}]}, 400, [
        ("/results/0/score", "not_a_number"), ("/results/1/score", "not_a_number")]),
    "half a place": ("durak", {**game(), "results": [{"player": "anna", "place": 1.5}]}, 400, [
        ("/results/0/place", "not_whole"),
    ]),
    "no results": ("elo", game(), 400, [("/results", "players")]),
    "results left out": ("elo", {}, 400, [("/results", "missing")]),
    "a misspelt field": ("elo", game(("anna", 1), ("ben", 0), extrenal_id="1"), 400, [("/extrenal_id", "unknown")]),
    "a misspelt result": ("elo", {**game(), "results": [{"player": "anna", "scroe": 1}]}, 400, [
        ("/results/0/scroe", "unknown"),
    ]),
    "a read-only field": ("elo", game(("anna", 1), ("ben", 0), recorded_by="root"), 400, [("/recorded_by", "unknown")]),
    "an unknown kind": ("elo", game(("anna", 1), ("ben", 0), kind="x"), 400, [("/kind", "unknown_kind")]),
    "two results of a bye": ("elo", game(("anna", 1), ("ben", 0), kind="half_bye"), 422, [("/results", "players")]),
    "an absurd bye": ("elo", game(("anna", 1e12), kind="full_bye", details={"table": "one"}), 422, [
        ("/results/0/score", "out_of_bounds"), ("/details/table", "not_a_number"),
    ]),
    "a far place of a forfeit": ("elo", {**placed("anna"), "kind": "forfeit", "results": [
        {"player": "anna", "place": 10**9}]}, 422, [("/results/0/place", "out_of_bounds")]),
    "a thousand results": ("elo", game(*[(f"p{n}", 1.0) for n in range(1000)]), 400, [("/results", "players")]),
}  # fmt: skip


@pytest.mark.parametrize("what", SHEETS)
def test_a_bad_sheet_is_refused_with_pointers_and_nothing_is_written(what: str) -> None:
    system, sheet, status, errors = SHEETS[what]
    make_league(system)
    api = Api("record")
    before = written()
    answer = api.post("leagues/club/games/", sheet)
    assert problem(answer, status, "refused" if status == 422 else "invalid") == errors
    assert written() == before


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_bodies_that_are_no_sane_json_object_are_refused(text: str | bytes) -> None:
    make_league()
    api = Api("record")
    answer: Any = api.client.post(
        "/api/v1/leagues/club/games/", text, content_type="application/json", headers=api.headers
    )
    answer.data = json.loads(answer.content)
    problem(answer, 400, "invalid")


def test_a_body_that_is_too_large_is_refused() -> None:
    make_league()
    answer = Api("record").post("leagues/club/games/", {"note": "x" * 2_600_000})
    problem(answer, 413, "too_large")


def test_another_media_type_is_refused() -> None:
    make_league()
    api = Api("record")
    answer: Any = api.client.post(
        "/api/v1/leagues/club/games/", "<game/>", content_type="application/xml", headers=api.headers
    )
    answer.data = json.loads(answer.content)
    problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    "path",
    [
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
    ],
)
def test_malformed_parameters_are_refused(path: str) -> None:
    make_league()
    answer = Api().get(path)
    problem(answer, 400, "invalid")


@pytest.mark.parametrize(
    "path",
    [
        "leagues/none/",
        "leagues/club/games/4711/",
        "leagues/club/games/99999999999999999999/",
        "leagues/club/players/zoe/",
        "leagues/club/games/?player=zoe",
        "systems/chess/",
        "players/zoe/",
        "nothing/here",
        "leagues/club/games/x/",
    ],
)
def test_what_is_not_there_is_a_problem_document(path: str) -> None:
    make_league()
    problem(Api().get(path), 404, "not_found")


def test_a_method_that_an_address_does_not_know_is_refused() -> None:
    problem(Api().call("delete", "leagues/"), 405, "method_not_allowed")


def test_writing_needs_a_token() -> None:
    make_league()
    answer = Api().post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    problem(answer, 401, "unauthenticated")
    assert answer["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    ("scope", "path", "body", "status"),
    [
        ("read", "leagues/club/games/", game(("anna", 1), ("ben", 0)), 403),
        ("record", "leagues/club/rules/", {"system": "elo"}, 403),
        ("record", "leagues/", {"slug": "x", "title": "X"}, 403),
        ("read", "players/", {"handle": "zoe"}, 403),
        ("organise", "leagues/club/games/", game(("anna", 1), ("ben", 0)), 201),
    ],
)
def test_each_scope_includes_the_ones_below_and_no_more(
    scope: str, path: str, body: dict[str, Any], status: int
) -> None:
    make_league()
    answer = Api(scope).post(path, body)
    assert answer.status_code == status
    if status == 403:
        problem(answer, 403, "forbidden")
        assert "scope" in answer.data["detail"]


def test_a_token_for_one_league_writes_there_only_and_makes_no_league() -> None:
    own, other = make_league(), make_league(slug="other")
    api = Api("organise", (own,))
    sheet = game(("anna", 1), ("ben", 0))
    assert api.post("leagues/club/games/", sheet).status_code == 201
    problem(api.post("leagues/other/games/", sheet), 403, "forbidden")
    problem(api.post("leagues/", {"slug": "x", "title": "X"}), 403, "forbidden")
    assert not Game.objects.filter(league=other).exists()


def test_a_private_league_is_not_there_for_strangers() -> None:
    own, secret = make_league(), make_league(slug="secret", visibility="private")
    sheet = game(("anna", 1), ("ben", 0))
    for api in (Api(), Api("organise", (own,))):
        for path in ("leagues/secret/", "leagues/secret/leaderboard/", "leagues/secret/games/"):
            problem(api.get(path), 404, "not_found")
        problem(api.post("leagues/secret/games/", sheet), 404, "not_found")
        assert [entry["slug"] for entry in api.get("leagues/").data["results"]] == ["club"]
    insider = Api("record", (secret,), name="insider")
    assert insider.post("leagues/secret/games/", sheet).status_code == 201
    assert insider.get("leagues/secret/leaderboard/").status_code == 200


def test_tokens_that_are_wrong_expired_or_revoked_do_not_let_in() -> None:
    make_league()
    _, expired = make_token("old", "read", expires_at=timezone.now() - timedelta(seconds=1))
    _, revoked = make_token("ended", "read")
    revoke_token("ended")
    _, good = make_token("good", "read")
    for text in (expired, revoked, good[:-1] + "x", "rungs_x", "abc", "rungs_\u00e4_x", good + " more"):
        answer: Any = Client().get("/api/v1/leagues/", headers={"Authorization": f"Bearer {text}"})
        answer.data = json.loads(answer.content)
        problem(answer, 401, "unauthenticated")
    assert Client().get("/api/v1/leagues/", headers={"Authorization": f"Bearer {good}"}).status_code == 200
    token = Token.objects.get(name="good")
    assert token.last_used_at is not None
    assert good not in (token.prefix, token.digest)


def test_the_session_of_staff_writes_with_csrf_and_others_only_read() -> None:
    make_league()
    staff = User.objects.create_superuser("olga")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(staff)
    sheet = game(("anna", 1), ("ben", 0))
    refused: Any = browser.post("/api/v1/leagues/club/games/", sheet, content_type="application/json")
    refused.data = json.loads(refused.content)
    problem(refused, 403, "forbidden")
    calm = Client()
    calm.force_login(staff)
    answer = calm.post("/api/v1/leagues/club/games/", sheet, content_type="application/json")
    assert (answer.status_code, answer.json()["recorded_by"]) == (201, "olga")
    calm.force_login(User.objects.create_user("ben"))
    assert calm.post("/api/v1/leagues/club/games/", sheet, content_type="application/json").status_code == 403


def test_settings_rules_and_players_are_refused_with_pointers() -> None:
    make_league()
    api = Api("organise")
    assert problem(api.post("leagues/", {"slug": "club", "title": "Again"}), 409, "conflict") == [("/slug", "taken")]
    bad = {"slug": "x", "title": "X", "rule": {"system": "elo", "parameters": {"k": -1}}}
    assert problem(api.post("leagues/", bad), 400, "invalid") == [("/rule/parameters/k", "invalid")]
    assert problem(api.post("leagues/", {"slug": "x"}), 400, "invalid") == [("/title", "required")]
    assert problem(api.patch("leagues/club/", {"time_zone": "Mars"}), 400, "invalid") == [
        ("/time_zone", "unknown_time_zone")
    ]
    assert problem(api.patch("leagues/club/", {"min_games": True}), 400, "invalid") == [("/min_games", "not_whole")]
    assert problem(api.post("leagues/club/rules/", {"system": "bridge"}), 400, "invalid") == [
        ("/system", "unknown_system")
    ]
    assert problem(api.post("leagues/club/rules/", {"system": "durak"}), 422, "refused") == [
        ("/system", "other_system")
    ]
    assert problem(api.post("players/", {"handle": "ANNA"}), 409, "conflict") == [("/handle", "taken")]
    assert problem(api.post("players/", {"handle": "a b", "name": 5}), 400, "invalid") == [("/name", "not_a_text")]
    assert problem(api.put("leagues/club/players/anna/", {"initial_rating": 1e7}), 422, "refused") == [
        ("/initial_rating", "out_of_bounds")
    ]
    assert League.objects.count() == 1


def test_writing_to_an_address_that_is_none_is_a_problem_document_without_a_token_of_forms() -> None:
    """Found by tests/fuzz: Django's page about CSRF answered, in HTML. Its own test client asks for no such token."""
    make_league()
    client = Client(enforce_csrf_checks=True)
    for path in ("leagues/club/games/x/void/", "leagues/club/gamez/", "nothing/"):
        answer = client.post(f"/api/v1/{path}", {"reason": "."}, content_type="application/json")
        assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_a_dry_run_with_a_key_that_is_none_is_refused_as_the_real_run_is() -> None:
    """Found by tests/fuzz: the dry run was answered, and the same request without it refused."""
    make_league()
    api = Api("record")
    api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    for path in ("void/", "void/?dry_run=true"):
        answer = api.post(f"leagues/club/games/1/{path}", {"reason": "."}, **{"Idempotency-Key": 'a"b'})
        assert (answer.status_code, answer.data["detail"][:15]) == (400, "Idempotency-Key"), path


def test_parameters_that_exclude_each_other_are_pointed_at() -> None:
    make_league()
    answer = Api().get("leagues/club/leaderboard/?around=anna&after=WzEuMCwgMS4wLCAiYSJd")
    assert (answer.status_code, answer.data["errors"][0]["pointer"]) == (400, "?after")


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
    assert read_or_refused(Text(max_length=4), sent) == found


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
    taken = read_or_refused(Number(max_value=10), sent)
    assert (taken, type(taken)) == (found, type(found))
    if found != "max_value":
        assert read_or_refused(Number(), sent) == found


def read_or_refused(field: Text | Number, sent: Any) -> Any:
    """Return what a field makes of a value, or the code of its refusal."""
    try:
        return field.run_validation(sent)
    except ValidationError as error:
        codes = error.get_codes()
        assert isinstance(codes, list)
        return codes[0]
