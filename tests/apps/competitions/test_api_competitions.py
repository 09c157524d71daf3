"""The API of competitions: settings, entries, rounds, fixtures, results and standings."""

from typing import Any

import pytest

from league.apps.competitions.models import Competition
from league.models import Game
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
COMPETITIONS = "leagues/club/competitions/"
EVENING = f"{COMPETITIONS}evening/"
PLAYERS = ("anna", "ben", "cleo", "dan")
RATINGS = (2000, 1900, 1800, 1700)


def build() -> None:
    """Write a league of four players."""
    make_league("elo", PLAYERS)


built = built_once(build)


@pytest.fixture
def api() -> Api:
    """Return the API with an organiser's token."""
    return Api("organise")


def found(api: Api, **settings: Any) -> None:
    """Create the competition “evening” with four rated entries."""
    body = {"slug": "evening", "title": "Evening", "format": "swiss", "rounds": 3, "status": "open", **settings}
    created = api.post(COMPETITIONS, body)
    assert created.status_code == 201, created.data
    entries = [{"player": player, "rating": rating} for player, rating in zip(PLAYERS, RATINGS, strict=True)]
    added = api.post(f"{EVENING}entries/", entries)
    assert added.status_code == 201, added.data


def pair(api: Api) -> list[Any]:
    """Make and publish the next round; return its fixtures."""
    made = api.post(f"{EVENING}rounds/", {})
    assert made.status_code == 201, made.data
    published = api.post(f"{EVENING}rounds/{made.data['number']}/publish/", None)
    assert (published.status_code, published.data["status"]) == (200, "published")
    fixtures: list[Any] = published.data["fixtures"]
    return fixtures


def start_round_robin(api: Api, **settings: Any) -> None:
    """Start a round robin of four, with all three rounds published."""
    found(api, format="round_robin", rounds=None, **settings)
    api.post(f"{EVENING}start/", None)
    for _ in range(3 - len(api.get(f"{EVENING}rounds/").data["results"])):
        pair(api)


def play(api: Api, fixture: Any, *scores: float) -> Any:
    """Record the result of a fixture in seat order."""
    body = {"results": [{"score": score} for score in scores]}
    recorded = api.post(f"{EVENING}fixtures/{fixture['id']}/result/", body)
    assert recorded.status_code == 201, recorded.data
    return recorded.data


def test_a_result_has_the_values_of_declared_fields_and_a_forfeit_needs_none(api: Api) -> None:
    start_round_robin(api)
    fields = f"{EVENING.partition('competitions/')[0]}fields/"
    for key, of in (("map", "game"), ("hero", "seat")):
        sent = {"key": key, "title": key.title(), "of": of, "type": "choice", "choices": ["x", "y"], "required": True}
        assert api.post(fields, sent).status_code == 201
    first, second = api.get(f"{EVENING}rounds/1/").data["fixtures"]
    address = f"{EVENING}fixtures/{first['id']}/result/"
    without = api.post(address, {"results": [{"score": 1}, {"score": 0}]})
    pointers = ["/fields/map", "/results/0/fields/hero", "/results/1/fields/hero"]
    assert (without.status_code, [one["pointer"] for one in without.data["errors"]]) == (422, pointers)
    results = [{"score": 1, "fields": {"hero": "x"}}, {"score": 0, "fields": {"hero": "y"}}]
    answer = api.post(address, {"results": results, "fields": {"map": "y"}})
    assert answer.status_code == 201, answer.data
    assert answer.data["fields"] == {"map": "y"}
    assert [result["fields"] for result in answer.data["results"]] == [{"hero": "x"}, {"hero": "y"}]
    refused = api.post(address, {"results": [{"score": 1, "player": "anna"}, {"score": 0}]})
    assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (400, "/results/0/player")
    forfeit = {"forfeit": [second["entries"][1]], "reason": "no_show"}
    answer = api.post(f"{EVENING}fixtures/{second['id']}/result/", forfeit)
    assert (answer.status_code, answer.data.get("kind")) == (201, "forfeit"), answer.data


def test_a_competition_is_created_listed_and_changed(api: Api) -> None:
    body = {
        "title": "Club evening", "format": "round_robin", "starts": "2024-03-06", "ends": "2024-03-07",
        "time_zone": "Europe/Belgrade", "points": {"win": 3, "draw": 1}, "tie_breaks": ["de", "bh/c1"],
    }  # fmt: skip
    created = api.post(COMPETITIONS, body)
    assert (created.status_code, created.data["slug"], created.data["status"]) == (201, "club-evening", "draft")
    # A day begins at midnight in Belgrade, an hour before that of UTC; the last one ends with its last minute.
    assert (created.data["starts"], created.data["ends"]) == ("2024-03-05T23:00:00Z", "2024-03-07T22:59:00Z")
    assert (created.data["points"]["win"], created.data["points"]["full_bye"]) == (3, 1)
    assert created.data["tie_breaks"] == ["DE", "BH/C1"]
    address = f"{COMPETITIONS}club-evening/"
    assert api.get(COMPETITIONS).data["results"] == [created.data]
    assert Api().get(COMPETITIONS).data["results"] == []
    assert Api().get(address).status_code == 404
    read = api.get(address)
    assert (read.data, read["ETag"], read["Cache-Control"]) == (created.data, created["ETag"], "private, no-store")
    changed = api.call("patch", address, {"status": "open", "max_entries": 2}, **{"If-Match": read["ETag"]})
    assert (changed.status_code, changed.data["status"], changed.data["max_entries"]) == (200, "open", 2)
    late = api.call("patch", address, {"status": "draft"}, **{"If-Match": read["ETag"]})
    assert (late.status_code, Competition.objects.get().status) == (412, "open")
    assert Api().get(address).data["entries"] == 0


def test_faulty_settings_are_refused_by_their_names(api: Api) -> None:
    body = {
        "slug": "evening", "title": "Evening", "format": "swiss", "parameters": {"colour": 1}, "points": {"wins": 1},
        "tie_breaks": ["BH", "XX"], "starts": "2024-03-06", "ends": "2024-03-05",
    }  # fmt: skip
    refused = api.post(COMPETITIONS, body)
    assert refused.status_code == 400
    assert {error["pointer"] for error in refused.data["errors"]} == {
        "/parameters/colour", "/points/wins", "/tie_breaks/1", "/ends",
    }  # fmt: skip
    assert api.post(COMPETITIONS, {"title": "Evening", "format": "swiss", "starts": "soon"}).status_code == 400
    assert not Competition.objects.exists()


@long_way
def test_entries_are_added_one_or_several_and_changed(api: Api) -> None:
    found(api, max_entries=4)
    new = {"player": "nina", "create_players": True, "names": [{"handle": "nina", "name": "Nina Novak"}]}
    added = api.post(f"{EVENING}entries/", new)
    assert (added.status_code, added.data["number"], added.data["name"]) == (201, 5, "Nina Novak")
    assert (added.data["player"], added.data["players"], added.data["status"]) == ("nina", ["nina"], "waiting")
    twice = api.post(f"{EVENING}entries/", {"entries": [{"player": "anna"}, {"player": "nobody"}]})
    assert twice.status_code in (400, 422)
    assert {error["pointer"] for error in twice.data["errors"]} <= {"/entries/0/players/0", "/entries/1/players/0"}
    single = api.post(f"{EVENING}entries/", {"player": "nobody"})
    assert [error["pointer"] for error in single.data["errors"]] == ["/player"]
    bodies: list[Any] = [{"players": ["anna"], "player": "ben"}, {"players": []}, {}, [], {"entries": []}, [3]]
    for body in bodies:
        assert api.post(f"{EVENING}entries/", body).status_code == 400, body
    one = f"{EVENING}entries/2/"
    changed = api.patch(one, {"byes": [{"round": 2, "kind": "half_bye"}], "not_against": [1], "checked_in": True})
    assert (changed.status_code, changed.data["byes"]) == (200, [{"round": 2, "kind": "half_bye"}])
    assert (changed.data["checked_in"], api.get(f"{EVENING}entries/1/").data["not_against"]) == (True, [2])
    assert api.patch(one, {"status": "withdrawn"}).data["status"] == "withdrawn"
    # The first of the waiting list moves up.
    assert [entry["status"] for entry in api.get(f"{EVENING}entries/").data["results"]] == [
        "entered", "withdrawn", "entered", "entered", "entered",
    ]  # fmt: skip
    assert api.get(f"{EVENING}entries/9/").status_code == 404


def test_a_round_is_proposed_made_published_and_undone(api: Api) -> None:
    found(api)
    api.post(f"{EVENING}start/", None)
    proposed = api.post(f"{EVENING}rounds/?dry_run=true", {})
    assert (proposed.status_code, proposed.data["number"], proposed.data["status"]) == (200, 1, "made")
    assert api.get(f"{EVENING}rounds/").data["results"] == []
    made = api.post(f"{EVENING}rounds/", {"number": 1, "starts": "2024-03-06T18:00:00Z"})
    assert [fixture["entries"] for fixture in made.data["fixtures"]] == [
        fixture["entries"] for fixture in proposed.data["fixtures"]
    ]
    assert sorted(number for fixture in made.data["fixtures"] for number in fixture["entries"]) == [1, 2, 3, 4]
    assert (made.data["breaches"], made.data["outdated"]) == ([], None)
    assert made.data["fixtures"][0]["starts"] == "2024-03-06T18:00:00Z"
    assert api.post(f"{EVENING}rounds/", {"number": 1}).status_code == 409
    for path in ("rounds/", "fixtures/"):
        assert Api().get(f"{EVENING}{path}").data["results"] == []
    assert Api().get(f"{EVENING}rounds/1/").status_code == 404
    assert api.call("delete", f"{EVENING}rounds/1/").status_code == 204
    assert api.get(f"{EVENING}rounds/1/").status_code == 404
    fixtures = pair(api)
    assert Api().get(f"{EVENING}rounds/1/").data["fixtures"] == fixtures
    play(api, fixtures[0], 1, 0)
    assert api.call("delete", f"{EVENING}rounds/1/").status_code == 422


@long_way
def test_fixtures_are_filtered_changed_and_forfeited(api: Api) -> None:
    found(api)
    api.post(f"{EVENING}start/", None)
    first, second = pair(api)
    white, black = first["entries"]
    address = f"{EVENING}fixtures/{first['id']}/"
    assert [one["id"] for one in api.get(f"{EVENING}fixtures/?entry={white}").data["results"]] == [first["id"]]
    assert api.get(f"{EVENING}fixtures/?round=2").data["results"] == []
    assert api.get(f"{EVENING}fixtures/?status=lost").status_code == 400
    swapped = api.patch(address, {"entries": [black, white], "reason": "By lot.", "table": 7, "venue": "Hall"})
    assert (swapped.status_code, swapped.data["entries"]) == (200, [black, white])
    assert (swapped.data["table"], swapped.data["venue"]) == (7, "Hall")
    forfeited = api.post(f"{address}result/", {"forfeit": [white], "reason": "no_show"})
    assert (forfeited.status_code, forfeited.data["kind"]) == (201, "forfeit")
    read = api.get(address)
    assert (read.data["status"], read.data["reason"], read.data["game"]) == ("forfeited", "no_show", 1)
    assert [(one["entry"], one["points"]) for one in read.data["results"]] == [(black, 1.0), (white, 0.0)]
    again = api.post(f"{address}result/", {"results": [{"score": 1}, {"score": 0}]})
    assert (again.status_code, Game.objects.count()) == (409, 1)
    assert api.post(f"{EVENING}fixtures/{second['id']}/result/", {"results": [{"score": 1}]}).status_code in (400, 422)
    assert api.post(f"{EVENING}fixtures/99/result/", {"results": [{"score": 1}]}).status_code == 404


@long_way
def test_free_fixtures_are_added_by_hand(api: Api) -> None:
    found(api, format="free", rounds=None)
    api.post(f"{EVENING}start/", None)
    one = api.post(f"{EVENING}fixtures/", {"entries": [1, 2], "deadline": "2124-04-30T22:00:00Z"})
    assert (one.status_code, one.data["status"], one.data["names"]) == (201, "planned", ["Anna", "Ben"])
    two = api.post(f"{EVENING}fixtures/", [{"entries": [1, 3]}, {"entries": [2, 3]}])
    assert [fixture["id"] for fixture in two.data["fixtures"]] == [2, 3]
    assert api.patch(f"{EVENING}fixtures/3/", {"status": "cancelled", "reason": "Ill."}).data["status"] == "cancelled"
    refused = api.post(f"{EVENING}fixtures/", [{"entries": [1, 9]}])
    assert (refused.status_code, len(api.get(f"{EVENING}fixtures/").data["results"])) == (422, 3)
    game = {"results": [{"player": "cleo", "score": 1}, {"player": "anna", "score": 0}]}
    recorded = api.post("leagues/club/games/", {**game, "fixture": 2})
    assert (recorded.status_code, recorded.data["fixture"]) == (201, 2)
    assert api.get("leagues/club/games/1/").data["fixture"] == 2


def test_standings_are_ranked_explained_and_finished(api: Api) -> None:
    start_round_robin(api, tie_breaks=["DE", "SB"])
    fixtures = api.get(f"{EVENING}fixtures/").data["results"]
    assert len(fixtures) == 6
    # The lower number wins, but anna and ben draw.
    for fixture in fixtures:
        white, black = fixture["entries"]
        scores = (0.5, 0.5) if {white, black} == {1, 2} else (1, 0) if white < black else (0, 1)
        play(api, fixture, *scores)
    table = Api().get(f"{EVENING}standings/")
    assert (table.data["round"], table.data["tie_breaks"]) == (3, ["DE", "SB"])
    rows = table.data["results"]
    assert [(row["rank"], row["entry"]["player"], row["points"]) for row in rows] == [
        (1, "anna", 2.5), (1, "ben", 2.5), (3, "cleo", 1.0), (4, "dan", 0.0),
    ]  # fmt: skip
    # SB of anna: half of ben's 2.5, cleo's 1 and dan's 0.
    assert rows[0]["tie_breaks"] == {"DE": 0.5, "SB": 2.25}
    assert (rows[0]["decided_by"], rows[0]["possible_ranks"], rows[0]["possible_ranks_exact"]) == (None, [1, 1], True)
    explained = api.get(f"{EVENING}standings/1/").data
    values = {value["code"]: value for value in explained["tie_breaks"]}
    assert {code: sum(part["amount"] for part in value["parts"]) for code, value in values.items()} == {
        "PTS": 2.5, "DE": 0.5, "SB": 2.25,
    }  # fmt: skip
    assert sorted(part["opponent"] for part in values["SB"]["parts"] if part["amount"]) == [2, 3]
    other = api.get(f"{EVENING}standings/?round=1&tie_breaks=win,aro").data
    assert (other["round"], other["tie_breaks"], other["results"][0]["possible_ranks"]) == (1, ["WIN", "ARO"], None)
    unknown = api.get(f"{EVENING}standings/?tie_breaks=XX")
    assert (unknown.status_code, unknown.data["errors"][0]["pointer"]) == (400, "?tie_breaks")
    assert "BH" in unknown.data["detail"]
    assert api.get(f"{EVENING}standings/?round=4").status_code == 400
    lines = api.get(f"{EVENING}standings/?format=csv").content.decode().splitlines()
    assert lines[0].startswith("rank,entry.number,entry.player,entry.name,points,tie_breaks.DE,tie_breaks.SB")
    assert lines[3].startswith("3,3,cleo,Cleo,1.0,")
    assert api.post(f"{EVENING}finish/", {}).data["status"] == "finished"
    (edition,) = api.get(f"{EVENING}editions/").data["results"]
    assert api.get(f"{EVENING}editions/1/").status_code == 200
    assert len(edition["sha256"]) == 64


def test_a_card_and_the_cross_table_show_every_meeting(api: Api) -> None:
    start_round_robin(api)
    for fixture in api.get(f"{EVENING}fixtures/?entry=1").data["results"]:
        play(api, fixture, *((1, 0) if fixture["entries"][0] == 1 else (0, 1)))
    card = api.get(f"{EVENING}entries/1/card/").data
    assert (card["entry"], card["points"], card["rank"]) == (
        {"number": 1, "player": "anna", "name": "Anna", "rating": 2000}, 3.0, 1,
    )  # fmt: skip
    # The mean of 1900, 1800 and 1700; 800 more for a score of 100%.
    assert card["performance"]["ARO"] == {"value": 1800.0, "reason": None}
    assert card["performance"]["TPR"]["value"] == 2600.0
    assert [one["points"] for one in card["rounds"]] == [1.0, 1.0, 1.0]
    assert sorted(one["opponents"][0]["rating"] for one in card["rounds"]) == [1700, 1800, 1900]
    assert all(one["rating_changes"][0]["change"] > 0 for one in card["rounds"])
    table = api.get(f"{EVENING}cross-table/").data["results"]
    assert [len(row["meetings"]) for row in table] == [3, 3, 3, 3]
    assert table[0]["entry"]["number"] == 1
    idle = api.get(f"{EVENING}entries/2/card/").data
    assert [one["points"] for one in idle["rounds"]].count(None) == 2


def test_the_formats_and_tie_breaks_are_described() -> None:
    formats = {one["key"]: one for one in Api().get("pairing-formats/").data["results"]}
    assert set(formats) == {"double_knockout", "free", "knockout", "round_robin", "swiss", "tables"}
    assert Api().get("pairing-formats/swiss/").data == formats["swiss"]
    assert formats["tables"]["parameters"]["type"] == "object"
    assert Api().get("pairing-formats/ladder/").status_code == 404
    codes = {one["code"]: one for one in Api().get("tie-breaks/").data["results"]}
    assert {"PTS", "DE", "BH", "SB", "ARO", "SCORE"} <= set(codes)
    assert "/C1" in [modifier["example"] for modifier in codes["BH"]["modifiers"]]
