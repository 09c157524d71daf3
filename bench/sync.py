"""What it costs SQLite to wait for the disk at every commit (synchronous=FULL): both in one run, by turns."""

import os
import statistics
import tempfile
import time
from typing import Any

from django.db import connection

from bench.database import add_players
from bench.leagues import Games, names
from league.models import League
from league.services.leagues.leagues import create_league
from league.services.recording.game_input import NewGame, NewResult
from league.services.recording.games import record_game

MODES = ("NORMAL", "FULL")
#: Games recorded in each mode.
GAMES = 150
#: Games recorded before anything counts.
FIRST = 10


def measure(system: str, games: Games) -> dict[str, Any]:
    """Record games one by one in a league for each mode, by turns; medians, and what one wait for the disk takes."""
    players, seats = int(games.players.max()) + 1, games.players.shape[1]
    leagues = {}
    for mode in MODES:
        leagues[mode] = create_league(mode.lower(), mode, system=system, by="bench")
        add_players(mode.lower(), players)
    took: dict[str, list[float]] = {mode: [] for mode in MODES}
    processor: dict[str, list[float]] = {mode: [] for mode in MODES}
    waits = []
    for _turn in range(FIRST + GAMES):
        waits.append(wait_for_the_disk())
        for mode in MODES:
            with connection.cursor() as cursor:
                cursor.execute(f"PRAGMA synchronous={mode}")
            start, used = time.perf_counter(), time.process_time()
            record_one(leagues[mode], names(players)[:seats])
            took[mode].append(time.perf_counter() - start)
            processor[mode].append(time.process_time() - used)
    middle = {mode: 1000 * statistics.median(took[mode][FIRST:]) for mode in MODES}
    return {
        "games of each": GAMES,
        **{f"{mode} ms": middle[mode] for mode in MODES},
        **{f"{mode} CPU ms": 1000 * statistics.median(processor[mode][FIRST:]) for mode in MODES},
        "FULL/NORMAL": middle["FULL"] / middle["NORMAL"],
        "4 KiB and fsync ms": 1000 * statistics.median(waits),
        "load": os.getloadavg()[0],
    }


def record_one(league: League, handles: list[str]) -> None:
    """Record one more game at the end."""
    lines = [NewResult(f"{league.slug}-{handle}", float(seat), None) for seat, handle in enumerate(handles)]
    record_game(league.pk, NewGame(results=lines), by="bench")


def wait_for_the_disk() -> float:
    """Return the seconds until a page is on the disk: the yardstick."""
    with tempfile.NamedTemporaryFile(prefix="rungs-bench-", buffering=0) as file:
        start = time.perf_counter()
        file.write(b"\0" * 4096)
        os.fsync(file.fileno())
        return time.perf_counter() - start
