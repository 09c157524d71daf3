"""``total``: how many there are on all pages, in the lists that say it."""

from typing import Any

import pytest

from league.services.recording.games import void_game
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.openapi_document import read_document

pytestmark = pytest.mark.django_db

#: The lists that say how many there are; the answer of none of the others costs a count.
COUNTED = {
    "list_leagues", "list_rules", "list_systems", "list_methods", "list_ladders", "list_ladder_rules", "list_decisions",
    "list_experiments", "list_members", "list_tokens", "list_adjustments", "list_webhooks", "list_games",
}  # fmt: skip


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ("", 5), ("?limit=2", 5), ("?limit=2&order=number", 5), ("?number_from=4", 2), ("?number_from=6", 0),
        ("?number_from=9", 0), ("?status=void", None), ("?player=anna&limit=1", None), ("?external_id=x", None),
        ("?from=2024-01-01", None), ("?to=2025-01-01", None),
    ],
)  # fmt: skip
def test_games_are_counted_by_their_numbers(query: str, total: int | None) -> None:
    league = make_league()
    for minutes in range(5):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    void_game(league.pk, 2, reason="No.", by="test")
    first = Api().get(f"leagues/club/games/{query}")
    assert (first.status_code, first.data["total"]) == (200, total)
    if first.data["next"]:
        assert Api().get(first.data["next"]).data["total"] == total


def test_a_league_without_games_has_none() -> None:
    make_league()
    assert Api().get("leagues/club/games/").data == {"results": [], "next": None, "total": 0}


@pytest.mark.parametrize(("path", "limit"), [("leagues/", 2), ("systems/", 3), ("ladder-methods/", 1)])
def test_every_page_says_how_many_there_are(path: str, limit: int) -> None:
    for slug in ("one", "two", "three"):
        make_league(slug=slug, visibility="private" if slug == "three" else "public")
    pages: list[dict[str, Any]] = [Api().get(f"{path}?limit={limit}").data]
    while pages[-1]["next"]:
        pages.append(Api().get(pages[-1]["next"]).data)
    count = sum(len(page["results"]) for page in pages)
    assert {page["total"] for page in pages} == {count}
    assert path != "leagues/" or count == 2, "who may not see a league does not learn that there is one"


def test_the_document_says_which_lists_count() -> None:
    counted = set()
    schemas = read_document()["components"]["schemas"]
    for path in read_document()["paths"].values():
        for operation in path.values():
            content = operation.get("responses", {}).get("200", {}).get("content", {}).get("application/json", {})
            name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            if name.endswith("Page") and "total" in schemas[name]["properties"]:
                counted.add(operation["operationId"])
    assert counted == COUNTED
