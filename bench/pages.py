"""Benchmark of public pages in a large league, uncached and cached, against a keyed SELECT and an empty page."""

import gzip
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from bench.database import fill, recompute
from bench.leagues import SECONDS_A_GAME, Games
from league.core.db.bounded_cache import cache
from league.core.db.columns import is_postgres
from league.core.db.statements import execute_query
from league.models import Game, League, Rating

SLUG = "pages"
#: The measured player's page is that of the player whose number of games is closest to this.
GAMES = 5000


@dataclass
class Cost:
    """The shortest duration of a page: elapsed, CPU time of Python, CPU time of the database process.

    The server's parallel workers are not counted.
    """

    wall: float = float("inf")
    python: float = float("inf")
    server: float = float("inf")
    sums: list[float] = field(default_factory=list)

    def take(self, work: Callable[[], Any], backend: Path | None) -> None:
        """Measure once more."""
        before = used(backend)
        clock, processor = time.perf_counter(), time.process_time()
        work()
        wall, python = time.perf_counter() - clock, time.process_time() - processor
        server = used(backend) - before
        self.wall, self.python, self.server = min(self.wall, wall), min(self.python, python), min(self.server, server)
        self.sums.append(python + server)


def used(backend: Path | None) -> float:
    """Return the CPU seconds of this connection's database process."""
    return int(backend.read_text().split()[0]) / 1e9 if backend else 0.0


def measure(system: str, games: Games, rounds: int) -> dict[str, Any]:
    """Measure a league with one player per ten games; an existing league is reused."""
    league = League.objects.filter(slug=SLUG).first() or made(system, games)
    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    backend = Path(f"/proc/{execute_query('SELECT pg_backend_pid()')[0][0]}/schedstat") if is_postgres() else None
    pages = {name: partial(answer, client, path) for name, path in addresses(league).items()}
    for page in pages.values():
        page()
    yard, costs = Cost(), {name: (Cost(), Cost()) for name in pages}
    for _ in range(rounds):
        for name, page in pages.items():
            yard.take(yardstick(league), backend)
            cache.clear()
            costs[name][0].take(page, backend)
            costs[name][1].take(page, backend)
    unit = statistics.median(yard.sums)
    figures = {name: told(page, *costs[name], unit) for name, page in pages.items()}
    return {"system": system, "games": len(games), "yardstick_ms": 1000 * unit, **figures, "load": os.getloadavg()[0]}


def made(system: str, games: Games) -> League:
    """Create the league with all derived data; its last game was played just now."""
    start = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    start -= timedelta(seconds=SECONDS_A_GAME * (len(games) + 1))
    league = fill(SLUG, system, games, start=start)
    recompute(league)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if is_postgres() else "ANALYZE")
    league.refresh_from_db()
    return league


def addresses(league: League) -> dict[str, str]:
    """Return the measured addresses by name."""
    board, count = f"/leagues/{SLUG}/", Rating.objects.filter(league=league).count()
    people = Rating.objects.filter(league=league).values_list("games", "player__handle")
    busy = min(people, key=lambda one: (abs(one[0] - GAMES), one[1]))[1]
    games = Game.objects.filter(league=league).values_list("played_at", flat=True)

    def day(share: float) -> str:
        return str(games.get(number=max(int(share * league.last_number), 1)).date())

    return {
        "board": board,
        "its middle": f"{board}?page={count // 200}",
        "search": f"{board}?q={busy[:-1]}",
        "sorted by games": f"{board}?sort=games",
        "at 5 %": f"{board}?at={day(0.05)}",
        "at 50 %": f"{board}?at={day(0.5)}",
        "at 99 %": f"{board}?at={day(0.99)}",
        "compared with a month ago": f"{board}compared/",
        "compared, 40 and 60 %": f"{board}compared/?from={day(0.4)}&to={day(0.6)}",
        "player": f"{board}players/{busy}/",
        "game": f"{board}games/{league.last_number // 2}/",
        "ladder": f"{board}ladders/month/",
        "period": f"{board}ladders/month/{day(0.9)[:7]}/",
        "home": "/",
        "status": "/status/",
    }


def answer(client: Client, path: str) -> Any:
    """Request a page; fail unless it answers 200."""
    found = client.get(path)
    assert found.status_code == 200, (path, found.status_code)
    return found


def yardstick(league: League) -> Callable[[], Any]:
    """Return the durations of the minimum: one row by its key, and an empty page."""
    request = RequestFactory().get("/")

    def work() -> None:
        execute_query("SELECT title FROM league_league WHERE id = %s", [league.pk])
        render_to_string("base.html", {}, request)

    return work


def told(page: Callable[[], Any], first: Cost, again: Cost, unit: float) -> dict[str, Any]:
    """Return a page's durations uncached and cached, also as multiples of the minimum."""
    figures: dict[str, Any] = {}
    cache.clear()
    for name, cost in (("first", first), ("again", again)):
        with CaptureQueriesContext(connection) as asked:
            found = page()
        for kind in ("wall", "python", "server"):
            figures[f"{name}, {kind}_ms"] = 1000 * getattr(cost, kind)
        figures[f"{name} / yardstick"] = min(cost.sums) / unit
        figures[f"{name}, queries"] = len(asked)
    return {**figures, "compressed": len(gzip.compress(found.content))}
