"""Databases of releases, as the next release meets them."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from league.services.backup.make import Database
from league.services.backup.manifest import Facts, count_facts
from league.services.backup.postgres import Postgres
from league.services.backup.postgres import asker as ask_postgres
from league.services.backup.sqlite import asker as ask_sqlite

HERE = Path(__file__).parent


def run_python(database: Database, *arguments: str) -> str:
    """Run Python with the database as the site's; what it says is shown where it fails."""
    address = database.address(database.name) if isinstance(database, Postgres) else f"sqlite:///{database.name}"
    environment = {**os.environ, "DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "league.settings"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=HERE.parents[1], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def count_tables(database: Database) -> Facts:
    """Count leagues, logs and some tables."""
    tables = ("league_game", "league_result", "league_logentry", "league_edition", "league_player")
    if isinstance(database, Postgres):
        with database.connect(database.name) as there:
            return count_facts(ask_postgres(there), tables)
    with closing(sqlite3.connect(database.path)) as file:
        return count_facts(ask_sqlite(file), tables)
