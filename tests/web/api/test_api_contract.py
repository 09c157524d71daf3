"""What the API promises beside the games: refusals that lead on, addresses, forms of answers, one name for a thing."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from league.models import Game
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league, record, reread, sheet
from tests.helpers.openapi_document import read_document
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

NOTED = {"results": [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}], "reason": "It lacked a note."}


def test_the_refusal_to_touch_a_void_game_names_the_game_that_replaced_it() -> None:
    make_league()
    api = Api("record")
    acts = [
        (f"{act}/{query}", body)
        for act, body in (("void", {"reason": "A friendly."}), ("correct", NOTED))
        for query in ("", "?dry_run=true")
    ]
    api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    assert api.post("leagues/club/games/1/correct/", {**NOTED, "note": "late"}).data["id"] == 2
    for act, body in acts:
        refused = api.post(f"leagues/club/games/1/{act}", body)
        assert (refused.status_code, refused.data["code"]) == (409, "conflict")
        assert refused.data["detail"] == "Game 1 is already void; game 2 replaced it."
        assert refused.data["replaced_by"] == 2
    api.post("leagues/club/games/2/void/", {"reason": "A friendly."})
    for act, body in acts:
        alone = api.post(f"leagues/club/games/2/{act}", body)
        assert (alone.status_code, alone.data["detail"]) == (409, "Game 2 is already void.")
        assert "replaced_by" not in alone.data


@pytest.mark.parametrize("method", ["get", "head"])
def test_reading_without_the_last_slash_is_led_to_the_address(method: str) -> None:
    make_league()
    ask = getattr(Client(), method)
    answer = ask("/api/v1/leagues/club/leaderboard?limit=5&min_games=1")
    assert answer.status_code == 308
    assert answer["Location"] == "/api/v1/leagues/club/leaderboard/?limit=5&min_games=1"
    assert ask(answer["Location"]).status_code == 200


def test_writing_without_the_last_slash_is_told_where_to_write() -> None:
    make_league()
    answer = Api("record").post("leagues/club/games", game(("anna", 1), ("ben", 0)))
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert "send it to /api/v1/leagues/club/games/ instead" in answer.data["detail"]
    assert not Game.objects.exists()


@pytest.mark.parametrize("path", ["nothing", "leagues/club/games/x", "leagues/club/gamez", ""])
def test_what_is_nowhere_with_a_slash_either_is_not_there(path: str) -> None:
    assert Api().get(path).status_code == 404


def test_a_page_without_its_last_slash_is_led_to_it() -> None:
    make_league()
    answer = Api().call("get", "/leagues/club?at=2024-03-01")
    assert (answer.status_code, answer["Location"]) == (301, "/leagues/club/?at=2024-03-01")


@pytest.mark.parametrize(
    ("query", "accept"), [("?format=json", "*/*"), ("", "application/json"), ("?format=json", "text/html")]
)
def test_the_document_is_answered_as_json_where_that_is_asked_for(query: str, accept: str) -> None:
    answer = Api().get(f"schema/{query}", Accept=accept)
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (200, "application/json")
    assert answer.data["openapi"].startswith("3.1")


@long_way
def test_the_document_is_answered_as_yaml_else() -> None:
    for query in ("", "?format=yaml"):
        answer = Api().get(f"schema/{query}")
        assert answer["Content-Type"].startswith("application/vnd.oai.openapi")
        assert answer.content.startswith(b"openapi: 3.1")
    assert (Api().get("schema/?format=xml").status_code, Api().get("schema/?lang=de").status_code) == (400, 400)


CLUB = "leagues/club/"
#: Schema -> the deprecated aliases in it.
DEPRECATED = {
    "GameShape": {"id"}, "ExplanationShape": {"game"}, "FormShape": {"game"},
    "MeetingShape": {"game"}, "LeagueShape": {"division", "charge"}, "LeagueInputRequest": {"division", "charge"},
    "PatchedLeagueChangeRequest": {"division", "charge"},
}  # fmt: skip


def test_a_games_number_is_number_wherever_a_game_is_told() -> None:
    league = make_league()
    for minutes in range(2):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    api = Api("record")
    made = api.post(f"{CLUB}games/", {"results": [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}]}).data
    games = [
        (made["number"], made["id"]),
        *((one["number"], one["id"]) for one in api.get(f"{CLUB}games/").data["results"]),
        *((one["number"], one["game"]) for one in api.get(f"{CLUB}players/anna/").data["form"]),
        *((one["number"], one["game"]) for one in api.get(f"{CLUB}players/anna/versus/ben/").data["meetings"]),
    ]
    assert {number for number, _ in games} == {1, 2, 3}
    assert all(number == alias for number, alias in games)
    explained = api.get(f"{CLUB}games/2/explanation/").data
    assert (explained["number"], explained["game"]) == (2, 2)
    rows = list(csv.DictReader(StringIO(api.get(f"{CLUB}games/?format=csv").content.decode())))
    assert [(row["number"], row["id"]) for row in rows] == [("3", "3")] * 2 + [("2", "2")] * 2 + [("1", "1")] * 2


def test_an_emblem_is_set_as_one_or_by_its_old_names() -> None:
    api = Api("organise")
    emblems: list[tuple[dict[str, Any], tuple[str, ...]]] = [
        ({"emblem": {"field": "pale", "symbol": "star", "colour": "teal"}}, ("pale", "star", "teal")),
        ({"emblem": {"symbol": "crown"}}, ("auto", "crown", "auto")),
        ({"division": "fess", "charge": "die"}, ("fess", "die", "auto")),
        ({"emblem": {"field": "fess"}, "division": "fess", "colour": "blue"}, ("fess", "auto", "blue")),
        ({"emblem": {}}, ("auto", "auto", "auto")),
    ]
    for number, (body, emblem) in enumerate(emblems):
        made, changed = f"made-{number}", f"changed-{number}"
        make_league(slug=changed)
        answers = (
            api.post("leagues/", {"slug": made, "title": "Club", **body}), api.patch(f"leagues/{changed}/", body),
        )  # fmt: skip
        assert [answer.status_code for answer in answers] == [201, 200]
        listed = [one for one in api.get("leagues/").data["results"] if one["slug"] in (made, changed)]
        assert len(listed) == 2
        read = [api.get(f"leagues/{slug}/").data for slug in (made, changed)]
        for shown in (*(answer.data for answer in answers), *read, *listed):
            assert list(shown["emblem"].items()) == list(zip(("field", "symbol", "colour"), emblem, strict=True))
            assert (shown["division"], shown["charge"], shown["colour"]) == emblem


def test_an_emblem_that_is_none_is_refused() -> None:
    league, api = make_league(), Api("organise")
    refusals: list[tuple[dict[str, Any], str, str]] = [
        ({"emblem": {"field": "pale"}, "division": "fess"}, "contradiction", "/emblem/field"),
        ({"emblem": {"symbol": "star"}, "charge": "auto"}, "contradiction", "/emblem/symbol"),
        ({"emblem": {"field": "star"}}, "invalid_choice", "/emblem/field"),
        ({"emblem": {"division": "pale"}}, "unknown", "/emblem/division"),
        ({"emblem": None}, "not_an_object", "/emblem"),
        ({"emblem": "pale"}, "not_an_object", "/emblem"),
    ]
    for body, code, pointer in refusals:
        answer = api.patch(CLUB, {"title": "Other", **body})
        (fault,) = answer.data["errors"]
        assert (answer.status_code, fault["code"], fault["pointer"]) == (400, code, pointer)
    assert reread(league).title == "Club"


@long_way
def test_the_document_says_which_names_are_deprecated() -> None:
    found: dict[str, set[str]] = {}
    for name, schema in read_document()["components"]["schemas"].items():
        names = {one for one, field in schema.get("properties", {}).items() if field.get("deprecated")}
        found |= {name: names} if names else {}
    assert found == DEPRECATED
