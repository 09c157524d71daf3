"""Many clients at once: the books end as if everybody had waited in line."""

import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from league.apps.laboratory.services.request_experiments import request_experiment
from league.core.db.bulk import refresh_statistics
from league.core.errors import Conflict
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import RecordedGame, record_game
from league.core.locking import run_with_league_lock
from league.core.players.services.players import add_player
from league.core.replay.services.inline import replay_from
from league.models import Game, Job, League, Player
from tests.helpers.builders import derived, make_league, sheet
from tests.helpers.drawn_sheets import SIX
from tests.helpers.experiment_builders import question
from tests.helpers.threads import in_threads
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]


def evening(league: League, client: int) -> Callable[[], list[RecordedGame]]:
    """Return a client that posts ten games of its own, some late, one after the other."""

    def post() -> list[RecordedGame]:
        done = []
        for turn in range(10):
            first, second = SIX[(client + turn) % 6], SIX[(client + turn * 2 + 1 + client % 2) % 6]
            if first == second:
                second = SIX[(client + turn + 1) % 6]
            new = sheet(
                (first, second), (turn % 3, 1), minutes=(turn * 7 + client) % 20, external_id=f"{client}/{turn}"
            )
            done.append(record_game(league.pk, new, by=f"client {client}"))
        return done

    return post


@long_way
def test_four_clients_give_the_books_of_a_replay_without_a_gap() -> None:
    league = make_league("elo", SIX)
    in_threads([evening(league, client) for client in range(4)])
    assert list(Game.objects.order_by("number").values_list("number", flat=True)) == list(range(1, 41))
    live = derived(league)
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))
    assert derived(league) == live
    assert len(live[0]) == 80


def test_one_external_id_sent_by_many_at_once_is_one_game() -> None:
    league = make_league("elo", SIX)
    new = sheet(("anna", "ben"), (1, 0), external_id="s/1")
    answers = in_threads([lambda: record_game(league.pk, new, by="server")] * 8)
    assert sorted(answer.created for answer in answers) == [False] * 7 + [True]
    assert Game.objects.count() == 1


def test_games_without_a_time_are_ordered_as_they_were_let_in() -> None:
    league = make_league("elo", SIX)
    new = NewGame([NewResult("anna", 1), NewResult("ben", 0)])
    in_threads([lambda: record_game(league.pk, new, by="server")] * 8)
    by_time = list(Game.objects.order_by("played_at", "number").values_list("number", flat=True))
    assert by_time == list(range(1, 9))


def test_leagues_wait_for_one_another_only_where_the_database_has_one_writer() -> None:
    one, two = make_league("elo", SIX), make_league("elo", SIX, slug="other")
    held, done = threading.Event(), threading.Event()

    def hold(league: League, now: object) -> bool:
        held.set()
        return done.wait(2 if connection.vendor == "sqlite" else 20)

    def record_elsewhere() -> bool:
        assert held.wait(20)
        record_game(two.pk, sheet(("anna", "ben"), (1, 0)), by="b")
        done.set()
        return True

    finished_meanwhile, recorded = in_threads([lambda: run_with_league_lock(one.pk, hold), record_elsewhere])
    assert recorded
    assert finished_meanwhile == (connection.vendor == "postgresql")


def test_a_new_player_in_two_leagues_at_once_is_one_player_and_both_games_are_recorded() -> None:
    leagues = [make_league("elo", SIX), make_league("elo", SIX, slug="other")]
    for turn in range(4):
        # One name that is its own handle, one that needs a handle made of it.
        new = sheet((f"new{turn}", f"Žana {turn}"), (1, 0), minutes=turn, create_players=True)
        in_threads([partial(record_game, league.pk, new, by="server") for league in leagues])
    assert Game.objects.count() == 8
    assert Player.objects.count() == len(SIX) + 8


def test_one_handle_added_by_many_at_once_is_one_player_and_a_sentence_for_the_others() -> None:
    def add() -> str:
        try:
            return add_player("zoe", "Zoe").handle
        except Conflict as error:
            return error.problems[0].pointer if error.problems else "spelling"

    for _ in range(5):
        Player.objects.all().delete()
        answers = in_threads([add] * 4)
        assert sorted(answer == "zoe" for answer in answers) == [False] * 3 + [True]
        assert set(answers) <= {"zoe", "/handle", "spelling"}


def test_who_tells_the_planner_waits_for_nobody_who_does() -> None:
    if connection.vendor == "sqlite":  # one writer, and nothing to refresh
        with CaptureQueriesContext(connection) as asked:
            refresh_statistics(Game)
        assert len(asked) == 0
        return
    told = threading.Event()

    def first() -> None:
        with transaction.atomic():
            refresh_statistics(Game)
            told.set()
            assert done.wait(30)

    def second() -> None:
        assert told.wait(30)
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '1s'")
                refresh_statistics(Game)
        finally:
            done.set()

    done = threading.Event()
    in_threads([first, second])


def test_many_experiments_asked_for_at_once_are_three_at_most() -> None:
    league = make_league("elo", SIX)

    def ask() -> bool:
        try:
            request_experiment(league, question(), username="olga")
        except Conflict:
            return False
        return True

    assert sum(in_threads([ask] * 8)) == 3
    assert Job.objects.filter(league=league).count() == 3
