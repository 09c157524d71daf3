"""What a web process keeps between requests is shared by its threads: hammered here by many at once."""

import threading
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, connections

from league.db.isolation import short_snapshot
from league.models import Inactive, League, Player
from league.selectors.leaderboard import ranks
from league.selectors.leaderboard.listing import Listing, listed
from league.selectors.leaderboard.versions import board_state
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


def test_ranks_are_those_of_the_books_that_the_thread_sees_while_others_bring_them_further() -> None:
    league = some_league()
    done = threading.Event()

    def write() -> None:
        for turn in range(30):
            record(league, sheet((PLAYERS[turn % 12], PLAYERS[(turn + 5) % 12]), (1, 0), minutes=60 + turn))
        done.set()

    def read() -> None:
        listing = Listing(1, None)
        while not done.is_set():
            with short_snapshot():
                for score in (1480.0, 1500.0, 1520.0):
                    counted = ranks.count_better(league, listing, score)
                    assert counted == listed(league, listing).filter(score__gt=score).count()

    with patch.object(ranks, "COUNTED", 0):
        together([write, *[read] * 5])


def test_an_earlier_view_of_the_books_does_not_throw_the_later_columns_away() -> None:
    league = some_league()
    with patch.object(ranks, "COUNTED", 0):
        earlier = board_state(league.slug)
        record(league, sheet(("p00", "p01"), (1, 0), minutes=60))
        listing = Listing(1, None)
        exact = ranks.count_better(league, listing, 1500.0)
        later = ranks.SHELF.get(league.pk)
        with patch.object(ranks, "board_state", return_value=earlier):
            assert ranks.count_better(league, listing, 1500.0) == exact  # counted by the database
        assert ranks.SHELF.get(league.pk) is later


def test_an_earlier_view_of_who_is_active_does_not_take_the_later_one_back() -> None:
    league = some_league()
    with patch.object(ranks, "COUNTED", 0):
        listing, earlier = Listing(1, None), board_state(league.slug)
        assert earlier is not None
        everybody = ranks.count_better(league, listing, 0.0)
        Inactive.objects.create(league=league, player=Player.objects.get(handle="p00"))
        assert ranks.count_better(league, listing, 0.0) == everybody - 1
        later = board_state(league.slug)
        board = ranks.board_of(league, earlier)
        assert board.state == later != earlier
        assert int(board.eligible(listing).sum()) == everybody - 1


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
    from league.db.budget import REQUEST, WORKER, asked, budget

    inside: list[object] = []
    with asked():
        assert budget() is REQUEST
        together([lambda: inside.append((budget(), connections["default"] is connection))])
    assert inside[0] == (WORKER, False)
    assert budget() is WORKER
