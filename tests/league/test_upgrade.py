"""A database with old data is brought up to date, on an engine of its own kind."""

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest


@pytest.fixture
def empty(tmp_path: Path) -> str:
    """Return the address of an empty database on the engine of this run."""
    url = os.environ["DATABASE_URL"]
    if url.startswith("sqlite"):
        return f"sqlite:///{tmp_path / 'old.sqlite3'}"
    name = f"upgrade_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"')
        server.execute(f'CREATE DATABASE "{name}"')
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def test_games_that_stand_are_brought_up_to_date_and_verified(empty: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DATABASE_URL": empty,
        "RUNGS_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "league.settings",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.league.upgrade"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    # Game 5 replaces 4, which replaced 2: it comes where 2 was, no more after 3.
    assert said == {"keys": [1, 2, 3, 2, 2], "stale": [True, 2], "order": [1, 5, 3], "differences": []}
