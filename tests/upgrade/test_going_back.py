"""Who goes back to an earlier schema, and forward again: jobs of kinds that it does not know go, the books stay."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from league.services.backup.make import Database
from league.services.backup.postgres import Postgres
from tests.helpers.backup_builders import beside
from tests.upgrade.databases import count_tables, run_python

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.uncounted("migrations and commands run in processes of their own"),
]

#: A site with games, a second board, and jobs of every kind, each with a piece of a file.
SITE = """
import django; django.setup()
from django.utils import timezone
from league.models import Job, JobPart, League, SecondBoard
from tests.helpers.builders import make_league, record, sheet
league = make_league(min_games=1)
for minutes in range(3):
    record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
now = timezone.now()
for kind in Job.Kind.values:
    for state in ("done", "waiting"):
        job = Job.objects.create(league=league, kind=kind, state=state, asked_at=now)
        JobPart.objects.create(job=job, number=1, data=b"x")
SecondBoard.objects.create(league=league, system="elo", parameters={"k": 40}, chosen_at=now)
"""


def ask(database: Database, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a statement."""
    if isinstance(database, Postgres):
        with database.connect(database.name) as there:
            return there.execute(sql.encode()).fetchall()
    with closing(sqlite3.connect(database.path)) as file:
        return file.execute(sql).fetchall()


def kinds(database: Database) -> dict[str, int]:
    """Return how many jobs there are of each kind."""
    return dict(ask(database, "SELECT kind, COUNT(*) FROM league_job GROUP BY kind"))


def checks(database: Database) -> set[str]:
    """Return which of the checks of kinds stand."""
    found = (
        "SELECT conname FROM pg_constraint WHERE conrelid = 'league_job'::regclass"
        if isinstance(database, Postgres)
        else "SELECT sql FROM sqlite_master WHERE name = 'league_job'"
    )
    return set(re.findall(r"\b(?:job_kinds?|kinds_of_jobs)\b", str(ask(database, found))))


def test_the_schema_goes_back_and_forward_with_jobs_of_every_kind(tmp_path: Path) -> None:
    with beside(tmp_path, "back") as database:
        if isinstance(database, Postgres):
            database.create(database.name)
        run_python(database, "manage.py", "migrate", "--verbosity", "0")
        run_python(database, "-c", SITE)
        books, old = count_tables(database), {"replay": 2, "verify": 2, "import": 2}
        assert (kinds(database), checks(database)) == ({**old, "compare": 2, "second": 2}, {"kinds_of_jobs"})
        run_python(database, "manage.py", "migrate", "league", "0040", "--verbosity", "0")
        assert (kinds(database), checks(database)) == ({**old, "compare": 2}, {"job_kinds"})
        run_python(database, "manage.py", "migrate", "league", "0038", "--verbosity", "0")
        assert (kinds(database), checks(database)) == (old, {"job_kind"})
        assert ask(database, "SELECT COUNT(*) FROM league_jobpart") == [(6,)]
        run_python(database, "manage.py", "migrate", "--verbosity", "0")
        assert (kinds(database), checks(database)) == (old, {"kinds_of_jobs"})
        assert count_tables(database) == books
        assert " is right: 3 games" in run_python(database, "manage.py", "verify", "club")
