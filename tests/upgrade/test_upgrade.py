"""The database of the last release, with data, is brought up to this one: books verify, heads stand, pages answer.

Migrating takes seconds, so one test follows the way of an operator from step to step, in processes of their own.
"""

import gzip
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from league.services.backup.make import Database
from league.services.backup.postgres import Postgres
from tests.helpers.backup_builders import beside
from tests.upgrade.databases import HERE, count_tables, run_python

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.uncounted("migrations and commands run in processes of their own"),
]
#: The release whose data and statements are kept; ``make_fixture.py`` says how they were made.
RELEASE = "release-0.1"
PAGES = (
    "/", "/leagues/barbu/", "/leagues/barbu/games/", "/leagues/barbu/games/1/", "/leagues/football/ladders/",
    "/leagues/old-club/", "/status/", "/api/v1/leagues/", "/api/v1/leagues/barbu/games/", "/admin/login/",
)  # fmt: skip


def fixture(ending: str) -> Path:
    """Return a file of the old release for the engine of the run."""
    return HERE / f"{RELEASE}.{connection.vendor}.{ending}"


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Database]:
    """Return a database as the old release left it."""
    sql = gzip.decompress(fixture("sql.gz").read_bytes()).decode()
    with beside(tmp_path, "upgrade") as database:
        if isinstance(database, Postgres):
            database.create(database.name)
            with database.connect(database.name) as there:
                there.execute(sql.encode())
        else:
            with closing(sqlite3.connect(database.path)) as file:
                file.executescript(sql)
        yield database


def anchors(database: Database) -> dict[str, tuple[int, str]]:
    """Return how far each log went, and its head, before this release carried it over: as its last entry keeps it."""
    sql = (
        "SELECT l.slug, e.payload FROM league_logentry e JOIN league_league l ON l.id = e.league_id "
        "WHERE e.kind = 'log.carried' AND e.position = l.log_length"
    )
    if isinstance(database, Postgres):
        with database.connect(database.name) as there:
            rows = there.execute(sql.encode()).fetchall()
    else:
        with closing(sqlite3.connect(database.path)) as file:
            rows = file.execute(sql).fetchall()
    kept = {slug: json.loads(payload) for slug, payload in rows}
    return {slug: (payload["entries"], payload["sha256"]) for slug, payload in kept.items()}


def test_the_last_release_with_data_is_brought_up(old: Database) -> None:
    before = count_tables(old)
    assert [league["slug"] for league in before.leagues] == ["barbu", "boats", "football", "preferans", "rail18xx"]
    assert before.games == 60
    assert before.migrations[-1] < "sessions.0002"
    assert "league.0033_pictures" in before.migrations
    assert not [name for name in before.migrations if name > "league.0034" and name.startswith("league.")]
    run_python(old, "manage.py", "migrate", "--verbosity", "0")
    after = count_tables(old)
    assert anchors(old) == {league["slug"]: (league["entries"], league["head"]) for league in before.leagues}
    assert [league["entries"] - 1 for league in after.leagues] == [league["entries"] for league in before.leagues]
    assert [league["games"] for league in after.leagues] == [league["games"] for league in before.leagues]
    same = ("league_game", "league_result", "league_edition", "league_player")
    assert {table: after.rows[table] for table in same} == {table: before.rows[table] for table in same}
    assert set(after.migrations) > set(before.migrations)
    said = run_python(old, "manage.py", "verify")
    assert len(re.findall(r" is right: 12 games", said)) == 5, said
    # Old code goes on beside new code until it is replaced: what it says is taken, and its games are right.
    said = run_python(old, "-m", "tests.upgrade.side_by_side", str(fixture("statements.json.gz")))
    assert re.fullmatch(r"[1-9][0-9]{2} statements were taken\.\n", said), said
    assert " is right: 5 games" in run_python(old, "manage.py", "verify", "old-club")
    assert run_python(old, "-m", "tests.upgrade.pages", *PAGES) == f"{len(PAGES)} pages answered.\n"
