"""Fields that a league declares: over the API, in logs and exports, and in what ``verify`` compares."""

import json
from io import BytesIO
from typing import Any

import pytest

from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import DeclaredField, Game, GameValue, League, PlayerValue
from tests.helpers.api_client import Api, game
from tests.helpers.builders import EVENING, make_league

pytestmark = pytest.mark.django_db

FIELDS = "leagues/club/fields/"
GAMES = "leagues/club/games/"
MAP = {"key": "map", "title": "Map", "of": "game", "type": "choice", "choices": ["dust", "mirage"], "required": True}
HERO = {"key": "hero", "title": "Hero", "of": "seat", "type": "text", "visible": "all"}
PING = {"key": "ping", "title": "Ping", "of": "seat", "type": "number", "visible": "organisers"}
CLAN = {"key": "clan", "title": "Clan", "of": "player", "type": "choice", "choices": ["red", "blue"]}
CANARY = "c4n4ry"
HIDDEN = {"key": "hidden", "title": "Hidden", "of": "game", "type": "text", "visible": "organisers"}


def declared(*fields: dict[str, Any]) -> tuple[League, Api]:
    """Return a league with declared fields, and an organiser's client."""
    league, api = make_league(), Api("organise")
    for field in fields:
        assert api.post(FIELDS, field).status_code == 201
    return league, api


def test_a_field_is_declared_listed_changed_and_retired() -> None:
    _league, api = declared(MAP, HIDDEN)
    assert [field["key"] for field in api.get(FIELDS).data["results"]] == ["map", "hidden"]
    assert [field["key"] for field in Api().get(FIELDS).data["results"]] == ["map"]
    assert Api().get(f"{FIELDS}hidden/").status_code == 404
    assert api.get(f"{FIELDS}map/").data == {**MAP, "visible": "all", "from": None, "retired": False}
    changed = api.patch(f"{FIELDS}map/", {"title": "Ground", "choices": ["nuke", "dust", "mirage"]}).data
    assert (changed["title"], changed["choices"]) == ("Ground", ["nuke", "dust", "mirage"])
    assert api.patch(f"{FIELDS}map/", {"choices": ["dust"]}).status_code == 422
    assert api.patch(f"{FIELDS}map/", {"key": "other"}).status_code == 400
    assert api.post(FIELDS, MAP).status_code == 409
    assert api.patch(f"{FIELDS}map/", {"retired": True}).data["retired"] is True
    answer = api.post(GAMES, game(("anna", 1), ("ben", 0), fields={"map": "dust"}))
    assert answer.data["errors"][0]["code"] == "retired_field"


def test_games_cannot_require_what_no_sheet_asks_for() -> None:
    """Sheets leave out what only organisers may read; values of players are set by organisers alone."""
    _league, api = declared(HIDDEN, {**CLAN, "visible": "organisers", "required": True})
    for kind in ("game", "seat"):
        refused = api.post(FIELDS, {**HIDDEN, "key": "secret", "of": kind, "required": True})
        assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (422, "/required")
    assert api.patch(f"{FIELDS}hidden/", {"required": True}).data["errors"][0]["code"] == "not_asked_for"
    assert api.patch(f"{FIELDS}hidden/", {"title": "Ping"}).status_code == 200
    # A league restored from an earlier export may have one: its games are recorded without it.
    DeclaredField.objects.filter(key="hidden").update(required=True)
    assert api.post(GAMES, game(("anna", 1), ("ben", 0))).status_code == 201


@pytest.mark.parametrize(
    ("fields", "seat", "pointer", "code"),
    [
        ({}, {}, "/fields/map", "missing"),
        ({"map": "nuke"}, {}, "/fields/map", "unknown_choice"),
        ({"map": "dust", "mode": "duel"}, {}, "/fields/mode", "undeclared_field"),
        ({"map": "dust", "hero": "x"}, {}, "/fields/hero", "undeclared_field"),
        ({"map": "dust", "ranked": "true"}, {}, "/fields/ranked", "not_a_flag"),
        ({"map": "dust", "ranked": 1}, {}, "/fields/ranked", "not_a_flag"),
        ({"map": "dust", "day": "2024-3-5"}, {}, "/fields/day", "not_a_date"),
        ({"map": "dust", "late": "x"}, {}, "/fields/late", "before_the_field"),
        ({"map": "dust"}, {"ping": True}, "/results/0/fields/ping", "not_a_number"),
        ({"map": "dust"}, {"hero": "x" * 201}, "/results/0/fields/hero", "too_long"),
        ({"map": "dust", "clan": "red"}, {}, "/fields/clan", "undeclared_field"),
        ({"map": "dust", "elsewhere": "x"}, {}, "/fields/elsewhere", "undeclared_field"),
    ],
)
def test_wrong_values_are_refused_at_their_place(
    fields: dict[str, Any], seat: dict[str, Any], pointer: str, code: str
) -> None:
    ranked = {"key": "ranked", "title": "Ranked", "of": "game", "type": "yes_no"}
    day = {"key": "day", "title": "Day", "of": "game", "type": "date"}
    late = {"key": "late", "title": "Late", "of": "game", "type": "text", "from": "2024-03-06"}
    _league, api = declared(MAP, HERO, PING, CLAN, ranked, day, late)
    make_league(slug="other")
    elsewhere = {"key": "elsewhere", "title": "Elsewhere", "of": "game", "type": "text"}
    assert api.post("leagues/other/fields/", elsewhere).status_code == 201
    sent = game(("anna", 1), ("ben", 0), fields=fields)
    sent["results"][0]["fields"] = seat
    answer = api.post(GAMES, sent)
    assert answer.status_code == 422
    assert [(error["pointer"], error["code"]) for error in answer.data["errors"]] == [(pointer, code)]
    assert not Game.objects.exists()


def test_values_come_back_filter_and_survive_a_correction() -> None:
    league, api = declared(MAP, HERO, PING)
    sent = game(("anna", 1), ("ben", 0), fields={"map": "dust"})
    sent["results"][1]["fields"] = {"hero": "Zed", "ping": 30}
    answer = api.post(GAMES, sent)
    assert answer.data["fields"] == {"map": "dust"}
    assert [result["fields"] for result in answer.data["results"]] == [{}, {"hero": "Zed", "ping": 30}]
    public = Api().get(f"{GAMES}1/").data
    assert [result["fields"] for result in public["results"]] == [{}, {"hero": "Zed"}]
    api.post(GAMES, game(("anna", 0), ("cleo", 1), fields={"map": "mirage"}, played_at="2024-03-06T19:30:00Z"))
    assert [one["number"] for one in Api().get(f"{GAMES}?field.map=dust").data["results"]] == [1]
    assert [one["number"] for one in Api().get(f"{GAMES}?field.hero=Zed").data["results"]] == [1]
    assert Api().get(f"{GAMES}?field.map=nuke").status_code == 400
    assert Api().get(f"{GAMES}?field.ping=30").status_code == 400
    assert [one["number"] for one in api.get(f"{GAMES}?field.ping=30").data["results"]] == [1]
    history = Api().get("leagues/club/players/anna/history/?field.map=mirage").data["results"]
    assert [line["game"] for line in history] == [2]
    board = Api().get("leagues/club/leaderboard/?field.map=mirage").data["results"]
    assert [(row["player"], row["rank"], row["rank_overall"]) for row in board] == [("cleo", 1, 1), ("anna", 2, 2)]
    turned = game(("ben", 1), ("anna", 0), reason="Turned.")
    corrected = api.post(f"{GAMES}1/correct/", turned).data
    assert corrected["fields"] == {"map": "dust"}
    assert [result["fields"] for result in corrected["results"]] == [{"hero": "Zed", "ping": 30}, {}]
    assert verify_league(league.pk).differences == []


def test_a_past_board_by_a_field_of_games_lists_those_who_had_played_with_it_by_then() -> None:
    """Anna meets Ben on one map, and Cleo two days later on the other, where Anna has another hero."""
    _league, api = declared(MAP, HERO)
    for day, (other, place, hero) in enumerate([("ben", "dust", "Zed"), ("cleo", "mirage", "Ahri")]):
        sent = game(("anna", 1), (other, 0), fields={"map": place}, played_at=f"2024-03-{5 + 2 * day:02}T19:30:00Z")
        sent["results"][0]["fields"] = {"hero": hero}
        assert api.post(GAMES, sent).status_code == 201
    for query, now in (
        ("field.map=dust", {"anna", "ben"}),
        ("field.map=mirage", {"anna", "cleo"}),
        ("field.hero=Ahri", {"anna"}),
    ):
        expected = {"2024-03-06": now if query.endswith("dust") else set(), "2024-03-08": now}
        for at, players in expected.items():
            assert {player for player, _rank, _overall in found(api, f"{query}&at={at}")} == players, (query, at)


def test_fields_of_players_filter_the_board() -> None:
    league, api = declared(CLAN, {**HIDDEN, "of": "player"})
    for number, (winner, loser) in enumerate([("anna", "ben"), ("ben", "cleo")]):
        at = f"2024-03-0{number + 1}T19:30:00Z"
        api.post(GAMES, game((winner, 1), (loser, 0), played_at=at))
    for player, clan in (("ben", "red"), ("cleo", "red"), ("anna", "blue")):
        values = {"clan": clan, "hidden": CANARY}
        assert api.patch(f"leagues/club/players/{player}/", {"fields": values}).data["fields"] == values
    assert Api().get("leagues/club/players/ben/").data["fields"] == {"clan": "red"}
    rows = Api().get("leagues/club/leaderboard/?field.clan=red").data["results"]
    assert [(row["player"], row["rank"], row["rank_overall"]) for row in rows] == [("ben", 1, 2), ("cleo", 2, 3)]
    assert api.patch("leagues/club/players/ben/", {"fields": {"clan": "green"}}).status_code == 422
    assert api.patch("leagues/club/players/ben/", {"fields": {"clan": None}}).data["fields"] == {"hidden": CANARY}
    assert PlayerValue.objects.filter(player__handle="ben").count() == 1
    assert verify_league(league.pk).differences == []


BORN = {"key": "born", "title": "Born", "of": "player", "type": "number", "visible": "members"}
COUNTRY = {"key": "country", "title": "Country", "of": "player", "type": "choice", "choices": ["SRB", "MNE"]}
CLUB = {"key": "club", "title": "Club", "of": "player", "type": "text"}
PEOPLE = {
    "anna": {"born": 1959, "country": "SRB", "club": "Partizan"},
    "ben": {"born": 1960, "country": "MNE", "club": "Partizan"},
    "cleo": {"born": 1989, "country": "SRB", "club": "Zvezda"},
    "dora": {"born": 1990, "country": "SRB"},
}


def found(api: Api, query: str, context: str = "") -> list[tuple[str, int, int]]:
    """Return who is on a board by a filter, with both ranks."""
    rows = api.get(f"leagues/club/{context}leaderboard/?{query}").data["results"]
    return [(row["player"], row["rank"], row["rank_overall"]) for row in rows]


def test_boards_by_club_country_and_year_of_birth_have_two_ranks() -> None:
    _league, api = declared(BORN, COUNTRY, CLUB)
    api.post("leagues/club/contexts/", {"slug": "all", "title": "All"})
    for number, (winner, loser) in enumerate([("anna", "ben"), ("ben", "cleo"), ("cleo", "dora"), ("anna", "dora")]):
        api.post(
            GAMES, game((winner, 1), (loser, 0), played_at=f"2024-03-0{number + 1}T19:30:00Z", create_players=True)
        )
    for player, values in PEOPLE.items():
        assert api.patch(f"leagues/club/players/{player}/", {"fields": values}).status_code == 200
    order = [row["player"] for row in api.get("leagues/club/leaderboard/").data["results"]]
    places = {player: place + 1 for place, player in enumerate(order)}
    for query, expected in (
        ("born_from=1960&born_to=1989", {"ben", "cleo"}),
        ("born_to=1959", {"anna"}),
        ("born_from=1990", {"dora"}),
        ("country=srb", {"anna", "cleo", "dora"}),
        ("club=Partizan&country=SRB", {"anna"}),
        ("club=Nobody", set()),
    ):
        ranked = [player for player in order if player in expected]
        rows = [(player, place + 1, places[player]) for place, player in enumerate(ranked)]
        for context in ("", "contexts/all/"):
            assert found(api, query, context) == found(api, f"{query}&at=2024-03-05", context) == rows
    assert found(api, "country=SRB&around=cleo&limit=1") == [("cleo", 2, places["cleo"])]
    first = api.get("leagues/club/leaderboard/?country=SRB&limit=2").data
    following = Api().get(first["next"].removeprefix("http://testserver/api/v1/")).data
    assert [row["player"] for row in (*first["results"], *following["results"])] == [
        one for one in order if one != "ben"
    ]
    assert following["next"] is None and [row["rank"] for row in following["results"]] == [3]
    stranger = Api().get("leagues/club/leaderboard/?born_from=1960")
    assert (stranger.status_code, stranger.data["errors"][0]["pointer"]) == (400, "?born_from")
    for query in ("country=FRA", "born_from=60", "born_from=x", "born_from=1990&born_to=1980", "country="):
        assert api.get(f"leagues/club/leaderboard/?{query}").status_code == 400, query


def test_withheld_values_are_for_organisers_and_a_public_export_is_restored() -> None:
    league, api = declared({**MAP, "required": False}, HIDDEN, PING, HERO, {**HIDDEN, "key": "own", "of": "player"})
    sent = game(("anna", 1), ("ben", 0), fields={"map": "dust", "hidden": CANARY})
    sent["results"][0]["fields"] = {"hero": CANARY, "ping": 77}
    assert api.post(GAMES, sent).status_code == 201
    assert api.patch("leagues/club/players/anna/", {"fields": {"own": CANARY}}).status_code == 200
    paths = ("changes/", "export/?format=ndjson", "export/?format=csv")
    for path in paths[:2]:
        public = b"".join(Api().get(f"leagues/club/{path}").streaming_content).decode()
        assert CANARY not in public and "dust" in public
        full = b"".join(api.get(f"leagues/club/{path}").streaming_content).decode()
        assert CANARY in full
    for aliases in (False, True):
        file = "".join(f"{line}\n" for line in export_lines(league.pk, EVENING, aliases=aliases)).encode()
        restored = restore_league(BytesIO(file), slug=f"again-{aliases}".lower(), known_players=True, by="test").league
        assert verify_league(restored.pk).differences == []
        assert GameValue.objects.filter(league=restored).count() == (4 if aliases else 1)
    assert json.loads(json.dumps(Game.objects.get(league=league).withheld))["game"] == {"hidden": CANARY}
