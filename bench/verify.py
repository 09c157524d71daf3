"""Benchmark of verification: compares derived data with a full replay, and facts with the log."""

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.database import LADDERS, add_players, peak
from bench.imports import write_file
from bench.leagues import Games
from league.apps.imports.services.run import ImportOptions, import_games
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import create_league
from league.core.verify.run import verify_league


def measure(system: str, games: Games, rounds: int) -> dict[str, Any]:
    """Verify a league with imported games, so that its log has an entry for each of them."""
    slug = f"{system}-{len(games)}"
    league = create_league(slug, slug, system=system, by="bench")
    method, chosen = LADDERS[system]
    create_ladder(league.pk, "month", "Month", RankingRule(method, "month", chosen), username="bench")
    add_players(slug, int(games.players.max()) + 1)
    with tempfile.TemporaryDirectory(prefix="rungs-bench-") as folder:
        path = Path(folder) / "games.ndjson"
        write_file(path, slug, games, system)
        with path.open("rb") as source:
            import_games(league.pk, source, ImportOptions(by="bench", media="ndjson", compiled=True))
    before = peak()
    clocks = [verified(league.pk) for _ in range(rounds)]
    whole, python, found = zip(*clocks, strict=True)
    return {
        "system": system,
        "games": len(games),
        "verify_s": statistics.median(whole),
        "verify_cpu_s": statistics.median(python),
        "games/s": len(games) / statistics.median(whole),
        "differences": max(found),
        "peak_mib": peak(),
        "before_mib": before,
        "load": os.getloadavg()[0],
    }


def verified(league: int) -> tuple[float, float, int]:
    """Verify once; return elapsed seconds, CPU seconds of Python, and the differences."""
    start, process = time.perf_counter(), time.process_time()
    verdict = verify_league(league)
    return time.perf_counter() - start, time.process_time() - process, len(verdict.differences)
