"""Backups in tests: PostgreSQL's programs of the wheel, a league, and a client that records."""

import os
import threading

from django.db import connections

from league.models import League
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder
from tests.postgres import find_binaries


def programs_of_the_server() -> str:
    """Return a PATH on which the programs of the test's own PostgreSQL stand first."""
    return f"{find_binaries()}{os.pathsep}{os.environ['PATH']}"


def club(slug: str = "club", games: int = 3) -> League:
    """Return a league with games and an edition."""
    league = make_league(slug=slug, parameters={"k": 32})
    make_ladder(league)
    for number in range(games):
        record(league, duel("anna", "ben", f"2024-03-{10 + number}"))
    close(league, "2024-03")
    return league


class Recorder(threading.Thread):
    """A client that records games until it is stopped; ``acknowledged`` counts the answers."""

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
