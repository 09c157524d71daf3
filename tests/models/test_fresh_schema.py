"""What an empty database gets at once is what the migrations make one by one."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from league.core.db.fresh_schema import is_empty
from tests.helpers.sites import ROOT

pytestmark = [pytest.mark.engine, pytest.mark.slow("a database is migrated one by one")]
NAMES = ("at_once", "one_by_one")


@pytest.fixture
def empty(tmp_path: Path, django_db_blocker: Any) -> Iterator[list[Any]]:
    """Yield empty databases of this engine, each with the environment that names it."""
    given = {**connections.settings["default"]}
    found = []
    with django_db_blocker.unblock():
        for alias in NAMES:
            if connection.vendor == "postgresql":
                name = f"{alias}_{os.getpid()}"
                with connection.cursor() as cursor:
                    cursor.execute(f"CREATE DATABASE {name}")
                url = re.sub(r"/[^/?]*(?=[?]|$)", f"/{name}", os.environ["DATABASE_URL"], count=1)
            else:
                name = str(tmp_path / f"{alias}.sqlite3")
                url = f"sqlite:///{name}"
            connections.settings[alias] = {**given, "NAME": name, "TEST": {**given["TEST"]}}
            found.append((connections[alias], {**os.environ, "DATABASE_URL": url, "RUNGS_VAR": str(tmp_path)}))
        yield found
        for alias in NAMES:
            name = connections.settings[alias]["NAME"]
            connections[alias].close()
            del connections[alias], connections.settings[alias]
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
    """Run a command on another database."""
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, check=True)


@pytest.mark.django_db(transaction=True)
def test_an_empty_database_gets_what_the_migrations_make(empty: list[Any]) -> None:
    (at_once, first), (one_by_one, second) = empty
    assert is_empty(at_once) and is_empty(one_by_one)
    # All that a killed attempt leaves.
    MigrationRecorder(at_once).ensure_schema()
    assert is_empty(at_once)
    manage(first, "migrate", "--verbosity", "0")
    manage(second, "migrate", "--verbosity", "0", "league", "0001")
    manage(second, "migrate", "--verbosity", "0")
    expected, made = describe(one_by_one), describe(at_once)
    assert made.keys() == expected.keys()
    for kind, found in expected.items():
        assert made[kind] == found, kind
        assert found or kind == "functions", kind


@pytest.mark.one_database("files of SQLite alone")
def test_the_first_migration_makes_a_private_file(tmp_path: Path) -> None:
    environment = {**os.environ, "DATABASE_URL": "", "RUNGS_VAR": str(tmp_path)}
    manage(environment, "migrate", "--verbosity", "0")
    assert stat.S_IMODE((tmp_path / "rungs.sqlite3").stat().st_mode) == 0o600
    assert Path(settings.VAR) != tmp_path
