# mypy: ignore-errors
# It is run by the code of an old release, whose types are not those of this checkout.
"""Makes the fixture of a release, by that release's own code: what its database holds, and what it asks and writes.

Run inside of a checkout of the release, with RUNGS_VAR and DATABASE_URL of an empty database (README.md says how):

    python /path/to/make_fixture.py OUTPUT

Writes OUTPUT.sql.gz (the database after a small demo) and OUTPUT.statements.json.gz: every statement, as text with its
values, that the release's code sends from there on while games are recorded, corrected, voided and restored, players
added, changed and merged, periods closed and reopened, and leagues verified.
"""

import gzip
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import django

#: Beside these words nothing is kept: transactions are the reader's own.
KEPT = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


def dump(path):
    """Write the database as SQL."""
    from django.db import connection

    if connection.vendor == "sqlite":
        import sqlite3

        file = sqlite3.connect(connection.settings_dict["NAME"])
        text = "\n".join(file.iterdump()) + "\n"
    else:
        url = os.environ["DATABASE_URL"]
        command = ["pg_dump", "--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100", url]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        # Commands of psql itself, and a setting that servers before 17 do not know.
        left = ("\\", "SET transaction_timeout")
        text = "\n".join(line for line in text.split("\n") if not line.startswith(left))
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def inserted(sql, rows):
    """Write rows by statements that are logged, instead of by COPY, into the same columns."""
    from django.db import connection

    table, columns = sql.removeprefix("COPY ").removesuffix(") FROM STDIN").split(" (", 1)
    with connection.cursor() as cursor:
        for row in rows:
            values = ", ".join(["%s"] * len(row))
            cursor.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", list(row))


def flow():
    """Do what a club does in a month."""
    from league.services.ladders.decisions import close_period, reopen_period
    from league.services.ladders.ladders import Ranking, create_ladder
    from league.services.leagues.leagues import create_league
    from league.services.players.merges import merge_players, unmerge_player
    from league.services.players.players import add_player, change_player, set_active, set_initial_rating
    from league.services.recording import games
    from league.services.recording.game_input import NewGame, NewResult
    from league.services.verify.run import verify_league

    club = create_league("old-club", "Old club", system="elo", parameters={"k": 32}, settings={}, by="test")
    create_ladder(club.pk, "month", "Month", Ranking("points", "month", {}), by="test")
    people = [add_player(f"old-{name}", name.title()) for name in ("anna", "ben", "cleo")]
    set_initial_rating(club.pk, people[0], 1600.0)
    begin = datetime(2025, 10, 1, 19, tzinfo=UTC)

    def sheet(first, second, minutes):
        results = [NewResult(first, 1, None), NewResult(second, 0, None)]
        return NewGame(results=results, played_at=begin + timedelta(minutes=minutes))

    for number in range(4):
        games.record_game(club.pk, sheet("old-anna", "old-ben", number), by="test")
    games.record_game(club.pk, sheet("old-cleo", "old-ben", -60), by="test")
    games.correct_game(club.pk, 2, sheet("old-ben", "old-anna", 1), reason="misread", by="test")
    games.void_game(club.pk, 3, reason="a friendly", by="test")
    games.restore_game(club.pk, 3, reason="none after all", by="test")
    change_player(people[1], name="Benjamin", by="test")
    set_active(club.pk, people[1], False, by="test")
    set_active(club.pk, people[1], True, by="test")
    lonely = add_player("old-dora", "Dora")
    merge_players(lonely, people[2], by="test")
    unmerge_player(lonely, by="test")
    close_period(club.pk, "month", "2025-10", by="test")
    reopen_period(club.pk, "month", "2025-10", reason="a late sheet", by="test")
    close_period(club.pk, "month", "2025-10", reason="as it was", by="test")
    assert not verify_league(club.pk).differences


def main(output):
    """Make both files."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")
    sys.path.insert(0, os.getcwd())
    django.setup()
    from django.core.management import call_command
    from django.db import connection, reset_queries
    from django.db.backends.utils import CursorDebugWrapper

    from league.db import bulk, write_columns

    call_command("migrate", verbosity=0)
    call_command("demo", games=12)
    dump(output.with_name(output.name + ".sql.gz"))
    # One statement for many rows is logged without its values.
    CursorDebugWrapper.executemany = lambda cursor, sql, rows: [cursor.execute(sql, row) for row in rows]
    bulk.copy_rows, write_columns.is_postgres = inserted, lambda: False
    connection.force_debug_cursor = True
    connection.queries_log = type(connection.queries_log)(maxlen=None)
    reset_queries()
    flow()
    said = [query["sql"].strip() for query in connection.queries_log]
    kept = [sql for sql in said if sql.upper().startswith(KEPT)]
    output.with_name(output.name + ".statements.json.gz").write_bytes(
        gzip.compress(json.dumps(kept, ensure_ascii=False, indent=0).encode(), 9, mtime=0)
    )
    print(len(said), "statements,", len(kept), "kept")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
