"""Each benchmark runs at its smallest size and prints its figures, so that none of them breaks unseen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: A figure of each.
FIGURES = {
    "kernels": "games_per_second",
    "competitions": "case standings after a result  wall_ms",
    "database": "full/raw",
    "imports": "whole/raw",
    "batches": "games/s",
    "demo": "with/without",
    "verify": "games/s",
    "locks": "longest_hold_ms",
    "pages": "first / yardstick",
    "http": "api/statements",
    "laboratory": "again_times_bare",
    "pairings": "case Swiss round 1 of 24",
}


@pytest.mark.slow("Each takes half a minute, most of it for databases and servers of its own.")
@pytest.mark.one_database("It starts its own databases.")
@pytest.mark.parametrize("name", FIGURES)
def test_a_benchmark_runs_at_its_smallest_size(name: str) -> None:
    outside = {"DJANGO_SETTINGS_MODULE", "DATABASE_URL", "RUNGS_VAR"}
    environment = {key: value for key, value in os.environ.items() if key not in outside and "TEST" not in key}
    command = [sys.executable, "-m", "bench", name, "--smallest"]
    before = sorted((ROOT / "bench" / "results").glob("*"))
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert FIGURES[name] in done.stdout
    assert sorted((ROOT / "bench" / "results").glob("*")) == before
