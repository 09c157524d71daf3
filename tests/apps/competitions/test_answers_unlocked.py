"""Answers to requests with an Idempotency-Key are written outside of the transaction, and are the same for everyone."""

import json
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
from django.db import connection

from league.apps.competitions.api import competitions, entries, files, fixtures, rounds
from league.apps.competitions.models import Fixture, Round
from league.models import Game, RequestKey
from league.web.api.core import idempotency
from league.web.api.players import lookup
from tests.helpers.api_client import Api, game
from tests.helpers.builders import FOUR, make_league
from tests.helpers.running_competitions import run_competition
from tests.helpers.threads import in_threads
from tests.helpers.tiers import long_way, mark_slow

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]
CUPS = "leagues/club/competitions/"
TABLE = "round,table,player_1,player_2,result,starts\n1,1,anna,ben,1:0,2024-03-06 19:00\n"


def send(api: Api, path: str, body: Any, key: str = "k-1") -> Any:
    return api.post(path, body, **{"Idempotency-Key": key})


def import_table(api: Api) -> Any:
    api.headers["Idempotency-Key"] = "file"
    return api.post_file(f"{CUPS}import/?title=Old", TABLE, "text/csv")


#: What is sent, and by which functions its answer is written or its file read.
WRITTEN: list[tuple[str, Any, Any, str]] = [
    ("cup/rounds/", {}, rounds, "load_competition"),
    ("cup/rounds/1/publish/", {}, rounds, "load_competition"),
    ("open/entries/", {"entries": [{"player": "eva"}, {"player": "finn"}]}, entries, "render_entry"),
    ("friendly/fixtures/", {"entries": [1, 2]}, fixtures, "load_competition"),
    ("open/start/", {}, competitions, "read_competition"),
    ("cup/cancel/", {"reason": "Too few."}, competitions, "read_competition"),
]


def make_cups() -> Api:
    league = make_league(players=(*FOUR, "eva", "finn"))
    run_competition(league, FOUR, rounds=3)
    api = Api("organise")
    for slug, pairing_format in (("open", "swiss"), ("friendly", "free")):
        made = api.post(CUPS, {"title": slug, "slug": slug, "format": pairing_format, "rounds": 3, "status": "open"})
        assert made.status_code == 201, made.data
        assert api.post(f"{CUPS}{slug}/entries/", [{"player": name} for name in FOUR[:2]]).status_code == 201
    assert api.post(f"{CUPS}friendly/start/", {}).status_code == 200
    return api


def watch(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[bool]:
    """Note whether a transaction is open whenever a function is called."""
    function: Callable[..., Any] = getattr(module, name)
    seen: list[bool] = []

    def call(*given: Any, **named: Any) -> Any:
        seen.append(connection.in_atomic_block)
        return function(*given, **named)

    monkeypatch.setattr(module, name, call)
    return seen


@long_way
def test_no_transaction_is_open_while_an_answer_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    api = make_cups()
    for number, (path, body, module, name) in enumerate(WRITTEN):
        with monkeypatch.context() as patch:
            seen = watch(patch, module, name)
            answer = send(api, CUPS + path, body, f"k-{number}")
        assert answer.status_code in (200, 201), (path, answer.data)
        assert seen, path
        assert not any(seen), path
        again = send(api, CUPS + path, body, f"k-{number}")
        assert (again.content, again["Idempotency-Replayed"]) == (answer.content, "true"), path
    seen = watch(monkeypatch, files, "read_competition_file")
    assert import_table(api).status_code == 201
    assert seen == [False]


def test_what_saves_nothing_is_answered_outside_and_keeps_its_key_after_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_league()
    api, path = Api("record"), "leagues/club/players/lookup/"
    assert send(api, path, {"players": []}).status_code == 400
    seen = watch(monkeypatch, lookup, "_render_found")
    first = send(api, path, {"players": ["anna"]})
    assert (first.status_code, seen) == (200, [False])
    assert send(api, path, {"players": ["anna"]}).content == first.content
    preview = "leagues/club/preview/"
    assert send(api, preview, game(("anna", 1), ("nobody", 0)), "k-2").status_code == 422
    assert send(api, preview, game(("anna", 1), ("ben", 0)), "k-2").status_code == 200


@pytest.mark.parametrize("seed", mark_slow(range(6), "One rule; one is drawn quickly.", but=[1]))
def test_who_is_killed_before_the_answer_is_stored_did_it_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    api, random = make_cups(), Random(seed)

    def die(*given: Any) -> Any:
        raise SystemExit

    for number, (path, body, _module, _name) in enumerate(WRITTEN[:4]):
        with monkeypatch.context() as patch:
            patch.setattr(idempotency, random.choice(["store_answer", "_build_stored"]), die)
            with pytest.raises(SystemExit):
                send(api, CUPS + path, body, f"k-{number}")
        connection.close()
        before = Round.objects.count(), Fixture.objects.count(), Game.objects.count()
        answers = in_threads([partial(send, api, CUPS + path, body, f"k-{number}")] * 4)
        assert {answer.status_code for answer in answers} <= {200, 201}, [answer.data for answer in answers]
        assert len({answer.content for answer in answers}) == 1
        assert (Round.objects.count(), Fixture.objects.count(), Game.objects.count()) == before
        stored = RequestKey.objects.get(key=f"k-{number}")
        assert (stored.status, json.loads(stored.body)) == (answers[0].status_code, answers[0].data)


def test_a_round_that_was_undone_before_its_answer_was_written_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    api = make_cups()
    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "_build_stored", lambda *given: 1 / 0)
        assert send(api, f"{CUPS}cup/rounds/", {}).status_code == 500
    assert api.call("delete", f"{CUPS}cup/rounds/1/").status_code == 204
    assert send(api, f"{CUPS}cup/rounds/", {}).status_code == 404
    assert send(api, f"{CUPS}cup/rounds/", {}, "k-2").status_code == 201
