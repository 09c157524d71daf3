"""Benchmark of the laboratory: five systems with all measures, over a million and over ten thousand games.

Each size is measured in a separate process, so that the first round compiles the kernels like a new worker. The
baseline is a replay of the same systems over the same games in the same process.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.leagues import draw_games
from ratings.laboratory.experiments import Candidate, LaboratoryGames, compare
from ratings.laboratory.fitting import fit
from ratings.laboratory.running import create_pool, log_of, play_log
from ratings.laboratory.tables import build_side_tables
from ratings.registry import get_system
from ratings.run.replay import WORTH_COMPILING

PLAYERS, EVENINGS, DRAWS = 20_000, 3_000, 200
#: Five systems for games of two players, and five for games of four.
SYSTEMS: dict[int, list[tuple[str, dict[str, Any]]]] = {
    2: [("elo", {}), ("glicko", {}), ("glicko2", {}), ("weng_lin", {}), ("trueskill", {})],
    4: [("elo", {}), ("durak", {}), ("weng_lin", {}), ("weng_lin", {"model": "bradley_terry"}), ("trueskill", {})],
}  # fmt: skip


def played(count: int, seats: int) -> LaboratoryGames:
    """Return games with places, the same number on each evening."""
    games = draw_games(count, seed=3, seats=seats, players=min(PLAYERS, count))
    evenings = np.arange(count, dtype=np.int64) * min(EVENINGS, count // 10) // count
    return LaboratoryGames(
        offsets=np.arange(0, count * seats + 1, seats, dtype=np.int64),
        players=games.players.ravel().astype(np.int64),
        scores=np.full(count * seats, np.nan),
        places=games.places.ravel().astype(np.float64),
        weights=np.ones(count),
        days=evenings.astype(np.float64),
        evenings=evenings,
        count=min(PLAYERS, count),
    )


def candidates(seats: int) -> list[Candidate]:
    """Return five systems."""
    return [Candidate(f"{key} {given}", get_system(key).from_json(given)) for key, given in SYSTEMS[seats]]


def timed(work: Any) -> float:
    """Return the CPU seconds of a call, with compiling."""
    start = time.process_time()
    work()
    return time.process_time() - start


def bare(games: LaboratoryGames, chosen: list[Candidate], compiled: bool) -> float:
    """Return the CPU seconds of the replays only."""
    tables = build_side_tables(games)
    logs = [log_of(one.system, tables) for one in chosen]

    def work() -> None:
        for one, log in zip(chosen, logs, strict=True):
            play_log(one.system, log, create_pool(one.system, games.count), compiled, ("", ""), lambda share: None)

    return timed(work)


def measure_one(count: int, seats: int) -> dict[str, Any]:
    """Measure one size twice in this process: with compiling, and again."""
    games, chosen = played(count, seats), candidates(seats)
    many = count * seats >= WORTH_COMPILING
    seconds = [timed(lambda: compare(chosen, games, warm_up=count // 10, draws=DRAWS, compiled=True)) for _ in range(3)]
    replays = min(bare(games, chosen, many) for _ in range(2))
    row = {
        "games": count,
        "players": seats,
        "first_s": seconds[0],
        "again_s": min(seconds[1:]),
        "bare_replays_s": replays,
        "again_times_bare": min(seconds[1:]) / replays,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if count <= 100_000:
        wish: dict[str, Any] = {"parameters": ["k"], "until": count // 2, "compiled": True}
        row["fit_k_s"] = timed(lambda: fit(chosen[0], games, **wish))
    return row


def measure(rounds: int) -> list[dict[str, Any]]:
    """Measure each size in a separate process; of several rounds, return the one with the median first run."""
    rows = []
    for count, seats in ((1_000_000, 2), (1_000_000, 4), (100_000, 2), (10_000, 2), (10_000, 4)):
        found = [measured_apart(count, seats) for _ in range(rounds)]
        rows.append(sorted(found, key=lambda row: row["first_s"])[len(found) // 2])
    return rows


def measured_apart(count: int, seats: int) -> dict[str, Any]:
    """Measure one size in a fresh process."""
    command = [sys.executable, "-m", "bench.laboratory", str(count), str(seats)]
    answer = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1], env=dict(os.environ)
    )
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    asked = [int(one) for one in sys.argv[1:]]
    print(json.dumps(measure(asked[0]) if len(asked) == 1 else measure_one(asked[0], asked[1])))
