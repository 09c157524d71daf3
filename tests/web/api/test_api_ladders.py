"""Ladders over HTTP: made, closed, asked about, published again; who may what; pages; fixed query counts."""

import hashlib
import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.players.services.players import add_player
from league.models import League
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder, tables
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

LADDERS = "leagues/club/ladders/"
MARCH = f"{LADDERS}month/periods/2024-03/"
HTTP = "http://testserver/api/v1/"
WIN: dict[str, Any] = {"win": 3, "draw": 1}
#: What a rule stores of it: every parameter.
WHOLE = {"count": "outcomes", **WIN, "loss": 0, "ties": "break", "minimum": 1, "winner": "highest"}


def duel_body(winner: str, loser: str, when: str, **more: Any) -> dict[str, Any]:
    """Return a game of two as it is sent."""
    return game((winner, 1), (loser, 0), **{"played_at": when, **more})


def club(**settings: Any) -> League:
    """Return a league with a monthly ladder and two games in March."""
    league = make_league(**settings)
    make_ladder(league, **WIN)
    record(league, duel("anna", "ben", "2024-03-05"))
    record(league, duel("ben", "cleo", "2024-03-06"))
    return league


def told(answer: Any) -> list[tuple[Any, ...]]:
    """Return rank, player and score of every line of an answer."""
    assert answer.status_code == 200, answer.data
    return [(row["rank"], row["player"], row["score"]) for row in answer.data["standings"]]


def problem(answer: Any) -> tuple[int, str, str]:
    """Return status, code and sentence of a problem document."""
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.data["detail"].endswith(".")
    return answer.status_code, answer.data["code"], answer.data["detail"]


@long_way
def test_the_whole_evening() -> None:
    api = Api("organise")
    rule = {"system": "elo", "parameters": {"k": 32}}
    api.post("leagues/", {"slug": "club", "title": "Club", "time_zone": "Europe/Paris", "rule": rule})
    for handle in ("anna", "ben", "cleo"):
        assert api.post("players/", {"handle": handle}).status_code == 201
    made = api.post(
        LADDERS, {"slug": "month", "title": "Month", "method": "points", "cadence": "month", "parameters": WIN}
    )
    assert (made.status_code, made["Location"]) == (201, f"{HTTP}{LADDERS}month/")
    assert made.data == {
        "slug": "month", "title": "Month", "league": "club", "method": "points", "cadence": "month",
        "parameters": WHOLE, "ended_on": None, "url": f"{HTTP}{LADDERS}month/",
        "rules": [{"from": "1800-01-01", "to": None, "method": "points", "cadence": "month", "parameters": WHOLE}],
    }  # fmt: skip
    assert api.get(LADDERS).data == {"results": [made.data], "next": None, "total": 1}
    assert api.get(f"{LADDERS}month/").data == made.data
    api.post("leagues/club/games/", duel_body("anna", "ben", "2024-03-05T19:00:00Z"))
    api.post("leagues/club/games/", duel_body("cleo", "ben", "2024-03-31T22:00:00Z"))
    answer = api.get(MARCH)
    assert told(answer) == [(1, "anna", 3.0), (2, "ben", 0.0)]
    assert (answer.data["status"], answer.data["edition"], answer.data["awaits_decision"]) == ("open", None, False)
    assert (answer.data["starts_at"], answer.data["ends_at"]) == ("2024-02-29T23:00:00Z", "2024-03-31T22:00:00Z")

    closed = api.post(f"{MARCH}close/", {})
    assert (closed.status_code, closed.data["number"], closed["Location"]) == (201, 1, f"{HTTP}{MARCH}editions/1/")
    assert closed.data["winners"] == [{"player": "anna", "name": "anna", "score": 3.0}]
    document = api.get(closed.data["url"])
    assert hashlib.sha256(document.content).hexdigest() == closed.data["sha256"] == document["X-Content-SHA256"]
    assert (document["ETag"], document["Content-Type"]) == (f'"{closed.data["sha256"]}"', "application/json")
    assert api.get(closed.data["url"], **{"If-None-Match": document["ETag"]}).status_code == 304

    late = api.post("leagues/club/games/", duel_body("cleo", "anna", "2024-03-20T19:00:00Z"))
    assert late.status_code == 201
    assert [one["period"] for one in api.get("leagues/club/decisions/").data["results"]] == ["2024-03"]
    assert told(api.get(MARCH)) == [(1, "anna", 3.0), (2, "ben", 0.0)]
    assert told(api.get(f"{MARCH}?edition=live")) == [(1, "anna", 3.0), (1, "cleo", 3.0), (3, "ben", 0.0)]
    check_second_edition(api, document.content)


def check_second_edition(api: Api, first: bytes) -> None:
    """Look at the difference, publish edition 2, and find both readable."""
    diff = api.get(f"{MARCH}diff/").data
    assert (diff["before"], diff["after"], diff["ladder"], diff["period"]) == ("1", "live", "month", "2024-03")
    assert [line["player"] for line in diff["standings"]] == ["anna", "cleo", "ben"]
    assert [one["player"] for one in diff["winners_changed"][0]["after"]] == ["anna", "cleo"]
    status, code, sentence = problem(api.post(f"{MARCH}close/", {}))
    assert (status, code, sentence) == (400, "invalid", "Give a reason for edition 2 of March 2024.")
    second = api.post(f"{MARCH}close/", {"reason": "A sheet came late."})
    assert (second.status_code, second.data["number"], second.data["reason"]) == (201, 2, "A sheet came late.")
    assert api.get("leagues/club/decisions/").data == {"results": [], "next": None, "total": 0}
    answer = api.get(MARCH)
    assert (answer.data["edition"], [one["number"] for one in answer.data["editions"]]) == (2, [1, 2])
    assert told(api.get(f"{MARCH}?edition=1")) == [(1, "anna", 3.0), (2, "ben", 0.0)]
    assert api.get(f"{MARCH}editions/1/").content == first
    assert json.loads(api.get(f"{MARCH}editions/2/").content)["edition"] == 2
    between = api.get(f"{MARCH}diff/?from=1&to=2").data
    assert ([line["rank_after"] for line in between["standings"]], between["after"]) == ([1, 1, 3], "2")
    assert api.get(f"{MARCH}diff/?from=2").data["standings"] == api.get(f"{MARCH}diff/").data["standings"] == []


def test_carry_reopen_and_decide_about_all() -> None:
    league = club()
    make_ladder(league, "quarter", cadence="quarter")
    api = Api("organise")
    assert problem(api.post("leagues/club/decisions/", {"decision": "carry"}))[0] == 404
    for path in (MARCH, f"{LADDERS}quarter/periods/2024-Q1/"):
        assert api.post(f"{path}close/", {}).status_code == 201
    record(league, duel("cleo", "anna", "2024-03-07"))
    carried = api.post(f"{MARCH}carry/", {"reason": "Too late."})
    assert (carried.status_code, carried.data["awaits_decision"], carried.data["edition"]) == (200, False, 1)
    (decision,) = carried.data["decisions"]
    assert (decision["kind"], decision["edition"], decision["reason"]) == ("carry", 1, "Too late.")
    assert problem(api.post(f"{MARCH}carry/", {}))[:2] == (409, "conflict")
    assert [one["period"] for one in api.get("leagues/club/decisions/").data["results"]] == ["2024-Q1"]
    for body in ({"decision": "publish"}, {"decision": "perhaps"}, {}, {"decision": "carry", "why": "x"}):
        assert problem(api.post("leagues/club/decisions/", body))[0] == 400
    decided = api.post("leagues/club/decisions/", {"decision": "publish", "reason": "Late."})
    assert [(one["period"], one["awaits_decision"]) for one in decided.data["results"]] == [("2024-Q1", False)]
    assert problem(api.post(f"{MARCH}reopen/", {}))[0] == 400
    opened = api.post(f"{MARCH}reopen/", {"reason": "Protest."})
    assert (opened.data["status"], opened.data["edition"], len(opened.data["standings"])) == ("open", None, 3)
    assert [one["kind"] for one in opened.data["decisions"]] == ["carry", "reopen"]
    assert problem(api.post(f"{MARCH}reopen/", {"reason": "x"}))[0] == 409


def test_games_of_a_closed_period_are_the_organisers() -> None:
    league = club(visibility="public")
    close(league, "2024-03")
    record(league, duel("anna", "ben", "2024-04-05"))
    recorder, organiser = Api("record"), Api("organise", name="olga")
    body = {**duel_body("ben", "anna", "2024-03-05T00:00:00Z"), "reason": "misread"}
    before = tables("Token")
    for path, sent in (("correct/", body), ("void/", {"reason": "x"}), ("void/?dry_run=true", {"reason": "x"})):
        assert problem(recorder.post(f"leagues/club/games/1/{path}", sent)) == (
            403, "forbidden", "March 2024 of Month is closed; this needs the scope “organise” for the league club.",
        )  # fmt: skip
    assert tables("Token") == before
    assert recorder.post("leagues/club/games/3/void/", {"reason": "x"}).status_code == 200
    assert organiser.post("leagues/club/games/1/correct/", body).status_code == 201
    assert [one["period"] for one in recorder.get("leagues/club/decisions/").data["results"]] == ["2024-03"]


def test_a_private_league_has_no_ladders_for_strangers() -> None:
    league = club(visibility="private")
    close(league, "2024-03")
    paths = [
        LADDERS, f"{LADDERS}month/", f"{LADDERS}month/rules/", f"{LADDERS}month/periods/", MARCH, f"{MARCH}diff/",
        f"{MARCH}editions/1/", "leagues/club/decisions/",
    ]  # fmt: skip
    member = Api("read", (league,))
    for path in paths:
        assert problem(Api().get(path)) == (404, "not_found", "There is no league “club”.")
        assert member.get(path).status_code == 200


def test_a_ladder_is_changed_and_ranked_otherwise() -> None:
    club()
    api = Api("organise")
    assert api.patch(f"{LADDERS}month/", {"title": "The month", "ended_on": "2024-07-01"}).data["title"] == "The month"
    rule = {"from": "2024-04-01", "method": "points", "cadence": "month", "parameters": {"win": 2}}
    answer = api.post(f"{LADDERS}month/rules/", rule)
    whole = {**rule, "to": None, "parameters": {**WHOLE, "win": 2, "draw": 0.5}}
    assert (answer.status_code, answer.data) == (201, whole)
    rules = api.get(f"{LADDERS}month/rules/").data["results"]
    assert [one["from"] for one in rules] == ["1800-01-01", "2024-04-01"]
    ladder = api.get(f"{LADDERS}month/").data
    assert (ladder["parameters"], ladder["ended_on"], ladder["rules"]) == (whole["parameters"], "2024-07-01", rules)
    days = {"cadence": "dated", "from": "2024-03-01", "to": "2024-03-05"}
    dated = {"slug": "cup", "title": "Cup", "method": "points", **days}
    assert api.post(LADDERS, dated).data["rules"][0]["to"] == "2024-03-05"
    assert told(api.get(f"{LADDERS}cup/periods/2024-03-01--2024-03-05/")) == [(1, "anna", 1.0), (2, "ben", 0.0)]


def test_a_ladder_that_cannot_be_is_a_problem_with_a_pointer() -> None:
    club()
    api = Api("organise")
    before = tables()
    refusals: list[tuple[dict[str, Any], int, str]] = [
        ({"slug": "month"}, 409, "/slug"),
        ({"slug": "X!"}, 400, "/slug"),
        ({"cadence": "fortnight"}, 400, "/cadence"),
        ({"method": "luck"}, 400, "/method"),
        ({"method": 7}, 400, "/method"),
        ({"parameters": {"wins": 3}}, 400, "/parameters/wins"),
        ({"parameters": []}, 400, "/parameters"),
        ({"from": "yesterday"}, 400, "/from"),
        ({"from": "2024-03-15"}, 422, "/from"),
        ({"from": "9999-12-31"}, 400, "/from"),
        ({"to": "2024-03-15"}, 400, "/to"),
        ({"from_": "2024-03-01"}, 400, "/from_"),
        ({"title": ""}, 400, "/title"),
    ]
    for body, status, pointer in refusals:
        answer = api.post(LADDERS, {"slug": "week", "title": "Week", "method": "points", "cadence": "month", **body})
        assert (answer.status_code, [one["pointer"] for one in answer.data["errors"]]) == (status, [pointer]), body
    assert tables("Token") == {name: rows for name, rows in before.items() if name != "Token"}


def test_what_is_unknown_or_wrong_is_a_sentence() -> None:
    club()
    for path, status, text in (
        (f"{LADDERS}week/", 404, "The league Club has no ladder “week”."),
        (f"{LADDERS}month/periods/2024-02/", 404, "No games were played in February 2024 of the ladder Month."),
        (f"{LADDERS}month/periods/feb/", 404, "“feb” is not a period; write it like"),
        (f"{LADDERS}month/periods/a%00b/", 404, "is not a period"),
        (f"{LADDERS}a%00b/", 404, "has no ladder"),
        (f"{MARCH}editions/1/", 404, "March 2024 has no edition 1."),
        (f"{MARCH}editions/99999999999999999999/", 404, "has no edition"),
        (f"{MARCH}?edition=2", 404, "March 2024 has no edition 2."),
        (f"{MARCH}diff/", 404, "March 2024 was never closed: it has no edition to compare."),
        (f"{MARCH}?edition=first", 400, "edition must be"),
        (f"{MARCH}?edition=1&at=2024-03-05", 400, "at and edition exclude each other: choose one."),
        (f"{MARCH}?at=soon", 400, "at must be a date"),
        (f"{MARCH}diff/?from=x", 400, "from must be"),
        (f"{LADDERS}month/periods/?cursor=WyJzb29uIl0", 400, "cursor must be a cursor"),
        ("ladder-methods/luck/", 404, "luck"),
    ):
        answer = problem(Api().get(path))
        assert (answer[0], text in answer[2]) == (status, True), answer
    assert Api().get(f"{MARCH}diff/?from=live").data["standings"] == []


def test_methods_describe_themselves() -> None:
    methods = Api().get("ladder-methods/").data["results"]
    keys = [one["key"] for one in methods]
    assert {"erf_mean", "best_scores", "rating_score", "fide_performance", "points"} <= set(keys)
    assert all(Api().get(f"ladder-methods/{one['key']}/").data == one for one in methods)


def test_the_number_of_queries_does_not_grow() -> None:
    league = club()
    close(league, "2024-03")
    paths = (
        MARCH, f"{MARCH}?edition=live", f"{MARCH}?at=2024-03-20", f"{LADDERS}month/periods/", LADDERS, f"{MARCH}diff/",
        "leagues/club/decisions/",
    )  # fmt: skip
    few = {path: queries(path) for path in paths}
    for index in range(12):
        add_player(f"p{index}")
    for index in range(0, 12, 2):
        record(league, duel(f"p{index}", f"p{index + 1}", f"2024-{index // 2 + 3:02}-07"))
    for slug in ("week", "quarter", "year"):
        make_ladder(league, slug, cadence=slug)
    close(league, "2024-03", reason="Late sheets.")
    record(league, duel("p0", "p1", "2024-03-08"))
    assert {path: queries(path) for path in paths} == few
    assert max(few.values()) <= 12


def queries(path: str) -> int:
    """Return how many queries an answer takes."""
    api = Api()
    with CaptureQueriesContext(connection) as caught:
        assert api.get(path).status_code == 200
    return len(caught)
