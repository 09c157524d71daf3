"""Merges in the API."""

from typing import Any

import pytest

from league.models import League, Merge
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, ratings, record
from tests.helpers.ladder_builders import close, duel, make_ladder, tables

pytestmark = pytest.mark.django_db


def club() -> League:
    """Return a league in which Anna and Ben are one person, with a closed period."""
    league = make_league(parameters={"k": 20})
    make_ladder(league)
    record(league, duel("anna", "cleo", "2024-03-05"))
    record(league, duel("ben", "dan", "2024-03-06"))
    close(league, "2024-03")
    return league


def test_a_merge_by_the_api_its_dry_run_and_its_way_back() -> None:
    league = club()
    api = Api("organise")
    before = tables()
    diff = api.post("players/anna/merge/?dry_run=true", {"into": "ben"}).data["leagues"]
    assert {**tables(), "Token": []} == {**before, "Token": []}
    assert [(one["league"], one["games_replayed"], one["closed_periods"]) for one in diff] == [
        ("club", 2, [{"ladder": "month", "period": "2024-03"}])
    ]
    assert (diff[0]["ratings"][0]["player"], diff[0]["ratings"][0]["after"]) == ("anna", None)
    done = api.post("players/ANNA/merge/", {"into": "Ben"})
    assert (done.status_code, done.data["player"], done.data["into"], done.data["by"]) == (
        200,
        "anna",
        "ben",
        "server-7",
    )
    assert {one["player"]: one["after"] for one in diff[0]["ratings"] if one["after"] is not None}.items() <= (
        ratings(league).items()
    )
    survivor = api.get("players/anna/").data
    assert (survivor["handle"], survivor["aliases"]) == ("ben", ["anna"])
    assert api.get("leagues/club/players/anna/").data["games"] == 2
    assert [one["handle"] for one in api.get("players/").data["results"]] == ["ben", "cleo", "dan"]
    assert len(api.get("leagues/club/decisions/").data["results"]) == 1
    # Who reads a player and sends the aliases back changes nothing.
    assert api.patch("players/ben/", {"aliases": survivor["aliases"]}).data["aliases"] == ["anna"]
    back = api.post("players/anna/unmerge/?dry_run=true", {}).data["leagues"]
    assert [one["games_replayed"] for one in back] == [2]
    undone = api.post("players/anna/unmerge/", {})
    assert (undone.status_code, undone.data["undone_by"]) == (200, "server-7")
    assert api.get("players/anna/").data["handle"] == "anna"
    assert api.get("leagues/club/decisions/").data["results"] == []


@pytest.mark.parametrize(
    ("path", "body", "status", "pointers"),
    [
        ("players/anna/merge/", {"into": "zoe"}, 422, ["/into"]),
        ("players/zoe/merge/", {"into": "anna"}, 404, []),
        ("players/anna/merge/", {"into": "anna"}, 400, ["/into"]),
        ("players/anna/merge/", {}, 400, ["/into"]),
        ("players/anna/merge/", {"into": "cleo"}, 422, ["/into"]),
        ("players/anna/unmerge/", {}, 409, []),
        ("players/anna/unmerge/", {"into": "ben"}, 400, ["/into"]),
        ("players/anna/merge/?dry=1", {"into": "ben"}, 400, ["?dry"]),
    ],
)
def test_the_api_refuses_with_pointers(path: str, body: dict[str, Any], status: int, pointers: list[str]) -> None:
    club()
    answer = Api("organise").post(path, body)
    assert answer.status_code == status
    assert [one["pointer"] for one in answer.data["errors"]] == pointers
    assert not Merge.objects.exists()
