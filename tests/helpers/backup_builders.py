"""Backups in tests: PostgreSQL's programs of the wheel, and databases beside that of the run."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, connections

from league.models import League
from league.services.backup.make import Database, database_of
from league.services.backup.postgres import Postgres
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder
from tests.postgres import find_binaries


def programs_of_the_server() -> str:
    """Return a PATH on which the programs of the test's own PostgreSQL stand first."""
    return f"{find_binaries()}{os.pathsep}{os.environ['PATH']}"


@contextmanager
def beside(folder: Path, name: str) -> Iterator[Database]:
    """Return where another site may stand on the same engine; what is there afterwards goes."""
    if connection.vendor == "sqlite":
        yield database_of({**connection.settings_dict, "NAME": str(folder / f"{name}.sqlite3")})
        return
    there = database_of({**connection.settings_dict, "NAME": f"beside_{name}"})
    assert isinstance(there, Postgres)
    try:
        yield there
    finally:
        with there.maintenance() as server:
            found = server.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"{there.name}%"])
            for (database,) in found.fetchall():
                there.drop(database)


def club(slug: str = "club", games: int = 3) -> League:
    """Return a league with games and an edition."""
    league = make_league(slug=slug, parameters={"k": 32})
    make_ladder(league)
    for number in range(games):
        record(league, duel("anna", "ben", f"2024-03-{10 + number}"))
    close(league, "2024-03")
    return league


class Recorder(threading.Thread):
    """Somebody who records games until told to stop; ``acknowledged`` says how many were answered."""

    def __init__(self, league: League) -> None:
        super().__init__(daemon=True)
        self.league, self.acknowledged, self.enough = league, 0, threading.Event()

    def run(self) -> None:
        """Record."""
        try:
            while not self.enough.is_set():
                record(self.league, duel("anna", "ben", "2024-04-01"))
                self.acknowledged += 1
        finally:
            connections.close_all()
