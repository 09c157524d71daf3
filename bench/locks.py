"""Benchmark of locks: how long a league's lock is held, and how long recording waits.

This process runs each action in a league with many games over 45 months. Meanwhile, another process records a game
every few hundredths of a second in the same league.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.db import connection
from django.db.transaction import Atomic

from bench.database import LADDERS, add_players
from bench.imports import cpu_of, server_process, write_file
from bench.leagues import Games, draw_games
from league.apps.imports.services.run import ImportOptions, import_games
from league.core import locking
from league.core.db import statements
from league.core.db.columns import is_postgres
from league.core.dispatch.sweep import replay_league, run_due_replay
from league.core.dry_runs.services.run import preview_void
from league.core.games.services.record import void_game
from league.core.jobs.services.progress import ignore_progress
from league.core.ladders.services.decisions import advance, close_period, decide_all, reopen_period
from league.core.ladders.services.ladders import RankingRule, change_ladder, create_ladder
from league.core.leagues.services.leagues import adopt_rule, create_league
from league.core.players.services.merges import merge_players
from league.core.replay.services.current_ratings import refresh_current_ratings
from league.models import Game, League, Player

START = datetime(2020, 1, 1, tzinfo=UTC)
SPAN = timedelta(days=1369)
"""45 months."""


class Holds:
    """Measures how long this process holds the league's lock: the longest time, and the count.

    CPU seconds of Python and the database are measured, too, because the machine may be busy.
    """

    def __init__(self) -> None:
        self.since: tuple[float, float] | None = None
        self.longest, self.cpu, self.count = 0.0, 0.0, 0
        self.server = server_process()

    def clocks(self) -> tuple[float, float]:
        """Return elapsed and CPU time."""
        return time.perf_counter(), time.process_time() + cpu_of(self.server)

    @contextmanager
    def watched(self) -> Iterator["Holds"]:
        """Watch the lock and the ends of the outermost transactions."""
        ask, enter, leave = statements.execute_query, Atomic.__enter__, Atomic.__exit__

        def asked(*told: Any) -> Any:
            rows = ask(*told)
            self.begin()
            return rows

        def entered(atomic: Any) -> None:
            enter(atomic)
            if not is_postgres():  # there a transaction is the only writer from its first moment
                self.begin()

        def left(atomic: Any, *told: Any) -> Any:
            try:
                return leave(atomic, *told)
            finally:
                if not connection.in_atomic_block:
                    self.end()

        with (
            patch.object(locking, "execute_query", asked),
            patch.object(Atomic, "__enter__", entered),
            patch.object(Atomic, "__exit__", left),
        ):
            yield self

    def begin(self) -> None:
        """Start measuring when the lock is taken."""
        if threading.current_thread() is threading.main_thread() and self.since is None:
            self.since = self.clocks()

    def end(self) -> None:
        """Stop measuring when the lock is released."""
        if threading.current_thread() is threading.main_thread() and self.since is not None:
            wall, cpu = (now - before for now, before in zip(self.clocks(), self.since, strict=True))
            self.longest, self.cpu, self.count = max(self.longest, wall), max(self.cpu, cpu), self.count + 1
            self.since = None


class Recorder:
    """A process that records games until it is stopped."""

    def __init__(self, slug: str, handles: list[str]) -> None:
        command = [sys.executable, "-m", "bench.recorder", slug, *handles]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.process.stdout.readline()

    def stop(self) -> list[float]:
        """Return the seconds of each game."""
        found: list[float] = json.loads(self.process.communicate("stop\n")[0])
        return found


def measure(system: str, games: Games) -> dict[str, Any]:
    """Measure all actions in one league, one after the other."""
    slug = f"{system}-{len(games)}"
    league = create_league(slug, slug, system=system, settings={"close_after_hours": 0}, by="bench")
    method, chosen = LADDERS[system]
    create_ladder(league.pk, "month", "Month", RankingRule(method, "month", chosen), username="bench")
    add_players(slug, int(games.players.max()) + 1)
    handles = list(Player.objects.order_by("handle").values_list("handle", flat=True)[:40])
    rows = {}
    with tempfile.TemporaryDirectory(prefix="rungs-bench-") as folder:
        for name, act in acts(league, slug, games, Path(folder)).items():
            recorder = Recorder(slug, handles)
            time.sleep(0.5)
            start = time.perf_counter()
            with Holds().watched() as holds:
                act()
            seconds = time.perf_counter() - start
            time.sleep(0.5)
            took = recorder.stop()
            rows[name] = {
                "s": round(seconds, 2),
                "longest_hold_ms": round(1000 * holds.longest),
                "of_cpu_ms": round(1000 * holds.cpu),
                "holds": holds.count,
                "longest_wait_ms": round(1000 * max(took)),
                "recorded": len(took),
            }
            print(name, rows[name], file=sys.stderr, flush=True)
    return {"system": system, "games": len(games), "load": os.getloadavg()[0], "acts": rows}


def acts(league: League, slug: str, games: Games, folder: Path) -> dict[str, Callable[[], object]]:
    """Return the actions in order."""
    pk = league.pk

    def import_file(name: str, drawn: Games) -> None:
        path = folder / f"{name}.ndjson"
        write_file(
            path, slug, drawn, league.rules.get().system, name, lambda number: START + SPAN * number / len(drawn)
        )
        with path.open("rb") as source:
            import_games(pk, source, ImportOptions(by="bench", media="ndjson", compiled=True))

    def replayed(act: Callable[[], object]) -> None:
        act()
        run_due_replay(pk)

    def void(share: float) -> None:
        replayed(lambda: void_game(pk, number_at(league, share), reason="a friendly", username="bench"))

    few = draw_games(2000, seed=2, players=int(games.players.max()) + 1)
    return {
        "nothing": lambda: time.sleep(3),
        "import of all": lambda: import_file("all", games),
        "calendar, 45 months": lambda: advance(pk),
        "import of 2,000": lambda: import_file("few", few),
        "decisions: carry": lambda: decide_all(pk, "carry", reason="", username="bench"),
        "void at 50 %": lambda: void(0.5),
        "decisions: publish": lambda: decide_all(pk, "publish", reason="a friendly", username="bench"),
        "reopen a month": lambda: reopen_period(pk, "month", "2023-06", reason="a protest", username="bench"),
        "void in line, at 99 %": lambda: void(0.99),
        "close a month": lambda: close_period(pk, "month", "2023-06", reason="heard", username="bench"),
        "what a void would change": lambda: preview_void(
            league, number_at(league, 0.5), "a friendly", progress=ignore_progress
        ),
        "replay of everything": lambda: replay_league(pk),
        "merge": lambda: replayed(lambda: merge_players(player_at(5000), player_at(5001), username="bench")),
        "rule": lambda: replayed(lambda: adopt_rule(pk, "elo", {"k": 24}, date(2023, 10, 15), username="bench")),
        "new ladder": lambda: create_ladder(pk, "wins", "Wins", RankingRule("points", "quarter"), username="bench"),
        "another title": lambda: change_ladder(pk, "month", {"title": "The month"}),
        "nightly ratings": lambda: refresh_current_ratings(pk),
    }


def number_at(league: League, share: float) -> int:
    """Return the number of the game at a share of the 45 months."""
    found = Game.objects.filter(league=league, played_at__gte=START + SPAN * share, voided_at=None)
    return found.order_by("played_at").values_list("number", flat=True)[0]


def player_at(index: int) -> Player:
    """Return one of the players."""
    return Player.objects.order_by("handle")[index]
