"""What a web process keeps between requests is shared by its threads: hammered here by many at once."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, connections

from league.core.locking import REQUEST as REQUEST_AS_SHIPPED
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]
PLAYERS = tuple(f"p{number:02}" for number in range(12))


def together(work: list[Callable[[], None]]) -> None:
    """Run all at once, each with a connection of its own; raise what one raised."""
    errors: list[BaseException] = []

    def run(one: Callable[[], None]) -> None:
        try:
            one()
        except BaseException as error:  # noqa: BLE001 -- a thread loses what it raises: raised again below
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def some_league() -> League:
    """Make a league in which everybody has played."""
    league = make_league("elo", PLAYERS)
    for number in range(0, 12, 2):
        record(league, sheet(PLAYERS[number : number + 2], (1, 0), minutes=number))
    return league


def test_boards_asked_for_by_many_threads_are_whole_and_never_go_back() -> None:
    league = some_league()
    done = threading.Event()

    def write() -> None:
        for turn in range(15):
            record(league, sheet((PLAYERS[turn % 12], PLAYERS[(turn + 5) % 12]), (1, 0), minutes=60 + turn))
        done.set()

    def read() -> None:
        api, seen = Api(), 0
        while not done.is_set():
            answer: Any = api.get("leagues/club/leaderboard/")
            assert answer.status_code == 200
            rows = answer.data["results"]
            scores = [row["score"] for row in rows]
            assert scores == sorted(scores, reverse=True)
            games = sum(row["games"] for row in rows)
            assert games % 2 == 0  # a half of a game would be odd
            assert games >= seen
            seen = games

    together([write, *[read] * 4])


def test_the_document_is_made_once_however_many_ask_for_it() -> None:
    answers: list[bytes] = []
    # The library finds its parts as it goes, and two threads at it answered 500.
    together([lambda: answers.append(Api().get("schema/").content)] * 4)
    assert len(set(answers)) == 1
    assert answers[0].startswith(b"openapi: ")


def test_connections_and_requests_are_each_threads_own() -> None:
    from league.core.locking import REQUEST, WORKER, get_budget, request_budget

    inside: list[object] = []
    with request_budget():
        assert get_budget() is REQUEST
        together([lambda: inside.append((get_budget(), connections["default"] is connection))])
    assert inside[0] == (WORKER, False)
    assert get_budget() is WORKER


def test_a_request_is_answered_before_people_and_proxies_give_up() -> None:
    assert 1 <= REQUEST_AS_SHIPPED.lock <= REQUEST_AS_SHIPPED.all_tries <= 4.5
