"""Reading: systems, leagues, players, the document, health, and what each answer costs."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from league.apps.laboratory.services.second_board import choose_second_board
from league.core.accounts.services.tokens import make_token
from league.core.db.bounded_cache import cache
from league.core.dispatch.sweep import run_requested_job
from league.core.errors import Invalid
from league.models import Token
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league, record, sheet

pytestmark = pytest.mark.django_db


def test_systems_describe_themselves() -> None:
    api = Api()
    listed = {entry["key"]: entry for entry in api.get("systems/").data["results"]}
    assert set(listed) >= {"barbu", "durak", "elo", "preferans", "serpentine"}
    durak = api.get("systems/durak/").data
    assert durak == listed["durak"]
    assert durak["parameters"]["properties"]["scale"]["default"] == 400
    assert {ruling["number"] for ruling in durak["rulings"]} == {"R9", "R10", "R118"}
    assert (listed["preferans"]["players"]["min"], listed["preferans"]["players"]["max"]) == (3, 3)


def test_leagues_are_made_read_and_changed() -> None:
    api = Api("organise")
    rule = {"from": "2013-01-01", "system": "barbu", "parameters": {"half_life": 50}}
    made = api.post("leagues/", {"slug": "barbu", "title": "Barbu", "time_zone": "Europe/Paris", "rule": rule})
    # A rule tells every parameter, not only what was sent.
    whole = {
        "half_life": 100, "strength": "halving", "j": 1.04, "score_transform": "none", "newcomer_count": "before",
        "newcomer_games": 5, "zero_sum": "table", "demand_total": "no", "total": 0, "winner": "highest",
    }  # fmt: skip
    rule |= {"parameters": {**whole, "half_life": 50}, "start": "replayed"}
    assert made.data == {
        "slug": "barbu", "title": "Barbu", "game": "", "description": "", "time_zone": "Europe/Paris",
        "visibility": "public", "min_games": 1, "inactive_after_days": None, "close_after_hours": 24,
        "closing": "automatic", "language": "en", "reporting": "off", "report_hours": 48, "report_timeout": "wait",
        "colour": "auto", "division": "auto", "charge": "auto", "rule": rule, "metadata": {},
        "emblem": {"colour": "auto", "field": "auto", "symbol": "auto"},
        "url": "http://testserver/api/v1/leagues/barbu/",
    }  # fmt: skip
    assert made["Location"] == made.data["url"]
    changed = api.patch("leagues/barbu/", {"min_games": 5, "inactive_after_days": 90, "game": "Barbu"})
    assert changed.data == {**made.data, "min_games": 5, "inactive_after_days": 90, "game": "Barbu"}
    assert Api().get("leagues/barbu/").data == changed.data
    second = {"from": "2015-01-01", "system": "barbu", "parameters": whole, "start": "replayed"}
    assert api.post("leagues/barbu/rules/", {**second, "parameters": {}}).data == second
    assert api.get("leagues/barbu/rules/").data["results"] == [rule, second]
    assert api.get("leagues/").data["results"][0]["rule"] == second


def test_players_are_added_found_changed_and_paged() -> None:
    api = Api("record")
    made = api.post("players/", {"handle": "ana", "name": "Ана Марија", "aliases": ["Ana M."]})
    assert (made.status_code, made.data["aliases"]) == (201, ["Ana M."])
    for handle in ("ben", "cleo", "dan"):
        api.post("players/", {"handle": handle})
    assert made.data.pop("similar") == []
    assert api.get("players/ana%20m./").data == made.data
    changed = api.patch("players/ana/", {"aliases": ["A."], "active": False}).data
    assert (changed["name"], changed["aliases"], changed["active"]) == ("Ана Марија", ["A."], False)
    first = api.get("players/?limit=3").data
    listed = first["results"] + api.get(first["next"]).data["results"]
    assert [entry["handle"] for entry in listed] == ["ana", "ben", "cleo", "dan"]


def test_a_player_before_the_first_game_stands_at_the_start() -> None:
    make_league("durak")
    assert Api().get("leagues/club/players/anna/").status_code == 404  # who stands in no book is for those who record
    card = Api("record").get("leagues/club/players/anna/").data
    assert (card["rating"], card["score"], card["games"], card["rank"]) == (1000, 820, 0, None)
    assert card["unlisted"] == "No game in this league yet."


#: Queries that an answer costs, whatever the size of the league. A change here is a change of speed.
COSTS = {
    "systems/": 0,
    "leagues/": 2,
    "leagues/club/": 2,
    "leagues/club/rules/": 2,
    "leagues/club/leaderboard/": 4,
    "leagues/club/leaderboard/?around=ben": 8,
    "leagues/club/games/": 5,
    "leagues/club/games/1/": 7,
    "leagues/club/games/1/explanation/": 7,
    "leagues/club/experiments/": 2,
    "leagues/club/second-board/": 7,
    "leagues/club/players/anna/": 9,
    "leagues/club/players/anna/history/": 5,
    "players/": 2,
    "players/anna/": 2,
}


def test_each_answer_costs_so_many_queries(django_assert_num_queries: Any) -> None:
    league = make_league(players=[f"p{number}" for number in range(10)] + ["anna", "ben"])
    for number in range(10):
        record(league, sheet(("anna", f"p{number}", "ben"), (1, 0, 2), minutes=number))
    run_requested_job(choose_second_board(league.pk, "elo", {"k": 40}).pk)
    for path, cost in COSTS.items():
        cache.clear()
        with django_assert_num_queries(cost, info=path):
            assert Api().get(path).status_code == 200


def test_recording_the_newest_game_costs_so_many_queries(django_assert_num_queries: Any) -> None:
    make_league()
    api = Api("record")
    api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    # Token, league; then in a transaction (2) lock, players, rules, game, results, log, its head, history, ratings;
    # and games like it.
    with django_assert_num_queries(14):
        api.post("leagues/club/games/", game(("anna", 1), ("ben", 0), ("cleo", 1), played_at="2024-03-06T12:00:00Z"))


def test_the_token_command_prints_the_token_last_and_it_works(capsys: pytest.CaptureFixture[str]) -> None:
    make_league()
    call_command("token", "server-9", "--scope", "organise", "--league", "club", "--expires", "30")
    text = capsys.readouterr().out.split()[-1]
    api = Api()
    api.headers["Authorization"] = f"Bearer {text}"
    assert api.patch("leagues/club/", {"min_games": 2}).status_code == 200
    with pytest.raises(CommandError, match="already"):
        call_command("token", "server-9")
    with pytest.raises(CommandError, match="no league “x”"):
        call_command("token", "server-10", "--league", "x")
    call_command("token", "server-9", "--revoke")
    assert api.get("leagues/").status_code == 401
    with pytest.raises(CommandError, match="no valid token “server-9”"):
        call_command("token", "server-9", "--revoke")
    assert Token.objects.get().revoked_at is not None


@pytest.mark.parametrize(("name", "scope"), [("", "read"), ("x" * 101, "read"), ("x", "everything")])
def test_a_token_needs_a_name_and_a_scope(name: str, scope: str) -> None:
    with pytest.raises(Invalid):
        make_token(name, scope)
