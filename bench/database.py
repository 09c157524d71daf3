"""What the database costs: a full recompute against a raw COPY of the same rows, and corrections against it."""

import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from django.db import connection, transaction

from bench.leagues import Games, moment_of, names
from league.models import Game, League, Player, RatingChange, Result
from league.services.books import with_books
from league.services.columns import is_postgres, write_columns
from league.services.games import void_game
from league.services.jobs import replay_due
from league.services.leagues import create_league
from league.services.replay import replay_from


def fill(slug: str, system: str, games: Games, parameters: dict[str, Any] | None = None) -> League:
    """Make a league with these games recorded and not yet rated."""
    league = create_league(slug, slug, system=system, parameters=parameters, by="bench")
    handles = [f"{slug}-{name}" for name in names(int(games.players.max()) + 1)]
    Player.objects.bulk_create([Player(handle=handle, name=handle) for handle in handles], batch_size=2000)
    players = np.array(Player.objects.filter(handle__in=handles).order_by("handle").values_list("pk", flat=True))
    count, seats = games.players.shape
    numbers = np.arange(1, count + 1)
    for start in range(0, count, 20_000):
        part = numbers[start : start + 20_000].tolist()
        Game.objects.bulk_create(
            [
                Game(league=league, number=number, played_at=moment_of(number), recorded_at=moment_of(number))
                for number in part
            ],
            batch_size=2000,
        )
    keys = np.array(Game.objects.filter(league=league).order_by("number").values_list("pk", flat=True))
    placed = system == "durak"
    columns: dict[str, Any] = {
        "game": ("key", np.repeat(keys, seats)),
        "seat": ("small", np.tile(np.arange(1, seats + 1), count)),
        "player": ("key", players[games.players].ravel()),
    }
    if placed:
        columns["place"] = ("small", games.places.ravel())
    else:
        columns["score"] = ("float", games.scores.ravel())
    with transaction.atomic():
        write_columns(Result, columns)
        League.objects.filter(pk=league.pk).update(last_number=count)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return league


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds that a piece of work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def forget(league: League) -> None:
    """Throw the derived tables away, as after an import that has not been rated."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM league_rating")
        if is_postgres():
            cursor.execute("TRUNCATE league_ratingchange")
            cursor.execute("VACUUM league_ratingchange")
        else:
            cursor.execute("DELETE FROM league_ratingchange")


def recompute(league: League) -> None:
    """Replay a league from nothing, read to commit."""
    with_books(league.pk, lambda locked, now: replay_from(locked, None, compiled=True))


class RawCopy:
    """The same history rows as one binary COPY into an empty copy of the same table, key and indexes included."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS bench_raw")
            cursor.execute("CREATE TABLE bench_raw (LIKE league_ratingchange INCLUDING ALL)")
            with cursor.copy("COPY league_ratingchange TO STDOUT (FORMAT binary)") as stream:
                self.data = b"".join(map(bytes, stream))

    def run(self) -> float:
        """Copy the rows in; returns the seconds until the commit."""
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE bench_raw")

        def work() -> None:
            with (
                transaction.atomic(),
                connection.cursor() as cursor,
                cursor.copy("COPY bench_raw FROM STDIN (FORMAT binary)") as stream,
            ):
                for start in range(0, len(self.data), 1 << 20):
                    stream.write(self.data[start : start + (1 << 20)])

        return timed(work)


def correction(league: League, share: float, count: int) -> float:
    """Void a game at a share of the log and let the worker replay, then take it back; returns the seconds."""
    number = max(int(count * share), 1)

    def work() -> None:
        with transaction.atomic():
            void_game(league.pk, number, reason="bench", by="bench")
        replay_due(league.pk)

    with transaction.atomic():
        seconds = timed(work)
        transaction.set_rollback(True)
    return seconds


def peak() -> float:
    """Return the most memory that the process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(system: str, games: Games, rounds: int) -> dict[str, Any]:
    """Measure one league: medians of interleaved rounds."""
    league = fill(f"{system}-{len(games)}", system, games)
    recompute(league)
    raw = RawCopy() if is_postgres() else None
    full, copies, again = [], [], []
    for _ in range(rounds):
        if raw is not None:
            copies.append(raw.run())
        forget(league)
        full.append(timed(lambda: recompute(league)))
        again.append(timed(lambda: recompute(league)))
    late = {
        share: statistics.median(correction(league, share, len(games)) for _ in range(rounds))
        for share in (0.5, 0.9, 0.99)
    }
    whole = statistics.median(full)
    found: dict[str, Any] = {
        "system": system,
        "games": len(games),
        "rows": RatingChange.objects.filter(league=league).count(),
        "full": whole,
        "unchanged": statistics.median(again),
        "corrections": {str(share): seconds / whole for share, seconds in late.items()},
        "peak_mib": peak(),
    }
    if copies:
        found["raw_copy"] = statistics.median(copies)
        found["ratio"] = whole / found["raw_copy"]
    return found
