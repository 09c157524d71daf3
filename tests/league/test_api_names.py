"""One name for each thing: a game's number, a league's emblem; v1 has the older names as deprecated aliases."""

import csv
from io import StringIO
from typing import Any

import pytest

from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, reread, sheet
from tests.helpers.openapi_document import read_document

pytestmark = pytest.mark.django_db

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


@pytest.mark.parametrize(
    ("body", "emblem"),
    [
        ({"emblem": {"field": "pale", "symbol": "star", "colour": "teal"}}, ("pale", "star", "teal")),
        ({"emblem": {"symbol": "crown"}}, ("auto", "crown", "auto")),
        ({"division": "fess", "charge": "die"}, ("fess", "die", "auto")),
        ({"emblem": {"field": "fess"}, "division": "fess", "colour": "blue"}, ("fess", "auto", "blue")),
        ({"emblem": {}}, ("auto", "auto", "auto")),
    ],
)
@pytest.mark.parametrize("made", [True, False])
def test_an_emblem_is_set_as_one_or_by_its_old_names(body: dict[str, Any], emblem: tuple[str, ...], made: bool) -> None:
    api = Api("organise")
    if made:
        answer = api.post("leagues/", {"slug": "club", "title": "Club", **body})
    else:
        make_league()
        answer = api.patch(CLUB, body)
    assert answer.status_code in (200, 201), answer.data
    for shown in (answer.data, api.get(CLUB).data, api.get("leagues/").data["results"][0]):
        assert tuple(shown["emblem"].values()) == emblem
        assert list(shown["emblem"]) == ["field", "symbol", "colour"]
        assert (shown["division"], shown["charge"], shown["colour"]) == emblem


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ({"emblem": {"field": "pale"}, "division": "fess"}, "contradiction", "/emblem/field"),
        ({"emblem": {"symbol": "star"}, "charge": "auto"}, "contradiction", "/emblem/symbol"),
        ({"emblem": {"field": "star"}}, "invalid_choice", "/emblem/field"),
        ({"emblem": {"division": "pale"}}, "unknown", "/emblem/division"),
        ({"emblem": None}, "not_an_object", "/emblem"),
        ({"emblem": "pale"}, "not_an_object", "/emblem"),
    ],
)
def test_an_emblem_that_is_none_is_refused(body: dict[str, Any], code: str, pointer: str) -> None:
    league = make_league()
    answer = Api("organise").patch(CLUB, {"title": "Other", **body})
    (fault,) = answer.data["errors"]
    assert (answer.status_code, fault["code"], fault["pointer"]) == (400, code, pointer)
    assert reread(league).title == "Club"


def test_the_document_says_which_names_are_deprecated() -> None:
    found: dict[str, set[str]] = {}
    for name, schema in read_document()["components"]["schemas"].items():
        names = {one for one, field in schema.get("properties", {}).items() if field.get("deprecated")}
        found |= {name: names} if names else {}
    assert found == DEPRECATED
