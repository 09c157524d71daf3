"""Recording by plain statements: the answer is what reading gives, and what goes wrong is told as by the ORM."""

from datetime import date
from typing import Any
from unittest.mock import patch

import pytest
from django.db import IntegrityError, NotSupportedError, OperationalError, connection, transaction

from league.core.db import statements
from league.core.db.bulk import insert_few
from league.core.db.statements import build_any_condition, execute_query, fetch_first_rows, make_object, run
from league.core.games.selectors.games import BEARING, find_by_external_ids
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, record_game
from league.core.leagues.services.leagues import adopt_rule
from league.models import Game, League, Player, Rating, Result
from tests.helpers.api_client import Api, game
from tests.helpers.builders import EVENING, make_league, record, sheet

pytestmark = [pytest.mark.engine, pytest.mark.django_db]

TABLE = (("anna", 3), ("ben", 1.5), ("cleo", 0), ("dan", -0.0))
NEWCOMER = [{"player": name, "score": score} for name, score in (("Zoë", 1), ("anna", 2), ("ben", 0), ("cleo", 0.25))]


OTHER = pytest.mark.slow("What is told of a game is the same for every system.")


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"played_at": "2024-03-06T01:30:00.123456+05:45", "note": "“à côté” \u2028", "external_id": "x/1"},
        {"kind": "forfeit", "details": {"zz": 1.0, "a": 1e9, "half": 0.1, "tiny": 1e-7}},
        {"played_at": "2024-03-04T00:00:00Z"},
        {"create_players": True, "results": NEWCOMER},
    ],
    ids=["newest", "offset and texts", "unrated with figures", "late", "with a newcomer"],
)
@pytest.mark.parametrize("system", ["elo", pytest.param("barbu", marks=OTHER), pytest.param("serpentine", marks=OTHER)])
def test_the_answer_is_what_reading_gives(system: str, more: dict[str, Any]) -> None:
    league = make_league(system=system)
    record(league, sheet(("anna", "ben", "cleo", "dan"), (2, 1, 4, 3)))
    api = Api("record")
    made = api.post("leagues/club/games/", game(*TABLE, **{"played_at": "2024-03-05T20:00:00Z", **more}))
    read = api.get(made.data["url"])
    assert (made.status_code, made.headers["Location"]) == (201, made.data["url"])
    assert made.content == read.content
    assert made.headers["ETag"] == read.headers["ETag"]


def test_the_first_game_under_a_new_rule_shows_everybody_by_it() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    adopt_rule(league.pk, "elo", {"k": 40}, from_date=date(2024, 3, 6), username="test")
    made = Api("record").post("leagues/club/games/", game(("anna", 1), ("cleo", 0), played_at="2024-03-06T23:00:00Z"))
    assert made.content == Api("read", name="reader").get(made.data["url"]).content


def test_a_refused_body_leaves_nothing_in_the_next_one() -> None:
    make_league()
    api = Api("record")
    refused = api.post("leagues/club/games/", game(("anna", 1), ("ben", 0), note=5, oops=1))
    assert {problem["pointer"] for problem in refused.data["errors"]} == {"/oops"}
    refused = api.post("leagues/club/games/", {"results": [{"player": "anna", "score": "1"}, {"player": "ben"}]})
    assert {problem["pointer"] for problem in refused.data["errors"]} == {"/results/0/score"}
    good = api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    assert (good.status_code, good.data["note"], good.data["external_id"]) == (201, "", None)


def test_few_rows_are_inserted_or_take_the_place_of_others() -> None:
    league = make_league(players=["anna", "ben"])
    record(league, sheet(("anna", "ben"), (1, 0)))
    anna = Rating.objects.get(player__handle="anna")
    names = ("league_id", "player_id", "rating", "settled", "games", "score", "peak", "change", "last_at",
             "last_number", "shift", "state_1", "state_2", "state_3")  # fmt: skip
    row = [getattr(anna, name) for name in names]
    row[names.index("rating")] = 1234.5
    assert insert_few(Rating, names, [row], over=("league_id", "player_id"), returning="id, rating") == [
        (anna.pk, 1234.5)
    ]
    assert Rating.objects.count() == 2
    anna.refresh_from_db()
    assert (anna.rating, anna.last_at, anna.games) == (1234.5, row[8], 1)
    # What the database refuses is an error of Django's.
    line = Result.objects.get(seat=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_few(Result, ("game_id", "seat", "player_id"), [(line.game_id, 7, line.player_id)])
    assert Result.objects.count() == 2


def test_an_object_of_a_statement_is_that_of_the_orm() -> None:
    league = make_league(players=["anna", "ben"])
    record_game(league.pk, NewGame(results=[NewResult("anna", 1.0), NewResult("ben", 0.0)]), by="test")
    for model in (Game, League, Player, Rating):
        (first, *_) = execute_query(
            f"SELECT {statements.format_select_list(model, 'x')} FROM {model._meta.db_table} x ORDER BY x.id"
        )
        there = model.objects.order_by("pk")[0]
        found = make_object(model, first)
        fields = [field.attname for field in model._meta.concrete_fields]
        assert [getattr(found, name) for name in fields] == [getattr(there, name) for name in fields]
        assert (found, found._state.adding, found._state.db) == (there, False, "default")


@pytest.mark.parametrize("usable", [False, True], ids=["the connection is gone", "the statement is wrong"])
def test_the_first_statement_of_a_request_is_asked_again_on_a_new_connection_only(usable: bool) -> None:
    answers = iter([OperationalError("gone"), [(1,)]])

    def told(*_: Any) -> Any:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    with (
        patch.object(statements, "execute_query", told),
        patch.object(connection, "in_atomic_block", False),
        patch.object(connection, "is_usable", lambda: usable),
        patch.object(connection, "close") as close,
    ):
        if usable:
            with pytest.raises(OperationalError, match="gone"):
                fetch_first_rows("SELECT 1")
        else:
            assert fetch_first_rows("SELECT 1") == [(1,)]
    assert close.called is not usable


@pytest.mark.django_db(transaction=True)
def test_a_dropped_connection_is_replaced_where_a_request_begins() -> None:
    if connection.vendor != "postgresql":
        connection.close()  # Its database is a file: a closed connection is opened again.
        assert fetch_first_rows("SELECT 1") == [(1,)]
        return
    ((pid,),) = execute_query("SELECT pg_backend_pid()")
    with connection.cursor() as cursor, pytest.raises(OperationalError):
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    ((other,),) = fetch_first_rows("SELECT pg_backend_pid()")
    assert other != pid


def test_a_newcomer_whose_name_cannot_be_one_is_refused_at_the_seat() -> None:
    league = make_league()
    body = game(("anna", 1), ("z\u200boe", 0)) | {"create_players": True}
    answer = Api("record").post(f"leagues/{league.slug}/games/", body)
    assert answer.status_code == 422
    (error,) = answer.data["errors"]
    assert (error["pointer"], error["code"]) == ("/results/1/player", "unknown_player")
    assert error["detail"].startswith("Seat 2: “z\\u200boe” cannot be added as a player: A name must not contain")


def test_games_of_an_external_id_are_found_by_indexes_void_ones_too() -> None:
    league = make_league()
    first = record(league, sheet(("anna", "ben"), (1, 0), external_id="a"))
    correct_game(league.pk, first.number, sheet(("anna", "ben"), (0, 1)), reason="misread", username="test")
    record(league, sheet(("anna", "ben"), (0, 1), external_id="b", minutes=5))
    assert [game.number for game in find_by_external_ids(league, ["a", "c"])] == [2, 1]
    moments = {"played_at": EVENING, "recorded_at": EVENING}
    Game.objects.bulk_create(
        Game(league=league, number=n, order_key=n, external_id=f"g{n}", voided_at=EVENING if n % 2 else None, **moments)
        for n in range(100, 500)
    )
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE league_game")
            cursor.execute("SET LOCAL enable_seqscan = off")
        explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        for condition, wanted in (("g.external_id = %s", "a"), build_any_condition("g.external_id", ["a", "g100"])):
            cursor.execute(f"{explain} {BEARING.format(condition)}", [league.pk, wanted] * 2)
            plan = str(cursor.fetchall())
            assert "one_external_id_a_league" in plan
            assert "void_external_ids" in plan


@pytest.mark.django_db(transaction=True)
def test_a_plan_that_a_migration_has_made_wrong_is_made_anew() -> None:
    run("CREATE TABLE scratch (word varchar(5))")
    try:
        run("INSERT INTO scratch VALUES ('a')")
        for _ in range(5):
            assert execute_query("SELECT word FROM scratch") == [("a",)]
        if connection.vendor == "postgresql":
            other = connection.copy()
            with other.cursor() as cursor:
                cursor.execute("ALTER TABLE scratch ALTER COLUMN word TYPE varchar(20)")
            other.close()
        assert execute_query("SELECT word FROM scratch") == [("a",)]
        wrong = patch.object(statements, "fetch_rows", side_effect=NotSupportedError("cached plan"))
        with transaction.atomic(), pytest.raises(NotSupportedError), wrong:
            execute_query("SELECT word FROM scratch")
    finally:
        run("DROP TABLE scratch")
