"""A game like one of the last hour is recorded, and the answer names that one."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.games.services.record import void_game
from league.models import Game
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db

GAMES = "leagues/club/games/"
FOUR = (("anna", 30.0), ("ben", 20.0), ("cleo", 10.0), ("dan", -60.0))


def sent(**more: Any) -> dict[str, Any]:
    """Return a game of four; what is given replaces or adds to it."""
    return {**game(*FOUR), **more}


def results(*seats: int, **first: Any) -> list[dict[str, Any]]:
    """Return the results of these of the four in this order; ``first`` changes the first one."""
    found: list[dict[str, Any]] = [{"player": FOUR[seat][0], "score": FOUR[seat][1]} for seat in seats]
    return [{**found[0], **first}, *found[1:]]


@pytest.fixture
def api() -> Api:
    """Return the API of a league in which a game was recorded just now."""
    make_league()
    api = Api("record")
    assert "similar" not in api.post(GAMES, sent()).data
    return api


@pytest.mark.parametrize(
    ("more", "similar"),
    [
        ({}, [1]),
        ({"played_at": "2024-03-01T10:00:00Z", "note": "x", "metadata": {"a": "1"}, "weight": None}, [1]),
        ({"results": results(1, 0, 2, 3)}, None),
        ({"results": results(0, 1, 3, 2)}, None),
        ({"results": results(0, 1, 2, 3, score=29)}, None),
        ({"kind": "friendly"}, None),
        ({"external_id": "x"}, None),
    ],
)
def test_who_sits_where_and_what_came_of_it_is_compared(api: Api, more: dict[str, Any], similar: Any) -> None:
    answer = api.post(GAMES, sent(**more))
    assert (answer.status_code, answer.data.get("similar")) == (201, similar), answer.data
    assert Game.objects.count() == 2
    assert "similar" not in api.get(f"{GAMES}2/").data


def test_details_are_compared() -> None:
    make_league("preferans", ("anna", "ben", "cleo"))
    api = Api("record")
    body = game(("anna", 40), ("ben", -20), ("cleo", -20))
    found = [api.post(GAMES, {**body, "details": {"bula": bula}}).data.get("similar") for bula in (30, 31, 30, 30)]
    assert found == [None, None, [1], [1, 3]]


@pytest.mark.parametrize(
    ("change", "similar"),
    [
        (lambda one: Game.objects.update(recorded_at=one.recorded_at - timedelta(minutes=59)), [1]),
        (lambda one: Game.objects.update(recorded_at=one.recorded_at - timedelta(minutes=61)), None),
        (lambda one: void_game(one.league_id, 1, reason="No.", username="test"), None),
    ],
)
def test_only_games_of_the_last_hour_that_count(api: Api, change: Callable[[Game], Any], similar: Any) -> None:
    change(Game.objects.get())
    assert api.post(GAMES, sent()).data.get("similar") == similar


def test_a_key_names_the_request_and_its_answer_names_no_other(api: Api) -> None:
    key = {"Idempotency-Key": "k"}
    first, again = (api.post(GAMES, sent(), **key) for _ in range(2))
    assert (first.status_code, again["Idempotency-Replayed"], "similar" in first.data) == (201, "true", False)
    assert api.post(GAMES, sent(), **{"Idempotency-Key": "l"}).data["id"] == 3


def test_it_costs_one_query_and_only_where_nothing_names_the_game(api: Api) -> None:
    def count(**more: Any) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert api.post(GAMES, sent(**more)).status_code == 201
        return sum("recorded_at" in one["sql"] and one["sql"].startswith("SELECT") for one in asked.captured_queries)

    assert count() - count(external_id="x") == 1
