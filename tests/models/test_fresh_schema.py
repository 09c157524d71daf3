"""What an empty database gets at once is what the migrations make one by one."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, connections

from league.core.db.fresh_schema import is_empty
from tests.helpers.sites import ROOT

pytestmark = [pytest.mark.engine, pytest.mark.slow("a database is migrated one by one")]
SECOND = "second"


@pytest.fixture
def second(tmp_path: Path, django_db_blocker: Any) -> Any:
    """Return another empty database of this engine, and the environment that names it."""
    given = {**connections.settings["default"]}
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            name = f"fresh_{os.getpid()}"
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE DATABASE {name}")
            url = re.sub(r"/[^/?]*(?=[?]|$)", f"/{name}", os.environ["DATABASE_URL"], count=1)
        else:
            name = str(tmp_path / "second.sqlite3")
            url = f"sqlite:///{name}"
        connections.settings[SECOND] = {**given, "NAME": name, "TEST": {**given["TEST"]}}
        yield connections[SECOND], {**os.environ, "DATABASE_URL": url, "RUNGS_VAR": str(tmp_path)}
        connections[SECOND].close()
        del connections[SECOND], connections.settings[SECOND]
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE {name}")


POSTGRES = {
    "columns": "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default, "
    "is_identity FROM information_schema.columns WHERE table_schema = 'public'",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE connamespace = 'public'::regnamespace",
    "triggers": "SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "functions": "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
}
SQLITE = {
    "others": "SELECT type, tbl_name, name, sql FROM sqlite_master WHERE type <> 'table'",
    "sizes": "SELECT tbl, idx, stat FROM sqlite_stat1 WHERE tbl IN ('league_game', 'league_result')",
}
#: The migrations that each database is asked about, and what they leave in tables.
ROWS = {"migrations": "SELECT app, name FROM django_migrations", "edits": "SELECT name, count FROM league_edits"}


def describe(there: Any) -> dict[str, list[Any]]:
    """Return what a database contains, in an order of its own."""
    queries = (POSTGRES if there.vendor == "postgresql" else SQLITE) | ROWS
    found: dict[str, list[Any]] = {}
    with there.cursor() as cursor:
        for name, sql in queries.items():
            cursor.execute(sql)
            found[name] = sorted(cursor.fetchall(), key=repr)
        if there.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            # The order of columns is another; their number, types, defaults and checks are not.
            found["tables"] = sorted((name, sorted(re.findall(r"[^\s,()]+", sql))) for name, sql in cursor.fetchall())
    return found


def manage(environment: dict[str, str], *arguments: str) -> None:
    """Run a command on the second database."""
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, check=True)


@pytest.mark.django_db(transaction=True)
def test_an_empty_database_gets_what_the_migrations_make(second: Any) -> None:
    there, environment = second
    with connection.cursor():
        at_once = describe(connection)
    assert is_empty(there)
    manage(environment, "migrate", "--verbosity", "0", "league", "0001")
    manage(environment, "migrate", "--verbosity", "0")
    one_by_one = describe(there)
    assert at_once.keys() == one_by_one.keys()
    for kind, found in one_by_one.items():
        assert at_once[kind] == found, kind
        assert found or kind == "functions", kind


@pytest.mark.one_database("files of SQLite alone")
def test_the_first_migration_makes_a_private_file(tmp_path: Path) -> None:
    environment = {**os.environ, "DATABASE_URL": "", "RUNGS_VAR": str(tmp_path)}
    manage(environment, "migrate", "--verbosity", "0")
    assert stat.S_IMODE((tmp_path / "rungs.sqlite3").stat().st_mode) == 0o600
    assert Path(settings.VAR) != tmp_path
