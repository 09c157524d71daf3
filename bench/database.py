"""Benchmark of replays: a full recompute against a raw COPY of the same rows, and corrections against the recompute."""

import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from django.db import connection, transaction

from bench.leagues import START, Games, moment_of, names, scores_of
from league.core.db.bulk import write_columns
from league.core.db.columns import is_postgres
from league.core.dispatch.sweep import replay_league, run_due_replay
from league.core.dry_runs.services.run import preview_void
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game, void_game
from league.core.jobs.services.progress import ignore_progress
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import create_league
from league.models import Alias, Game, League, Player, RatingChange, Result

#: So many games at random places are looked at, a fifth of them in leagues of more games than MANY.
PREVIEWS, MANY = 20, 100_000
#: The ladder method for each system.
LADDERS: dict[str, tuple[str, dict[str, Any]]] = {
    "barbu": ("erf_mean", {}),
    "durak": ("rating_score", {}),
    "elo": ("rating_score", {}),
    "preferans": ("rating_score", {}),
    "serpentine": ("points", {"count": "scores"}),
}


def game_of(league: League, number: int, start: datetime = START) -> Game:
    """Return a game that is not saved yet; ``start`` is the time of the league's first game."""
    at = moment_of(number, start)
    return Game(league=league, number=number, order_key=number, played_at=at, recorded_at=at)


def fill(slug: str, system: str, games: Games, start: datetime = START) -> League:
    """Create a league with a monthly ladder and these games, not yet rated."""
    league = create_league(slug, slug, system=system, by="bench")
    method, chosen = LADDERS[system]
    create_ladder(league.pk, "month", "Month", RankingRule(method, "month", chosen), username="bench")
    players = add_players(slug, int(games.players.max()) + 1)
    count, seats = games.players.shape
    numbers = np.arange(1, count + 1)
    for first in range(0, count, 20_000):
        part = numbers[first : first + 20_000].tolist()
        Game.objects.bulk_create([game_of(league, number, start) for number in part], batch_size=2000)
    keys = np.array(Game.objects.filter(league=league).order_by("number").values_list("pk", flat=True))
    placed = system == "durak"
    columns: dict[str, Any] = {
        "league": ("key", np.full(count * seats, league.pk)),
        "game": ("key", np.repeat(keys, seats)),
        "seat": ("small", np.tile(np.arange(1, seats + 1), count)),
        "player": ("key", players[games.players].ravel()),
    }
    if placed:
        columns["place"] = ("small", games.places.ravel())
    else:
        columns["score"] = ("float", scores_of(games, system).ravel())
    with transaction.atomic():
        write_columns(Result, columns)
        League.objects.filter(pk=league.pk).update(last_number=count)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return league


def add_players(slug: str, count: int) -> Any:
    """Add players and return their keys in order."""
    handles = [f"{slug}-{name}" for name in names(count)]
    Player.objects.bulk_create([Player(handle=handle, name=handle) for handle in handles], batch_size=2000)
    added = Player.objects.filter(handle__in=handles).order_by("handle")
    Alias.objects.bulk_create(
        [Alias(player=player, text=player.handle, key=player.handle) for player in added], batch_size=2000
    )
    return np.array(added.values_list("pk", flat=True))


def timed(work: Callable[[], Any]) -> float:
    """Return the duration of a call in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def forget(league: League) -> None:
    """Empty the derived tables, as after an import that is not rated yet."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM league_rating")
        cursor.execute("DELETE FROM league_standing")
        cursor.execute("DELETE FROM league_period")
        if is_postgres():
            cursor.execute("TRUNCATE league_ratingchange")
            cursor.execute("VACUUM league_ratingchange")
        else:
            cursor.execute("DELETE FROM league_ratingchange")


def recompute(league: League) -> None:
    """Replay a whole league like a worker: read, compute, write history, ratings and standings, commit."""
    replay_league(league.pk)


class RawCopy:
    """Copies the same history rows by one binary COPY into an empty table with the same key and indexes."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 -- it lives as long as the rows are copied
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS bench_raw")
            cursor.execute("CREATE TABLE bench_raw (LIKE league_ratingchange INCLUDING ALL)")
            with cursor.copy("COPY league_ratingchange TO STDOUT (FORMAT binary)") as stream:
                for block in stream:
                    self.file.write(block)

    def run(self) -> float:
        """Copy the rows; return the seconds until the commit."""
        self.file.seek(0)
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE bench_raw")

        def work() -> None:
            with (
                transaction.atomic(),
                connection.cursor() as cursor,
                cursor.copy("COPY bench_raw FROM STDIN (FORMAT binary)") as stream,
            ):
                while block := self.file.read(1 << 20):
                    stream.write(block)

        return timed(work)


class RawInsert:
    """Inserts the same history rows by one executemany into an empty table with the same indexes (SQLite)."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT sql FROM sqlite_master WHERE tbl_name = 'league_ratingchange' AND sql IS NOT NULL")
            statements = [sql for (sql,) in cursor.fetchall()]
            for sql in statements:
                renamed = sql.replace("league_ratingchange", "bench_raw").replace('INDEX "', 'INDEX "bench_')
                cursor.execute(renamed)
            cursor.execute("SELECT * FROM league_ratingchange")
            self.rows = cursor.fetchall()

    def run(self) -> float:
        """Insert the rows; return the seconds until the commit."""
        marks = ", ".join(["%s"] * len(self.rows[0]))
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM bench_raw")

        def work() -> None:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO bench_raw VALUES ({marks})", self.rows)

        return timed(work)


def correction(league: League, share: float, count: int) -> float:
    """Void the game at a share of the log, replay, and roll back; return the seconds."""
    number = max(int(count * share), 1)

    def work() -> None:
        with transaction.atomic():
            void_game(league.pk, number, reason="bench", username="bench")
        run_due_replay(league.pk)

    with transaction.atomic():
        seconds = timed(work)
        transaction.set_rollback(True)
    return seconds


def peak() -> float:
    """Return the process's peak memory in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(system: str, games: Games, rounds: int) -> dict[str, Any]:
    """Measure one league: medians of interleaved rounds."""
    league = fill(f"{system}-{len(games)}", system, games)
    recompute(league)
    most = peak()
    raw = RawCopy() if is_postgres() else RawInsert()
    full, copies, again = [], [], []
    for _ in range(rounds):
        copies.append(raw.run())
        forget(league)
        full.append(timed(lambda: recompute(league)))
        again.append(timed(lambda: recompute(league)))
    whole, copy = statistics.median(full), statistics.median(copies)
    late = {
        str(share): statistics.median(correction(league, share, len(games)) for _ in range(rounds)) / whole
        for share in (0.5, 0.9, 0.99)
    }
    return {
        "system": system,
        "games": len(games),
        "rows": RatingChange.objects.filter(league=league).count(),
        "raw_s": copy,
        "full_s": whole,
        "full/raw": whole / copy,
        "unchanged/full": statistics.median(again) / whole,
        "correction/full": late,
        **recording(league, system, games),
        "preview_s": previews(league, len(games)),
        "peak_mib": most,
    }


def previews(league: League, count: int) -> dict[str, float]:
    """Return the duration in seconds of a dry run of a void.

    The first one includes compiling. Then a game at 5 % of the log is voided, and games at random positions.
    """

    def preview(number: int) -> float:
        return timed(lambda: preview_void(league, number, "bench", progress=ignore_progress))

    early = max(count // 20, 1)
    cold = preview(early)
    at_5 = statistics.median(preview(early) for _ in range(5))
    places = np.random.default_rng(5).integers(1, count + 1, PREVIEWS if count <= MANY else PREVIEWS // 5)
    seconds = [preview(int(number)) for number in places]
    return {
        "cold": cold,
        "at 5%": at_5,
        "median": statistics.median(seconds),
        "95th percentile": float(np.percentile(seconds, 95)),
        "load": os.getloadavg()[0],
    }


def recording(league: League, system: str, games: Games) -> dict[str, float]:
    """Return the milliseconds of recording a game after these games, and the ratio to an empty league."""
    empty = create_league(f"empty-{league.slug}", "Empty", system=system, by="bench")
    method, chosen = LADDERS[system]
    create_ladder(empty.pk, "month", "Month", RankingRule(method, "month", chosen), username="bench")
    few = record_more(empty, league, games)
    many = record_more(league, league, games)
    return {"record_ms": 1000 * many, "record/none": many / few}


def record_more(league: League, players: League, games: Games) -> float:
    """Return the median seconds of recording a new game at the end of a league."""
    handles = names(int(games.players.max()) + 1)
    seats = games.players.shape[1]
    system = league.rules.get().system
    lowest = 0 if system == "serpentine" else 1 - seats
    seconds = []
    for number in range(40):
        lines = [
            NewResult(
                f"{players.slug}-{handles[seat]}",
                None if system == "durak" else float(10 * (2 * seat + lowest)),
                seat + 1 if system == "durak" else None,
            )
            for seat in range(seats)
        ]
        # With an external id, like a game server: its lookup must not be slower in a long league.
        new = NewGame(
            results=lines, played_at=moment_of(len(games) + 10 + number), external_id=f"{league.slug}/{number}"
        )
        seconds.append(timed(partial(record_game, league.pk, new, by="bench")))
    return statistics.median(seconds[10:])
