"""Two web machines, a PostgreSQL and a streaming standby of it: who reads what from where, and what happens to it.

The stranger and the person ask as browsers do. What a standby has not heard yet is held back by pausing its replay.
"""

import contextlib
import http.cookiejar
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.helpers.meters import read, value
from tests.helpers.processes import wait_for
from tests.helpers.sites import ROOT, Site, make_league_at, won_game
from tests.postgres import Server, find_binaries

BOARD, CLUB = "/api/v1/leagues/club/leaderboard/", "/api/v1/leagues/club/"
TOKEN, PASSWORD = "token-of-whoever-watches", "correct-horse-battery"


class Web(Site):
    """A web machine: one process of the web server."""

    def start(self) -> None:
        """Start and wait until it answers."""
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "league.web.server", "--bind", f"127.0.0.1:{self.port}"]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        wait_for(self.answers, 60)

    def told(self) -> dict[str, float]:
        """Return how many reads were answered by whom."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/metrics", headers=headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            figures = read(answer.read().decode())
        return {by: value(figures, "rungs_reads_total", by=by) for by in ("replica", "database", "again")}


class Browser:
    """Somebody with cookies, who goes now to one machine, now to another."""

    def __init__(self) -> None:
        # Cookies know no ports: both machines are one site to it, as behind a proxy.
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def ask(self, web: Web, path: str, body: Any = None, **headers: str) -> str:
        """Ask for what must be given."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **headers}
        given["X-CSRFToken"] = next((one.value or "" for one in self.cookies if one.name == "csrftoken"), "")
        request = urllib.request.Request(f"http://127.0.0.1:{web.port}{path}", data=data, headers=given)
        with self.opener.open(request, timeout=30) as answer:
            return str(answer.read().decode())

    def sign_in(self, web: Web) -> None:
        """Sign in as people do."""
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.ask(web, "/admin/login/"))
        assert found is not None
        form = {"username": "chief", "password": PASSWORD, "csrfmiddlewaretoken": found[1], "next": "/robots.txt"}
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        self.ask(web, "/admin/login/", urllib.parse.urlencode(form).encode(), **kind)
        assert {one.name for one in self.cookies} >= {"sessionid", "rungs_wrote"}

    def record(self, web: Web, winner: str, loser: str, when: str) -> None:
        """Record a game."""
        self.ask(web, CLUB + "games/", won_game(winner, loser, when))

    def games(self, web: Web) -> int:
        """Return how many games the board knows."""
        return sum(int(row["games"]) for row in json.loads(self.ask(web, BOARD))["results"]) // 2


class Machines:
    """All that runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Server(folder / "database", find_binaries())
        self.standby = self.database
        self.webs: list[Web] = []

    def start(self) -> None:
        """Start all of it."""
        folder = self.folder
        self.database.start()
        self.standby = self.database.standby(folder / "standby")
        self.webs = [self.web(folder / name) for name in ("one", "two")]
        self.webs[0].manage("migrate", "--verbosity", "0")
        self.webs[0].manage("shell", "-c", MAKE)
        for web in self.webs:
            web.start()
        self.webs[0].token = self.webs[0].manage("token", "server-7", "--scope", "organise").split()[-1]
        make_league_at(self.webs[0])

    def stop(self) -> None:
        """Stop all of it."""
        for web in self.webs:
            if web.process is not None:
                web.process.kill()
                web.process.wait()
        for server in (self.standby, self.database):
            server.stop()
            if server.process is not None:
                server.process.wait()

    def web(self, folder: Path) -> Web:
        """Return a web machine that is not started yet."""
        folder.mkdir()
        one = Web(folder)
        one.environment |= {
            "DATABASE_URL": self.database.address,
            "DATABASE_REPLICA_URLS": self.standby.address,
            "RUNGS_SECRET_KEY": "one secret for both of the machines " * 2,
            "RUNGS_METRICS_TOKEN": TOKEN,
            "RUNGS_INLINE_GAMES": "1000",
            "CELERY_BROKER_URL": "memory://",
        }
        return one

    def on_standby(self, sql: str) -> Any:
        """Ask the standby."""
        with psycopg.connect(host=str(self.standby.folder), user="rungs", dbname="postgres") as connection:
            return connection.execute(sql).fetchone()

    @contextlib.contextmanager
    def held_back(self) -> Iterator[None]:
        """Let the standby hear and not show."""
        self.on_standby("SELECT pg_wal_replay_pause()")
        wait_for(lambda: self.on_standby("SELECT pg_get_wal_replay_pause_state()")[0] == "paused", 10)
        try:
            yield
        finally:
            self.on_standby("SELECT pg_wal_replay_resume()")

    def read_from_standby(self, web: Web) -> None:
        """Wait until a machine reads from the standby."""

        def reads() -> bool:
            before = web.told()["replica"]
            Browser().ask(web, BOARD)
            return web.told()["replica"] > before

        wait_for(reads, 30)


MAKE = f"""
from django.contrib.auth.models import User
User.objects.create_superuser("chief", password="{PASSWORD}")
"""


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    """Return all that runs, warm."""
    folder = Path(tempfile.mkdtemp(prefix="rungs-replicas-"))
    folder.chmod(0o711)
    made = Machines(folder)
    try:
        made.start()
        yield made
        for web in made.webs:
            text = web.log.read_text()
            assert "Traceback" not in text, text[-5000:]
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def person(machines: Machines) -> Browser:
    """Return somebody who is signed in and may record."""
    one = Browser()
    one.sign_in(machines.webs[0])
    return one


def test_what_is_read_the_standby_answers_and_what_is_written_the_database(machines: Machines, person: Browser) -> None:
    one, two = machines.webs
    for web in machines.webs:
        machines.read_from_standby(web)
    had = person.games(one)
    person.record(one, "anna", "ben", "2024-03-01T20:00:00Z")
    wait_for(lambda: Browser().games(two) == had + 1, 10)
    before = two.told()
    for path in (
        "/",
        "/leagues/club/",
        "/leagues/club/players/anna/",
        "/leagues/club/games/1/",
        BOARD,
        CLUB + "games/",
    ):
        for _ in range(3):
            Browser().ask(two, path)
    told = two.told()
    assert told["replica"] - before["replica"] >= 15
    # An export is streamed, and an address that is not there may have been made a moment ago.
    Browser().ask(two, CLUB + "export/")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        Browser().ask(two, "/leagues/nowhere/")
    assert two.told()["again"] >= told["again"] + 2


def test_who_wrote_reads_it_at_every_machine(machines: Machines, person: Browser) -> None:
    one, two = machines.webs
    machines.read_from_standby(two)
    had = Browser().games(two)
    with machines.held_back():
        person.record(one, "anna", "ben", "2024-03-02T20:00:00Z")
        assert Browser().games(two) == had, "the standby does not have it yet"
        assert person.games(one) == person.games(two) == had + 1
    wait_for(lambda: Browser().games(two) == had + 1, 10)


@pytest.mark.parametrize("how", [signal.SIGQUIT, signal.SIGSTOP])
def test_nobody_hears_of_a_standby_that_dies(machines: Machines, how: signal.Signals) -> None:
    two = machines.webs[1]
    machines.read_from_standby(two)
    took: list[float] = []
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            began = time.monotonic()
            Browser().ask(two, "/leagues/club/")
            took.append(time.monotonic() - began)

    readers = [threading.Thread(target=look) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        time.sleep(1)
        stop_all(machines.standby, how)
        time.sleep(6)
    finally:
        over.set()
        for reader in readers:
            reader.join()
    # A thread ends with its first answer that is none; nobody waits longer than for a silent database.
    assert len(took) > 20 and max(took) < 8
    before = two.told()["database"]
    Browser().ask(two, BOARD)
    assert two.told()["database"] == before + 1
    if how == signal.SIGSTOP:
        stop_all(machines.standby, signal.SIGCONT)
    else:
        machines.standby.begin()
    machines.read_from_standby(two)


def stop_all(server: Server, how: signal.Signals) -> None:
    """Send a signal to a server and all of its processes."""
    assert server.process is not None
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    for pid in (server.process.pid, *map(int, children)):
        # One that was told ends its children, some of them before their turn comes.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)
    if how == signal.SIGQUIT:
        server.process.wait(20)
