"""What the contract of the API promises beside the games: refusals that lead on, addresses, forms of answers."""

from typing import Any

import pytest
from django.test import Client

from league.models import Game
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db

NOTED = {"results": [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}], "reason": "It lacked a note."}


@pytest.mark.parametrize("query", ["", "?dry_run=true"])
@pytest.mark.parametrize(("act", "body"), [("void", {"reason": "A friendly."}), ("correct", NOTED)])
def test_the_refusal_to_touch_a_void_game_names_the_game_that_replaced_it(
    act: str, body: dict[str, Any], query: str
) -> None:
    make_league()
    api = Api("record")
    api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    assert api.post("leagues/club/games/1/correct/", {**NOTED, "note": "late"}).data["id"] == 2
    refused = api.post(f"leagues/club/games/1/{act}/{query}", body)
    assert (refused.status_code, refused.data["code"]) == (409, "conflict")
    assert refused.data["detail"] == "Game 1 is void already; game 2 replaced it."
    assert refused.data["replaced_by"] == 2
    api.post("leagues/club/games/2/void/", {"reason": "A friendly."})
    alone = api.post(f"leagues/club/games/2/{act}/{query}", body)
    assert (alone.status_code, alone.data["detail"]) == (409, "Game 2 is void already.")
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


def test_the_document_is_answered_as_yaml_else() -> None:
    for query in ("", "?format=yaml"):
        answer = Api().get(f"schema/{query}")
        assert answer["Content-Type"].startswith("application/vnd.oai.openapi")
        assert answer.content.startswith(b"openapi: 3.1")
    assert (Api().get("schema/?format=xml").status_code, Api().get("schema/?lang=de").status_code) == (400, 400)
