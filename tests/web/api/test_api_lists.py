"""Lists of the API: every one by pages; how many there are on all; games by id, number and order; tables as CSV."""

import csv
from datetime import date
from io import StringIO
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User

from league.core.accounts.services.members import set_member
from league.core.games.search import filter_by_query
from league.core.games.services.record import void_game
from league.core.leagues.services.leagues import adopt_rule
from league.core.permissions import Viewer
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import make_ladder
from tests.helpers.openapi_document import read_document
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def pages(api: Api, path: str, size: int) -> list[list[Any]]:
    """Return the pages of a list, each of so many at most; every next address is followed."""
    found: list[list[Any]] = []
    address = f"{path}{'&' if '?' in path else '?'}limit={size}"
    while address:
        answer = api.get(address)
        assert answer.status_code == 200, answer.data
        assert len(answer.data["results"]) in range(1 if found else 0, size + 1), "no page but a first one is empty"
        found.append(answer.data["results"])
        address = answer.data["next"]
    return found


def rows(answer: Any) -> list[list[str]]:
    """Return the cells of an answer that is a table."""
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.reader(StringIO(answer.content.decode())))


#: Four games: the second and third at one time, the last one recorded the earliest played.
MINUTES = (10, 20, 20, 0)


def four_games(**settings: Any) -> Any:
    """Return a league with four games."""
    league = make_league(**settings)
    for number, minutes in enumerate(MINUTES, start=1):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes, external_id=f"s/{number}"))
    return league


ORDERS = {
    "": [3, 2, 1, 4],
    "newest": [3, 2, 1, 4],
    "-played_at": [3, 2, 1, 4],
    "oldest": [4, 1, 2, 3],
    "played_at": [4, 1, 2, 3],
    "number": [1, 2, 3, 4],
    "asc": [1, 2, 3, 4],
    "-number": [4, 3, 2, 1],
    "desc": [4, 3, 2, 1],
}


@long_way
def test_games_are_listed_in_an_order_page_by_page() -> None:
    four_games()
    for order, wanted in ORDERS.items():
        path = f"leagues/club/games/?order={order}" if order else "leagues/club/games/"
        for size in (1, 3, 50):
            assert [one["id"] for page in pages(Api(), path, size) for one in page] == wanted, (order, size)
    assert [one["id"] for one in Api().get("leagues/club/games/?number_from=3&order=number").data["results"]] == [3, 4]
    assert [one["id"] for one in Api().get("leagues/club/games/?number_from=3").data["results"]] == [3, 4]
    following = Api().get("leagues/club/games/?order=number&limit=1").data["next"]
    # A cursor of another order, an unknown order, a number below one, a cursor that counts backwards: [-5].
    for path in (
        following.replace("order=number", "order=oldest"), "leagues/club/games/?order=sideways",
        "leagues/club/games/?number_from=0", "leagues/?cursor=Wy01XQ",
    ):  # fmt: skip
        assert Api().get(path).status_code == 400, path


def test_a_game_is_found_by_the_id_of_another_program_void_ones_too() -> None:
    four_games()
    api = Api("record")
    correction = {**game(("anna", 0), ("ben", 1)), "reason": "misread"}
    assert api.post("leagues/club/games/2/correct/", correction).data["id"] == 5
    found = api.get("leagues/club/games/?external_id=s/2&order=number").data["results"]
    assert [(one["id"], one["status"]) for one in found] == [(2, "void"), (5, "rated")]
    assert api.get("leagues/club/games/?external_id=s/2&status=rated").data["results"][0]["id"] == 5
    assert api.get("leagues/club/games/?external_id=s/9").data == {"results": [], "next": None, "total": None}


@long_way
def test_every_list_comes_by_pages() -> None:
    league = four_games()
    for slug in ("a", "b"):
        make_league(slug=slug)
        make_ladder(league, slug, "points")
        set_member(league.pk, User.objects.create_user(slug).username, "organiser")
    adopt_rule(league.pk, "elo", {"k": 8}, date(2024, 4, 1), username="test")
    api = Api("organise")
    hook = {"url": "https://club.example/hooks"}
    for _ in range(2):
        assert api.post("leagues/club/webhooks/", hook).status_code == 201
    for path, count in (
        ("leagues/", 3), ("systems/", None), ("ladder-methods/", None), ("leagues/club/rules/", 2),
        ("leagues/club/ladders/", 2), ("leagues/club/ladders/a/rules/", 1), ("leagues/club/decisions/", 0),
        ("leagues/club/members/", 2), ("leagues/club/webhooks/", 2), ("leagues/club/players/anna/history/", 4),
        ("players/", 4), ("players/?search=a", 2), ("leagues/club/ladders/a/periods/", 2),
    ):  # fmt: skip
        whole = api.get(path).data["results"]
        assert count in (None, len(whole)), path
        assert [one for page in pages(api, path, 1) for one in page] == whole, path
        asked = f"{path}{'&' if '?' in path else '?'}"
        assert api.get(f"{asked}cursor=WzE").status_code == 400, path
        assert api.get(f"{asked}limit=0").status_code == 400, path


def test_games_are_a_table_with_a_line_for_each_result_and_every_digit() -> None:
    league = make_league("preferans")
    record(league, sheet(("anna", "ben", "cleo"), (0.1, 0.2, -0.3), details={"bula": 30}, note="=1+1"))
    api = Api()
    header, *lines = rows(api.get("leagues/club/games/?format=csv"))
    (shown,) = api.get("leagues/club/games/").data["results"]
    table = [dict(zip(header, line, strict=True)) for line in lines]
    assert [(line["id"], line["seat"], line["player"], line["details.bula"], line["note"]) for line in table] == [
        ("1", "1", "anna", "30", "'=1+1"), ("1", "2", "ben", "30", "'=1+1"), ("1", "3", "cleo", "30", "'=1+1"),
    ]  # fmt: skip
    for line, result in zip(table, shown["results"], strict=True):
        assert (float(line["score"]), float(line["rating_after"])) == (result["score"], result["rating_after"])


def test_boards_periods_and_histories_are_tables_page_by_page() -> None:
    league = four_games()
    make_ladder(league, "month", "points")
    api = Api()
    for path, first, count in (
        ("leaderboard/", "player", 2), ("ladders/month/periods/2024-03/", "player", 2),
        ("ladders/month/periods/", "period", 2), ("players/anna/history/", "game", 4),
    ):  # fmt: skip
        header, *lines = rows(api.get(f"leagues/club/{path}?format=csv"))
        shown = [one.get(first) for one in things(api.get(f"leagues/club/{path}").data)]
        assert [line[header.index(first)] for line in lines] == [str(one) for one in shown]
        assert len(lines) == count
        answer = api.get(f"leagues/club/{path}?format=csv&limit=1")
        address = answer["Link"].removeprefix("<").removesuffix('>; rel="next"')
        assert rows(api.get(address))[1] == lines[1]


def things(body: Any) -> list[Any]:
    """Return what a page lists."""
    return list(body.get("standings", body.get("results")))


def test_an_empty_board_is_a_table_of_its_header() -> None:
    make_league()
    (header,) = rows(Api().get("leagues/club/leaderboard/?format=csv"))
    assert {"rank", "player", "name", "score", "rating"} <= set(header)
    assert Api().get("leagues/club/leaderboard/?format=xml").status_code == 400


def test_a_table_is_answered_to_who_accepts_only_that() -> None:
    four_games()
    for path in ("leaderboard/", "games/"):
        assert rows(Api().get(f"leagues/club/{path}?format=csv", Accept="text/csv"))[1:] != []
        refused = Api().get(f"leagues/club/{path}?format=csv&limit=0", Accept="text/csv")
        assert (refused.status_code, refused["Content-Type"]) == (400, "application/problem+json")
        assert refused.data["code"] == "invalid"


#: The lists that say how many there are; the answer of none of the others costs a count.
COUNTED = {
    "list_leagues", "list_rules", "list_systems", "list_methods", "list_ladders", "list_ladder_rules", "list_decisions",
    "list_experiments", "list_members", "list_tokens", "list_adjustments", "list_webhooks", "list_games",
    "list_pairing_formats", "list_tie_breaks", "list_competitions", "list_entries", "list_rounds", "list_seasons",
    "list_season_entries", "list_fields", "list_contexts", "list_season_editions",
    "list_halls",
    "list_final_standings",
}  # fmt: skip


def test_games_are_counted_by_their_numbers() -> None:
    league = make_league()
    assert Api().get("leagues/club/games/").data == {"results": [], "next": None, "total": 0}
    for minutes in range(5):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    void_game(league.pk, 2, reason="No.", username="test")
    for query, total in (
        ("", 5), ("?limit=2", 5), ("?limit=2&order=number", 5), ("?number_from=4", 2), ("?number_from=6", 0),
        ("?number_from=9", 0), ("?status=void", None), ("?player=anna&limit=1", None), ("?external_id=x", None),
        ("?from=2024-01-01", None), ("?to=2025-01-01", None),
    ):  # fmt: skip
        first = Api().get(f"leagues/club/games/{query}")
        assert (first.status_code, first.data["total"]) == (200, total), query
        if first.data["next"]:
            assert Api().get(first.data["next"]).data["total"] == total


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


def test_games_are_found_by_their_metadata_over_the_api_and_by_organisers() -> None:
    league, api, texts = make_league(), Api("organise"), {"server": "7", "0": "first", 'a"b.c': "x=y", "é": "7"}
    longer = {key: f"{text}8" for key, text in texts.items()}
    for number, metadata in enumerate([texts, longer, {"other": "7"}, {}]):
        sent = game(("anna", 1), ("ben", 0), metadata=metadata, played_at=f"2024-03-0{number + 1}T19:30:00Z")
        assert api.post("leagues/club/games/", sent).status_code == 201
    for key, text in texts.items():
        query, viewer = urlencode({f"metadata.{key}": text}), Viewer("olga", "organise")
        found = Api().get(f"leagues/club/games/?{query}").data
        assert ([one["number"] for one in found["results"]], found["total"]) == ([1], None)
        assert Api().get(f"leagues/club/games/?{query}&metadata.other=7").data["results"] == []
        by_organisers = filter_by_query(league, f"{key}={text}", viewer, date(2024, 4, 1))
        assert [one.number for one in by_organisers] == [1]
    assert Api().get("leagues/club/games/?metadata.=7").status_code == 400
    # No database stores NUL, and PostgreSQL does not even take it in a question.
    assert Api().get("leagues/club/games/?metadata.a%00=7").status_code == 400
