"""Leagues for ``bench.http``, and the five bare statements of a game."""

import os
from typing import Any

from django.db import connection
from django.db.models import Model
from django.db.models.expressions import DatabaseDefault

from league.core.accounts.services.tokens import make_token
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.leagues.services.leagues import create_league
from league.models import Game, League, Player, Rating, RatingChange, Result

GAME = """INSERT INTO bench_game (league_id, number, order_key, played_at, kind, details, note, recorded_at,
 recorded_by, void_reason, voided_by) VALUES (1, %s, %s, now(), 'played', '{}', '', now(), 'bench', '', '')
 RETURNING id"""
RESULTS = "INSERT INTO bench_result (league_id, game_id, player_id, seat, score) VALUES " + ", ".join(
    ["(1, %s, %s, %s, 1.0)"] * 4
)
CHANGES = """INSERT INTO bench_ratingchange (league_id, player_id, game_id, at, number, order_key, step, seat, cause,
 games, before, change, after, state_1, state_2, state_3, performance, shift) VALUES """ + ", ".join(
    ["(1, %s, %s, now(), %s, 1, 1, 1, 'game', %s, 1, 1, 2, 0, 0, 0, 0, 0)"] * 4
)
RATINGS = (
    """INSERT INTO bench_rating (league_id, player_id, rating, settled, shift, state_1, state_2, state_3, games, score,
 peak, change, last_at, last_number) VALUES """
    + ", ".join(["(1, %s, %s, 1, 0, 0, 0, 0, 1, 1, 1, 1, now(), 1)"] * 4)
    + " ON CONFLICT (league_id, player_id) DO UPDATE SET rating = excluded.rating, games = bench_rating.games + 1"
)


def fill(players: int) -> None:
    """Create a league whose board has a full page, and empty copies of its tables."""
    league = create_league("bench", "Bench", system="barbu", by="bench")
    for start in range(0, players, 4):
        names = [f"p{number:07}" for number in range(start, start + 4)]
        lines = [NewResult(name, 30.0 - 20.0 * seat) for seat, name in enumerate(names)]
        record_game(league.pk, NewGame(results=lines, create_players=True), by="bench")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_league (id int PRIMARY KEY, last_number bigint)")
        cursor.execute("INSERT INTO bench_league VALUES (1, 0)")
        for model in (Game, Result, RatingChange, Rating):
            table = model._meta.db_table.replace("league", "bench")
            cursor.execute(f"CREATE TABLE {table} (LIKE {model._meta.db_table} INCLUDING ALL)")
            set_defaults(cursor, table, model)


def set_defaults(cursor: Any, table: str, model: type[Model]) -> None:
    """Give the columns of a table the values that Django gives them, so that bare statements may leave them out."""
    for field in model._meta.concrete_fields:
        value = field.get_default()
        if value is not None and not isinstance(value, DatabaseDefault) and not field.null:
            operations: Any = connection.ops
            default = operations.compose_sql("%s", [field.get_db_prep_save(value, connection)])
            cursor.execute(f'ALTER TABLE {table} ALTER COLUMN "{field.column}" SET DEFAULT {default}')


def token() -> str:
    """Return a token with the scope ``record``."""
    return make_token("bench", "record")[1]


def statements(local: Any) -> None:
    """Write the rows of a game of four by five statements, on a connection of this thread."""
    import psycopg

    if not hasattr(local, "connection"):
        local.connection = psycopg.connect(os.environ["DATABASE_URL"])
    with local.connection.transaction():
        run = local.connection.execute
        number = run("UPDATE bench_league SET last_number = last_number + 1 RETURNING last_number").fetchone()[0]
        game = run(GAME, [number, number]).fetchone()[0]
        seats = range(1, 5)
        run(RESULTS, [value for seat in seats for value in (game, seat, seat)])
        run(CHANGES, [value for seat in seats for value in (seat, game, number, number)])
        run(RATINGS, [value for seat in seats for value in (seat, float(number))])


def fill_long(players: int) -> League:
    """Create a league with a number of ratings in descending order, some of them equal."""
    league = create_league("long", "Long", system="barbu", by="bench")
    with connection.cursor() as cursor:
        set_defaults(cursor, "league_player", Player)
        set_defaults(cursor, "league_rating", Rating)
        cursor.execute(
            "INSERT INTO league_player (handle, opaque, name, created_at) "
            "SELECT 'q' || lpad(n::text, 7, '0'), 'q' || n, 'Q ' || n, now() FROM generate_series(0, %s) AS n",
            [players - 1],
        )
        cursor.execute(
            "INSERT INTO league_rating (league_id, player_id, rating, settled, shift, state_1, state_2, state_3, "
            "games, score, peak, change, last_at, last_number) "
            "SELECT %s, id, 3000 - n / 500.0, 0, 0, 0, 0, 0, 1 + n %% 7, "
            "3000 - (n / 2) / 250.0, 0, 0, now(), 1 FROM (SELECT id, substr(handle, 2)::int AS n FROM league_player "
            "WHERE handle LIKE 'q%%') AS p",
            [league.pk],
        )
        cursor.execute("VACUUM ANALYZE league_rating")
        cursor.execute("ANALYZE league_player")
    return league
