"""Many players in one request: ``leagues/{league}/players/?players=a,b,c`` and ``players/lookup/``."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.players.services.players import add_player, set_active
from league.models import LogEntry, RatingChange
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league, player_of, record, sheet
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

TABLE = "leagues/club/players/?players="
LOOKUP = "leagues/club/players/lookup/"
#: Ahead, two level, behind; gone; too few games; a start of their own; nothing at all.
PEOPLE = ("anna", "ben", "cleo", "dan", "eva", "finn", "gus", "hal")


def build() -> None:
    """Make a league of players in every state of listing."""
    league = make_league(players=PEOPLE, starts={"gus": 1712.5}, min_games=2)
    for minutes in (0, 10):
        record(league, sheet(PEOPLE[:5], (3, 2, 2, 1, 0), minutes=minutes))
    record(league, sheet(("finn", "dan"), (0, 0), minutes=20))
    set_active(league.pk, player_of("eva"), False)


built = built_once(build)


def test_each_row_is_where_the_player_stands_alone_in_the_order_asked() -> None:
    order = ["hal", "cleo", "anna", "gus", "ben", "eva", "dan", "finn", "anna"]
    api = Api("record")
    answer = api.get(TABLE + ",".join(order))
    assert (answer.status_code, answer.data["unknown"]) == (200, [])
    assert [row["player"] for row in answer.data["results"]] == order
    for row in answer.data["results"]:
        alone = api.get(f"leagues/club/players/{row['player']}/").data
        assert {**alone, **row} == alone, "every figure is the one of the player's own address"
    ranks = {row["player"]: row["rank"] for row in answer.data["results"]}
    assert ranks == {"anna": 1, "ben": 2, "cleo": 2, "dan": 4, "eva": None, "finn": None, "gus": None, "hal": None}
    assert {row["player"]: row["rating"] for row in answer.data["results"]}["gus"] == 1712.5


def test_spellings_are_understood_and_who_is_not_there_or_hidden_is_unknown() -> None:
    add_player("ivo", "Ivo", ["Ivo Ivić"])
    make_league(slug="other", players=("zoe", "yan"), visibility="private")
    record(make_league(slug="third", visibility="private"), sheet(("zoe", "yan"), (1, 0)))
    asked = TABLE + "nobody,ANNA,zoe,Ivo%20Ivi%C4%87"
    stranger, staff = Api().get(asked).data, Api("read").get(asked).data
    assert ([row["player"] for row in stranger["results"]], stranger["unknown"]) == (
        ["anna"], ["nobody", "zoe", "Ivo Ivić"],
    )  # fmt: skip
    assert ([row["player"] for row in staff["results"]], staff["unknown"]) == (["anna", "zoe", "ivo"], ["nobody"])


def test_one_to_two_hundred_are_asked_for() -> None:
    for query, status, code in (
        ("?players=" + ",".join(["anna"] * 200), 200, ""),
        ("?players=" + ",".join(["anna"] * 201), 400, "invalid"),
        ("?players=anna,,ben", 400, "invalid"),
        ("?players=anna,%20", 400, "invalid"),
        ("", 400, "missing"),
        ("?limit=3", 400, "unknown"),
    ):
        answer = Api().get(f"leagues/club/players/{query}")
        assert answer.status_code == status
        assert [fault["code"] for fault in answer.data.get("errors", [])] == ([code] if code else [])


def test_many_cost_as_many_queries_as_two() -> None:
    def count(players: str) -> int:
        Api().get(TABLE + players)
        with CaptureQueriesContext(connection) as asked:
            assert Api().get(TABLE + players).status_code == 200
        return len(asked)

    assert count("anna,ben,gus,hal") == count(",".join(PEOPLE * 20))


def test_an_answer_about_a_private_league_is_for_its_members() -> None:
    secret = make_league(slug="secret", visibility="private")
    path = "leagues/secret/players/?players=anna"
    assert [Api().get(path).status_code, Api("read", (secret,)).get(path).status_code] == [404, 200]
    assert "private" in Api("read", (secret,), "other").get(path)["Cache-Control"]


def looked_up(api: Api, *texts: str, **more: Any) -> Any:
    return api.post(LOOKUP, {"players": list(texts), **more}).data


def test_a_thousand_texts_are_looked_up_in_their_order() -> None:
    add_player("ivo", "Ivo Berg", ["Ivek"], external_ids={"discord": "77"})
    add_player("ivo2", "Ivo Berg")
    texts = ["BEN", "discord:77", "nobody", "hal", "Ivo Berg", "ivek", "ben"]
    api = Api("organise")
    found = looked_up(api, *texts)
    rows = [(row["asked"], row["player"], row["games"], row["rank"]) for row in found["results"]]
    assert rows == [
        ("BEN", "ben", 2, 2), ("discord:77", "ivo", 0, None), ("hal", "hal", 0, None), ("ivek", "ivo", 0, None),
        ("ben", "ben", 2, 2),
    ]  # fmt: skip
    assert (found["unknown"], found["ambiguous"]) == (["nobody"], ["Ivo Berg"])
    alone = Api().get("leagues/club/players/ben/").data
    assert found["results"][0]["rating"] == alone["rating"]
    many = looked_up(api, *PEOPLE * 125, fields=["rank"])
    assert [row["asked"] for row in many["results"]] == list(PEOPLE) * 125
    assert set(many["results"][0]) == {"asked", "player", "name", "rank"}


def test_a_lookup_says_to_which_position_of_the_log_it_belongs() -> None:
    for scores in ((1, 0), (0, 1)):
        record(league_of(), sheet(("anna", "ben"), scores, minutes=30 + scores[0]))
        answer = Api().post(LOOKUP, {"players": ["anna"]})
        newest = LogEntry.objects.filter(league__slug="club").latest("position").position
        assert (answer.data["as_of"], answer["ETag"]) == (newest, f'"{newest}"')


def test_a_deviation_is_told_where_the_system_has_one() -> None:
    for slug, system in (("g", "glicko"), ("t", "trueskill"), ("e", "elo")):
        league = make_league(system, players=(), slug=slug)
        record(league, sheet(("anna", "ben"), (1, 0)))
        (row,) = Api().post(f"leagues/{slug}/players/lookup/", {"players": ["anna"]}).data["results"]
        (state,) = RatingChange.objects.filter(league=league, player__handle="anna").values_list("state_1", flat=True)
        assert row["deviation"] == (None if system == "elo" else state)


def test_what_cannot_be_looked_up_is_refused_with_its_field() -> None:
    for body, pointer in (
        ({"players": ["anna"] * 1001}, "/players"), ({"players": []}, "/players"), ({}, "/players"),
        ({"players": [None]}, "/players/0"), ({"players": ["anna"], "fields": ["peak"]}, "/fields"),
        ({"players": ["anna"], "fields": []}, "/fields"), ({"players": ["anna"], "fields": None}, "/fields"),
    ):  # fmt: skip
        answer = Api().post(LOOKUP, body)
        assert answer.status_code == 400
        assert [error["pointer"] for error in answer.data["errors"]] == [pointer], body


def test_a_lookup_tells_strangers_nothing_of_ids_and_private_leagues() -> None:
    add_player("ivo", "Ivo", external_ids={"discord": "77"})
    record(make_league(slug="secret", visibility="private", players=("zoe", "yan")), sheet(("zoe", "yan"), (1, 0)))
    assert looked_up(Api(), "discord:77", "zoe", "anna")["unknown"] == ["discord:77", "zoe"]
    assert Api().post("leagues/secret/players/lookup/", {"players": ["zoe"]}).status_code == 404


def test_many_are_looked_up_with_as_many_queries_as_two() -> None:
    def count(texts: list[str]) -> int:
        Api().post(LOOKUP, {"players": texts})
        with CaptureQueriesContext(connection) as asked:
            assert Api().post(LOOKUP, {"players": texts}).status_code == 200
        return len(asked)

    assert count([*PEOPLE, "nobody"]) == count([*PEOPLE, *(f"nobody {number}" for number in range(500))])
