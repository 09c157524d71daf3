"""Many games at once: each recorded or refused on its own, in the order sent, under one lock, once under a key."""

import json
from typing import Any

import pytest

from league.core.verify.run import verify_league
from league.models import Game, Player
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league
from tests.helpers.log_reading import log_kinds

pytestmark = pytest.mark.django_db
PATH = "leagues/club/games/batch/"
NDJSON = "application/x-ndjson"


def lines(answer: Any) -> list[dict[str, Any]]:
    """Return the lines of an answer."""
    assert (answer.status_code, answer["Content-Type"]) == (200, NDJSON), answer.content
    return [json.loads(line) for line in answer.content.decode().splitlines()]


def at(minute: int, *scores: tuple[str, float], **more: Any) -> dict[str, Any]:
    """Return a game of a minute."""
    return game(*scores, **{"played_at": f"2024-03-05T19:{minute:02}:00Z", **more})


GOOD = [at(0, ("anna", 1), ("ben", 0)), at(1, ("ben", 1), ("cleo", 0)), at(2, ("anna", 0.5), ("cleo", 0.5))]


@pytest.mark.parametrize("form", ["array", "lines"])
def test_each_game_is_recorded_or_refused_on_its_own_in_the_order_sent(form: str) -> None:
    league = make_league()
    api = Api("record")
    unknown, absurd = at(1, ("anna", 1), ("zoe", 0)), at(3, ("anna", 1e12), ("ben", 0))
    sent = [GOOD[0], unknown, GOOD[1], {"results": 5}, absurd, GOOD[2]]
    texts = [*map(json.dumps, sent), {"array": '"text"', "lines": "not json"}[form]]
    array = f"[{','.join(texts)}]", "application/json"
    told = lines(api.post_file(PATH, *(array if form == "array" else ("\n\n".join(texts), NDJSON))))
    assert [one["status"] for one in told] == [201, 422, 201, 400, 422, 201, 400]
    assert [one["game"]["id"] for one in told if "game" in one] == [1, 2, 3]
    *refused, last = [one["problem"] for one in told if "problem" in one]
    assert [one["errors"][0]["code"] for one in refused] == ["unknown_player", "players", "out_of_bounds"]
    assert (last["code"], "not JSON" in last["detail"]) == ("invalid", form == "lines")
    assert verify_league(league.pk).differences == []


@pytest.mark.engine
@pytest.mark.parametrize("line", [None, {}, 5, "text", {"results": []}])
def test_a_batch_without_a_line_that_is_a_game_refuses_each(line: Any) -> None:
    make_league()
    assert [one["status"] for one in lines(Api("record").post(PATH, [line, line]))] == [400, 400]


def test_a_game_that_is_known_is_answered_and_one_under_its_id_is_a_conflict() -> None:
    make_league()
    api = Api("record")
    known = {**GOOD[0], "external_id": "s/1"}
    told = lines(api.post(PATH, [known, known, {**known, "note": "other"}]))
    assert [(one["status"], one.get("game", {}).get("id")) for one in told] == [(201, 1), (200, 1), (409, None)]
    assert Game.objects.count() == 1


def test_what_a_refused_game_has_added_is_taken_back() -> None:
    league = make_league()
    bad = at(0, ("newcomer", 1), ("ben", 1e12), create_players=True)
    good = at(1, ("second", 1), ("ben", 0), create_players=True)
    told = lines(Api("record").post(PATH, [GOOD[0], bad, good]))
    assert [one["status"] for one in told] == [201, 422, 201]
    assert log_kinds(league)[-3:] == ["game.recorded", "player.created", "game.recorded"]
    assert not Player.objects.filter(handle="newcomer").exists()
    assert Player.objects.filter(handle="second").exists()
    assert verify_league(league.pk).differences == []


def test_under_a_key_the_whole_answer_is_kept() -> None:
    make_league()
    api = Api("record")
    sent = [GOOD[0], {"results": 5}]
    first = api.post(PATH, sent, **{"Idempotency-Key": "batch-1"})
    again = api.post(PATH, sent, **{"Idempotency-Key": "batch-1"})
    assert lines(again) == lines(first)
    assert (first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (None, "true")
    assert Game.objects.count() == 1


def test_a_batch_has_one_to_a_thousand_games_and_who_accepts_json_only_gets_an_array() -> None:
    make_league()
    api = Api("record")
    bodies: list[Any] = [[], {}, [GOOD[0]] * 1001, "x"]
    for body in bodies:
        answer = api.call("post", PATH, json.dumps(body))
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert not Game.objects.exists()
    answer = api.post(PATH, GOOD, Accept="application/json")
    assert (answer["Content-Type"], [one["status"] for one in answer.data]) == ("application/json", [201, 201, 201])
