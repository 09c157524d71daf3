"""Benchmark of imports: from lines of JSON to rated games, by phases, against a raw COPY of the same rows."""

import json
import os
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from bench.database import LADDERS, add_players, peak, timed
from bench.leagues import Games, moment_of, names, scores_of
from league.apps.imports.services.run import ImportOptions, ImportReport, import_games
from league.core.db.columns import is_postgres
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import create_league
from league.models import Game

#: For each phase: elapsed seconds, CPU seconds of Python, CPU seconds of the database process.
CLOCKS = ("s", "python", "server")
#: Tables to which an import writes rows for each game.
TABLES = ("league_game", "league_result", "league_logentry", "league_ratingchange")


class Phases:
    """Receives the progress of an import, and measures the CLOCKS of each phase.

    CPU seconds say what the work costs where others share the machine.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.server = server_process()
        self.now, self.since = "reading", self.clocks()

    def clocks(self) -> list[float]:
        """Return the current values of the clocks."""
        return [time.perf_counter(), time.process_time(), cpu_of(self.server)]

    def tell(self, what: str, done: int, total: int) -> None:
        """Add the time since the last call to the current phase."""
        now = self.clocks()
        before = self.seconds.get(self.now, [0.0, 0.0, 0.0])
        self.seconds[self.now] = [spent + new - old for spent, new, old in zip(before, now, self.since, strict=True)]
        self.now, self.since = what, now


def server_process() -> int | None:
    """Return the id of the database process of this connection, if there is one."""
    if not is_postgres():
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def cpu_of(process: int | None) -> float:
    """Return the CPU seconds of a process."""
    if process is None:
        return 0.0
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


#: Game fields by system.
DETAILS: dict[str, dict[str, float]] = {"preferans": {"bula": 30}}


def write_file(
    path: Path,
    slug: str,
    games: Games,
    system: str,
    name: str = "g",
    when: Callable[[int], datetime] = moment_of,
) -> None:
    """Write games as lines of JSON; external ids begin with ``name``."""
    placed, details = system == "durak", DETAILS.get(system, {})
    handles = [f"{slug}-{name}" for name in names(int(games.players.max()) + 1)]
    values = games.places if placed else scores_of(games, system)
    key = "place" if placed else "score"
    with path.open("w") as file:
        for number, (seats, row) in enumerate(zip(games.players.tolist(), values.tolist(), strict=True)):
            results = [{"player": handles[player], key: value} for player, value in zip(seats, row, strict=True)]
            moment = when(number).isoformat().replace("+00:00", "Z")
            line: dict[str, Any] = {"external_id": f"{name}{number}", "played_at": moment, "results": results}
            file.write(json.dumps(line | ({"details": details} if details else {})) + "\n")


def measure(system: str, games: Games) -> dict[str, Any]:
    """Measure an import into an empty league with existing players."""
    slug = f"{system}-{len(games)}"
    league = create_league(slug, slug, system=system, by="bench")
    method, chosen = LADDERS[system]
    create_ladder(league.pk, "month", "Month", RankingRule(method, "month", chosen), username="bench")
    add_players(slug, int(games.players.max()) + 1)
    with tempfile.TemporaryDirectory(prefix="rungs-bench-") as folder:
        path = Path(folder) / "games.ndjson"
        write_file(path, slug, games, system)
        size = path.stat().st_size
        before, phases = peak(), Phases()
        with path.open("rb") as source:
            start = time.perf_counter()
            import_games(
                league.pk,
                source,
                ImportOptions(by="bench", media="ndjson", compiled=True),
                progress=phases.tell,
                end=partial(hold, phases),
            )
            whole = time.perf_counter() - start
        phases.tell("", 0, 0)
    most = peak()
    return {
        "system": system,
        "games": Game.objects.filter(league=league).count(),
        "file_mb": size / 1e6,
        "whole_s": whole,
        "games/s": len(games) / whole,
        "phases": {name: dict(zip(CLOCKS, spent, strict=True)) for name, spent in phases.seconds.items()},
        **(against(whole) if is_postgres() else {}),
        "peak_mib": most,
        "before_mib": before,
        "load": os.getloadavg()[0],
    }


def hold(phases: Phases, report: ImportReport) -> None:
    """Check foreign keys before the commit, so that they are a separate phase."""
    phases.tell("foreign keys", 0, 0)
    if is_postgres():
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    phases.tell("commit", 0, 0)


def against(whole: float) -> dict[str, float]:
    """Return the duration of a raw binary COPY of the same rows, with indexes, and the import's ratio to it."""
    raw = sum(copied(table) for table in TABLES)
    return {"raw_s": raw, "whole/raw": whole / raw}


def copied(table: str) -> float:
    """Copy a table into an empty one of the same structure; return the seconds until the commit."""
    with tempfile.TemporaryFile() as file, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE bench_raw (LIKE {table} INCLUDING ALL)")
        with cursor.copy(f"COPY {table} TO STDOUT (FORMAT binary)") as stream:
            for block in stream:
                file.write(block)
        file.seek(0)

        def work() -> None:
            with transaction.atomic(), cursor.copy("COPY bench_raw FROM STDIN (FORMAT binary)") as stream:
                while block := file.read(1 << 20):
                    stream.write(block)

        seconds = timed(work)
        cursor.execute("DROP TABLE bench_raw")
    return seconds
