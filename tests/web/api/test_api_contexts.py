"""Contexts over the API: founded, read like the league, and listed in the answer of a game."""

import json
from typing import Any

import pytest

from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
CLUB, CONTEXTS = "leagues/club/", "leagues/club/contexts/"
MODE = {"key": "mode", "title": "Mode", "of": "game", "type": "choice", "choices": ["duel", "arena"]}
DUEL = {"slug": "duel", "title": "Duels", "filter": {"field.mode": ["duel"], "sides": 2}, "start": "own"}


def play(api: Api, winner: str, loser: str, mode: str, day: int) -> Any:
    """Record a game; the answer."""
    sent = game((winner, 1), (loser, 0), fields={"mode": mode}, played_at=f"2024-03-{day:02}T19:30:00Z")
    return api.post(f"{CLUB}games/", sent)


@pytest.fixture
def api() -> Api:
    """Return an organiser's client of a league with a context and four games."""
    make_league()
    api = Api("organise")
    assert api.post(f"{CLUB}fields/", MODE).status_code == 201
    assert api.post(CONTEXTS, DUEL).data == {**DUEL, "system": None, "parameters": {}, "status": "current"}
    for day, (winner, loser, mode) in enumerate(
        [("anna", "ben", "duel"), ("ben", "cleo", "arena"), ("cleo", "anna", "duel"), ("ben", "anna", "arena")], start=1
    ):
        assert play(api, winner, loser, mode, day).status_code == 201
    return api


def test_the_numbers_of_a_filter_are_whole_however_they_are_written() -> None:
    make_league()
    api = Api("organise")
    sent = {"slug": "pairs", "title": "Pairs", "filter": {"sides": 2.0, "sizes": [2.0, 1]}, "start": "own"}
    answer = api.post(CONTEXTS, sent)
    assert json.dumps(answer.data["filter"], sort_keys=True) == '{"sides": 2, "sizes": [1, 2]}'
    assert api.post(CONTEXTS, {**sent, "slug": "halves", "filter": {"sides": 2.5}}).status_code == 400


@long_way
def test_a_context_is_read_like_the_league(api: Api) -> None:
    below = api.get(f"{CONTEXTS}duel/leaderboard/").data
    assert below == api.get(f"{CLUB}leaderboard/?context=duel").data
    assert [row["player"] for row in below["results"]] == ["cleo", "anna", "ben"]
    assert api.get(f"{CLUB}leaderboard/").data != below
    card = api.get(f"{CONTEXTS}duel/players/anna/").data
    assert card == api.get(f"{CLUB}players/anna/?context=duel").data
    assert (card["games"], card["rank"]) == (2, 2)
    met = [(one["player"], one["games"], one["ahead"], one["behind"]) for one in card["opponents"]]
    assert met == [("ben", 1, 1, 0), ("cleo", 1, 0, 1)]
    history = api.get(f"{CONTEXTS}duel/players/anna/history/").data["results"]
    assert history == api.get(f"{CLUB}players/anna/history/?context=duel").data["results"]
    assert [line["game"] for line in history] == [1, 3]
    explained = api.get(f"{CONTEXTS}duel/games/3/explanation/").data
    assert explained == api.get(f"{CLUB}games/3/explanation/?context=duel").data
    changes = {line["player"]: line["change"] for line in explained["players"]}
    assert changes["anna"] == history[1]["change"]
    assert api.get(f"{CONTEXTS}duel/games/2/explanation/").status_code == 404
    asked = game(("anna", 1), ("ben", 0), played_at="2024-04-01T19:30:00Z")
    foreseen = api.post(f"{CLUB}preview/?context=duel", asked).data["outcomes"][0]["players"][0]["change"]
    answer = play(api, "anna", "ben", "duel", 30).data
    assert answer["contexts"][0]["context"] == "duel"
    assert answer["contexts"][0]["results"][0]["change"] == foreseen != answer["results"][0]["change"]
    assert "contexts" not in answer["results"][0] and api.get(f"{CLUB}games/2/").data["contexts"] == []
    assert api.get(f"{CLUB}games/1/").data["contexts"][0]["results"][0]["rating_before"] == 1500


def test_contexts_are_listed_changed_and_removed(api: Api) -> None:
    assert [one["slug"] for one in Api().get(CONTEXTS).data["results"]] == ["duel"]
    assert Api().get(f"{CONTEXTS}none/leaderboard/").status_code == 404
    assert Api().get(f"{CLUB}leaderboard/?context=none").status_code == 404
    assert api.post(CONTEXTS, DUEL).status_code == 409
    changed = api.patch(f"{CONTEXTS}duel/", {"system": "glicko2", "parameters": {}, "filter": {}}).data
    assert (changed["system"], changed["filter"]) == ("glicko2", {})
    rows = api.get(f"{CONTEXTS}duel/leaderboard/").data["results"]
    assert len(rows) == 3 and "deviation" in rows[0]["state"]
    assert api.get(f"{CONTEXTS}duel/games/2/explanation/").data["system"] == "glicko2"
    assert api.call("delete", f"{CONTEXTS}duel/").status_code == 204
    assert Api().get(f"{CONTEXTS}duel/").status_code == 404
    assert "contexts" not in api.get(f"{CLUB}games/1/").data


@pytest.mark.parametrize(
    ("sent", "status", "pointer"),
    [
        ({"filter": {"field.other": ["x"]}}, 400, "/filter/field.other"),
        ({"filter": []}, 400, "/filter"),
        ({"start": "elsewhere"}, 400, "/start"),
        ({"slug": "Ü"}, 400, "/slug"),
        ({"system": "none"}, 400, "/system"),
    ],
)
def test_what_is_wrong_names_its_place(api: Api, sent: dict[str, Any], status: int, pointer: str) -> None:
    answer = api.post(CONTEXTS, {**DUEL, "slug": "other", **sent})
    assert answer.status_code == status
    assert [error["pointer"] for error in answer.data["errors"]] == [pointer]


@pytest.mark.parametrize("filters", [{}, {"sides": 2}, {"sides": [3, 4], "sizes": [1, 3]}, {"sides": 2, "sizes": 2}])
def test_a_filter_is_answered_as_it_was_sent(api: Api, filters: dict[str, Any]) -> None:
    assert api.post(CONTEXTS, {**DUEL, "slug": "some", "filter": filters}).data["filter"] == filters
    assert api.get(f"{CONTEXTS}some/").data["filter"] == filters
