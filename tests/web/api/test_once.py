"""Idempotency keys: what is sent again is done once, whatever happens on the way."""

import json
from datetime import timedelta
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from league.core.errors import Busy, RequestUnderway
from league.core.games.services import idempotency
from league.models import Game, League, RequestKey
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league
from tests.helpers.threads import in_threads

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


WON = game(("anna", 1), ("ben", 0))
LOST = game(("anna", 0), ("ben", 1))
GAMES = "leagues/club/games/"


def send(api: Api, key: str = "k-1", body: Any = None, path: str = GAMES, **headers: str) -> Any:
    """Record a game under a key."""
    return api.post(path, WON if body is None else body, **{"Idempotency-Key": key}, **headers)


def test_a_game_that_is_sent_again_is_recorded_once_and_answered_alike() -> None:
    make_league()
    api = Api("record")
    first = send(api)
    again = send(api, '"k-1"', dict(reversed(WON.items())))
    assert (first.status_code, again.status_code, Game.objects.count()) == (201, 201, 1)
    assert again.content == first.content
    assert (again["ETag"], again["Location"]) == (first["ETag"], first["Location"])
    assert (first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (None, "true")
    assert again["Cache-Control"] == "private, no-store"
    assert send(api, "k-2").data["id"] == 2
    assert api.post(GAMES, WON).data["id"] == 3


def test_a_key_stands_for_one_request_of_one_asker() -> None:
    make_league()
    make_league(slug="other")
    api = Api("record")
    assert send(api).status_code == 201
    for answer in (send(api, body=LOST), send(api, path="leagues/other/games/"), send(api, **{"If-Match": '"x"'})):
        assert (answer.status_code, answer.data["code"]) == (422, "key_reused")
    assert send(Api("record", name="another")).data["id"] == 2
    signed_in = Api()
    signed_in.client.force_login(User.objects.create_superuser("eva"))
    assert [send(signed_in).data["id"] for _ in range(2)] == [3, 3]
    assert Game.objects.count() == 3


def test_an_error_leaves_the_key_free() -> None:
    make_league()
    api = Api("record")
    unknown = game(("anna", 1), ("nobody", 0))
    assert send(api, body=unknown).status_code == 422
    assert RequestKey.objects.count() == 0
    assert Api().post(GAMES, WON, **{"Idempotency-Key": "k-1"}).status_code == 401
    assert send(api).status_code == 201


def test_a_key_that_is_none_is_an_error() -> None:
    make_league()
    api = Api("record")
    for key in ("", " ", "x" * 256, "ä", 'a"b', "a\\b", '""', "a b", "k\xa0"):
        assert send(api, key).status_code == 400, key
    assert Game.objects.count() == 0


def test_a_file_is_imported_once_for_a_key_whose_file_it_is() -> None:
    make_league()
    api = Api("record")
    api.headers["Idempotency-Key"] = "k"
    path, lines = f"{GAMES}import/", [json.dumps({**one, "external_id": None}) + "\n" for one in (WON, LOST)]
    tried = api.post_file(f"{path}?dry_run=true", lines[0], "application/x-ndjson")
    assert (tried.status_code, RequestKey.objects.count()) == (200, 0)
    done = [api.post_file(path, lines[0], "application/x-ndjson") for _ in range(2)]
    assert [(answer.status_code, answer.data["games"]) for answer in done] == [(201, 1)] * 2
    assert (done[1]["Idempotency-Replayed"], Game.objects.count()) == ("true", 1)
    other = api.post_file(path, lines[1], "application/x-ndjson")
    assert (other.status_code, other.data["code"]) == (422, "key_reused")
    api.headers["Idempotency-Key"] = "a b"
    refused = [api.post_file(f"{path}{query}", lines[1], "application/x-ndjson") for query in ("", "?dry_run=true")]
    assert [answer.status_code for answer in refused] == [400, 400]


def test_keys_expire_and_are_forgotten() -> None:
    make_league()
    api = Api("record")
    send(api)
    RequestKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert send(api, body=LOST).data["id"] == 2
    assert send(api, body=LOST).data["id"] == 2
    assert idempotency.delete_expired_keys() == 0
    assert idempotency.delete_expired_keys(timezone.now() + timedelta(hours=25)) == 1
    assert str(RequestKey(owner="token:1", key="k")) == "k of token:1"


@pytest.mark.django_db(transaction=True)
def test_one_key_raced_by_many_is_one_game() -> None:
    make_league()
    api = Api("record")
    answers = in_threads([lambda: send(api)] * 8)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sorted("Idempotency-Replayed" in answer for answer in answers) == [False] + [True] * 7
    assert Game.objects.count() == RequestKey.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_key_raced_over_two_leagues_is_one_game_and_no_failure() -> None:
    make_league()
    make_league(slug="other")
    api = Api("record")
    paths = [GAMES, "leagues/other/games/"]
    for turn in range(2):
        answers = in_threads([partial(send, api, f"k-{turn}", path=path) for path in paths * 4])
        codes = [answer.status_code for answer in answers]
        assert sorted(codes) == [201] * 4 + [422] * 4
        assert len({answer.content for answer in answers if answer.status_code == 201}) == 1
    assert Game.objects.count() == 2
    assert sum(League.objects.values_list("last_number", flat=True)) == 2


@pytest.mark.django_db(transaction=True)
def test_who_is_killed_on_the_way_leaves_no_key() -> None:
    make_league()
    api = Api("record")
    with patch("league.web.api.games.views.answer_recorded", side_effect=SystemExit), pytest.raises(SystemExit):
        send(api)
    connection.close()
    assert (RequestKey.objects.count(), Game.objects.count()) == (0, 0)
    assert send(api).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_who_comes_while_the_first_is_worked_on_is_told_to_wait() -> None:
    make_league()
    api = Api("record")
    work = {"action": lambda: idempotency.StoredResponse(200, "{}", {})}
    token: dict[str, Any] = {"owner": "token:1", "key": "k-1", "digest": "d", **work}
    if connection.vendor != "postgresql":
        # One writer at a time: the second waits for the database, and gets Busy where that takes too long.
        locked = patch.object(RequestKey.objects, "bulk_create", side_effect=OperationalError("database is locked"))
        with locked, pytest.raises(Busy):
            idempotency.run_idempotently(**token)
        return

    def second() -> Any:
        try:
            return idempotency.run_idempotently(**token)
        except RequestUnderway as error:
            return error.code

    with patch.object(idempotency, "PATIENCE", 200), transaction.atomic():
        idempotency.run_idempotently(**token)
        assert in_threads([second]) == ["underway"]
    assert in_threads([second])[0].replayed
    with patch("league.web.api.core.idempotency.run_idempotently", side_effect=RequestUnderway("Wait.")):
        answer = send(api)
    assert (answer.status_code, answer["Retry-After"]) == (409, "1")
    gone = patch.object(RequestKey.objects, "bulk_create", side_effect=OperationalError("gone"))
    with gone, pytest.raises(OperationalError, match="gone"):
        idempotency.run_idempotently(**{**token, "key": "k-9"})
