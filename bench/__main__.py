"""``script/bench``: runs the benchmarks and stores their results in bench/results/.

``script/bench fuzz --examples 500`` runs random requests for each operation of the API. ``script/bench faults --minutes
10`` causes faults while clients use a site (docs/operators/reliability.md). ``script/bench engines --examples 50000
--seed 100000`` pairs drawn tournaments with a second engine, too. These store no results.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: The smallest sizes: batches; rounds and players; games and their seats; entries and their rounds.
SMALLEST = {"batches": ["3"], "http": ["1", "1000"], "laboratory": ["10000", "2"], "pairings": ["24", "3"]}
VERSIONS = ("numpy", "numba", "django", "psycopg", "openskill", "trueskill", "glicko2", "riix", "elote")


def arguments() -> argparse.Namespace:
    """Return the command's arguments."""
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    known = (
        "kernels, competitions, database, imports, batches, contexts, demo, verify, locks, pages, boards, http, "
        "laboratory, pairings, fuzz, faults, engines"
    )
    parser.add_argument("what", nargs="*", help=f"{known}; default: the first two")
    parser.add_argument(
        "--games", default="10000,100000,1000000", help="sizes of the leagues, comma-separated; of boards: players"
    )
    parser.add_argument(
        "--systems", default="durak,barbu,elo,serpentine", help="for database, imports and verify, comma-separated"
    )
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; the median counts")
    parser.add_argument("--engine", default="postgres", choices=["postgres", "sqlite"])
    parser.add_argument(
        "--examples", type=int, default=200, help="random cases per operation for fuzz, tournaments for engines"
    )
    parser.add_argument("--minutes", type=float, default=10, help="duration of faults")
    parser.add_argument("--seed", type=int, default=1, help="random seed of faults; the first one of engines")
    parser.add_argument("--back", action="store_true", help="engines: tournaments that the second engine draws")
    parser.add_argument("--smallest", action="store_true", help="only see whether it runs: small sizes, kept nowhere")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.smallest:
        given.games, given.systems, given.rounds = "500", "elo", 1
    given.what = given.what or ["kernels", "database"]
    if unknown := set(given.what) - set(known.split(", ")):
        parser.error(f"there is no bench {', '.join(sorted(unknown))}; there are {known}")
    if {"fuzz", "faults", "engines"} & set(given.what) and len(given.what) > 1:
        parser.error("fuzz, faults and engines measure nothing; run them alone.")
    return given


def main() -> int:
    """Run each benchmark in a separate process, so that memory is measured separately, and store the results."""
    given = arguments()
    if given.one:
        print(json.dumps(measure_one(given.one, given.rounds)))
        return 0
    if given.what == ["fuzz"]:
        from bench.fuzz import fuzz

        return fuzz(given.examples)
    if given.what == ["faults"]:
        from bench.faults import faults

        return faults(given.minutes, given.seed)
    if given.what == ["engines"]:
        from bench.engines import compare

        return compare(given.examples, given.seed, back=given.back)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    figures: dict[str, Any] = {"at": now, "machine": machine(), "engine": given.engine}
    if "kernels" in given.what:
        from bench.kernels import measure

        figures["kernels"] = measure(given.rounds, *((2_000, 100) if given.smallest else ()))
        show(figures["kernels"])
    if "competitions" in given.what:
        from bench.competitions import measure as measure_competitions

        figures["competitions"] = measure_competitions(given.rounds)
        show(figures["competitions"])
        from bench.seasons import measure as measure_seasons

        figures["seasons"] = measure_seasons(given.rounds)
        show(figures["seasons"])
        figures["stored competitions"] = database(given, "competitions")
    for what in ("database", "imports", "contexts", "verify", "locks", "pages", "boards", "demo"):
        if what in given.what:
            figures[what] = database(given, what)
    for what in ("batches", "http", "laboratory", "pairings"):
        if what in given.what:
            sizes = [str(given.rounds * (10 if what == "batches" else 1))]
            command = [sys.executable, "-m", f"bench.{what}", *(SMALLEST[what] if given.smallest else sizes)]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
            found = json.loads(answer.stdout)
            figures[what] = found
            show(found if isinstance(found, list) else [found])
    if given.smallest:
        return 0
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    target = folder / f"{figures['at'][:19].replace(':', '')}.json"
    target.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"Kept in bench/results/{target.name}")
    return 0


def machine() -> dict[str, Any]:
    """Return the conditions of the measurement."""
    cpu = [
        line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    return {
        "cpu": cpu[0] if cpu else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in VERSIONS if find_spec(name)},
    }


def database(given: argparse.Namespace, what: str) -> list[dict[str, Any]]:
    """Measure each league in a separate process and database."""
    from tests.postgres import Server, find_binaries

    rows = []
    sizes, systems = (given.games, "all" if what == "boards" else given.systems)
    if what in ("demo", "competitions"):
        sizes, systems = "0", "all"
    for size in sizes.split(","):
        for system in systems.split(","):
            with tempfile.TemporaryDirectory(prefix="rungs-bench-") as name:
                folder = Path(name)
                server = Server(folder / "postgres", find_binaries()) if given.engine == "postgres" else None
                address = server.start() if server else f"sqlite:///{folder / 'bench.sqlite3'}"
                settings = {"DATABASE_URL": address, "RUNGS_VAR": name}
                if what != "locks":
                    settings["RUNGS_INLINE_GAMES"] = "0"
                if what in ("pages", "competitions"):
                    settings |= {"RUNGS_WORK_A_MINUTE": "0"}
                try:
                    found = run(f"{what}:{system}:{size}", given.rounds, settings)
                    rows += found if isinstance(found, list) else [found]
                finally:
                    if server:
                        server.stop()
            show(found if isinstance(found, list) else [found])
    return rows


def run(one: str, rounds: int, settings: dict[str, str]) -> Any:
    """Measure one league in a separate process."""
    command = [sys.executable, "-m", "bench", "--one", one, "--rounds", str(rounds)]
    environment = {**os.environ, **settings, "CELERY_BROKER_URL": "memory://"}
    answer = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    return json.loads(answer.stdout.splitlines()[-1])


def measure_one(one: str, rounds: int) -> Any:
    """Set Django up and measure one league, such as database:durak:100000 or imports:elo:100000."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "league.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from bench import boards, contexts, database, demo, imports, locks, pages, stored_competitions, verify
    from bench.leagues import PLAYERS, SEATS, SEATS_OF, draw_games

    what, system, size = one.split(":")
    if what in ("demo", "competitions"):
        return (demo if what == "demo" else stored_competitions).measure(rounds)
    if what == "boards":
        return boards.measure(int(size), rounds)
    players = int(size) // 10 if what == "pages" else PLAYERS
    games = draw_games(int(size), seed=1, seats=SEATS_OF.get(system, SEATS), players=players)
    if what == "imports":
        return imports.measure(system, games)
    if what == "locks":
        return locks.measure(system, games)
    measured = {"contexts": contexts.measure, "pages": pages.measure, "verify": verify.measure}
    return measured.get(what, database.measure)(system, games, rounds)


def show(rows: list[dict[str, Any]]) -> None:
    """Print rows as a table."""
    for row in rows:
        print("  ".join(f"{name} {told(value)}" for name, value in row.items()), flush=True)


def told(value: Any) -> str:
    """Format a number with its significant digits."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {told(one)}" for name, one in value.items()) + "}"
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.3f}" if value < 100 else f"{value:,.0f}"


if __name__ == "__main__":
    sys.exit(main())
