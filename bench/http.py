"""Benchmark of HTTP on loopback, against a bare view and bare statements."""

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SECONDS = 1.5
SEATS = 4
DURABLE = ("fsync", "synchronous_commit", "full_page_writes")
BOARD = "/api/v1/leagues/bench/leaderboard/"


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(module: str, environment: dict[str, str]) -> Iterator[int]:
    """Run the web server like ``manage.py serve``; yield the port."""
    from league.management.commands.serve import list_child_processes

    port = free_port()
    command = [*list_child_processes("127.0.0.1", port)[0].command, module]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(20)


def get(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes, Any]:
    """Send one GET request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers=headers or {})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, answer.headers


def exchange(port: int, request: bytes, wanted: bytes) -> None:
    """Send a request over a raw socket and read the answer, with little overhead."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(request)
        first = part = client.recv(1 << 16)
        while part:
            part = client.recv(1 << 16)
    assert first.startswith(wanted), first[:500]


def recorder(port: int, body: Any, token: str) -> Callable[[], None]:
    """Return a client that records a game."""
    text = json.dumps(body).encode()
    head = (
        f"POST /api/v1/leagues/bench/games/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
    )
    return lambda: exchange(port, head.encode() + text, b"HTTP/1.1 201")


def reader(port: int, path: str, headers: str = "", status: int = 200) -> Callable[[], None]:
    """Return a client that reads an address."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}Connection: close\r\n\r\n".encode()
    return lambda: exchange(port, request, f"HTTP/1.1 {status}".encode())


def rate(work: Callable[[], None], clients: int = 4, seconds: float = SECONDS) -> float:
    """Return the requests per second of a number of concurrent clients."""
    counts = [0] * clients
    failures: list[BaseException] = []
    end = time.perf_counter() + seconds

    def run(index: int) -> None:
        try:
            while time.perf_counter() < end:
                work()
                counts[index] += 1
        except BaseException as error:  # noqa: BLE001 -- a thread loses what it raises: raised again below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(clients)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sum(counts) / (time.perf_counter() - start)


def median_ms(work: Callable[[], Any], times: int = 30) -> float:
    """Return the median duration of several calls in milliseconds."""
    work()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return 1000 * statistics.median(seconds)


@contextmanager
def own_postgres(**more: str) -> Iterator[tuple[Path, Any]]:
    """Set Django up with a temporary PostgreSQL server without fsync; yield a folder and the server.

    ``more``: further variables of the environment.
    """
    from tests.postgres import SETTINGS, Server, find_binaries

    for name in DURABLE:
        SETTINGS.pop(name)  # What stands in the command line could not be changed later.
    with tempfile.TemporaryDirectory(prefix="rungs-bench-") as name:
        server = Server(Path(name) / "postgres", find_binaries())
        environment = {"DATABASE_URL": server.start(), "RUNGS_VAR": name, "CELERY_BROKER_URL": "memory://", **more}
        os.environ.update(environment, DJANGO_SETTINGS_MODULE="league.settings", PYTHONPATH=str(ROOT))
        import django
        from django.core.management import call_command
        from django.db import connections

        try:
            django.setup()
            keep_data("off")
            call_command("migrate", verbosity=0)
            yield Path(name), server
        finally:
            connections.close_all()
            server.stop()


def measure(rounds: int = 3, players: int = 1_000_000) -> dict[str, Any]:
    """Run all HTTP benchmarks on a temporary PostgreSQL server; only recording if the long board has no players."""
    with own_postgres() as (folder, _server):
        return measure_all(folder, rounds, players)


def measure_all(folder: Path, rounds: int, players: int) -> dict[str, Any]:
    """Fill the database, start both servers and measure."""
    from bench.http_league import fill, fill_long, token

    fill(120)
    written = token()
    environment = {**os.environ, "BARE_BODY": str(folder / "body")}
    figures: dict[str, Any] = {}
    with serving("league.wsgi", environment) as port:
        (folder / "body").write_bytes(get(port, BOARD)[1])
        with serving("bench.bare", environment) as bare:
            if players:
                figures["reading"] = reading(port, bare, rounds)
            figures["beside_slow_clients_ms"] = beside_slow_clients(port)
            figures["recording"] = recording(port, bare, written, rounds)
    if players:
        figures["ranks_ms"] = ranks(fill_long(players), players)
    return figures


def beside_slow_clients(port: int) -> dict[str, float]:
    """Return the response times of one client, without other clients and with 200 slow ones of each kind."""
    from tests.helpers.slow_clients import KINDS, slow_clients, times_of

    ask = reader(port, "/api/v1/leagues/")
    reader(port, "/api/v1/schema/")()
    figures = {}
    for kind in ("none", *KINDS):
        with slow_clients(port, kind, 200) if kind != "none" else nullcontext():
            times = times_of(ask, 10)
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            figures[f"{kind}: {name}"] = 1000 * times[int(len(times) * share)]
    return figures


def reading(port: int, bare: int, rounds: int) -> dict[str, float]:
    """Compare the board with a bare view of the same size, in turns."""
    import psycopg

    etag = get(port, BOARD)[2]["ETag"]
    change = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    kept, changing = reader(port, BOARD), reader(port, BOARD)

    def changed() -> None:
        change.execute("UPDATE league_edits SET count = count + 1")
        changing()

    works = {
        "bare": (reader(bare, "/"), 4),
        "kept": (kept, 4),
        "not_modified": (reader(port, BOARD, f"If-None-Match: {etag}\r\n", 304), 4),
        "bare, one client": (reader(bare, "/"), 1),
        "changed each time, one client": (changed, 1),
    }
    for work, clients in works.values():
        rate(work, clients, 0.5)  # Every worker has answered before anything counts.
    seen: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, (work, clients) in works.items():
            seen[name].append(rate(work, clients))
    rates = {name: statistics.median(found) for name, found in seen.items()}
    change.close()
    return {
        "bare_per_s": rates["bare"],
        "kept/bare": rates["kept"] / rates["bare"],
        "304/bare": rates["not_modified"] / rates["bare"],
        "changed/bare": rates["changed each time, one client"] / rates["bare, one client"],
    }


def recording(port: int, bare: int, written: str, rounds: int) -> dict[str, float]:
    """Compare recording a game of four over the API with five bare statements, with one and with eight clients.

    Both are measured without fsync, as in tests, and with synchronous commits, as in production.
    """
    figures = {}
    for name, word in (("", "off"), ("durable, ", "on")):
        keep_data(word)
        for clients in (1, 8):
            found = recorded_rates(port, bare, written, rounds, clients)
            figures.update({f"{name}{clients}: {key}": value for key, value in found.items()})
    return figures


def keep_data(word: str) -> None:
    """Turn the database server's synchronous writes on or off."""
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        for name in DURABLE:
            server.execute(f"ALTER SYSTEM SET {name} = {word}")
        server.execute("SELECT pg_reload_conf()")


def recorded_rates(port: int, bare: int, written: str, rounds: int, clients: int) -> dict[str, float]:
    """Return the games per second of a number of clients, and the ratio to the bare statements, measured in turns.

    The bare view shows the share of HTTP in the ratio.
    """
    from bench.http_league import statements

    body = {"results": [{"player": f"p{seat:07}", "score": 30.0 - 20.0 * seat} for seat in range(SEATS)]}
    record = recorder(port, body, written)
    rate(record, 4, 0.5)
    seen: dict[str, list[float]] = {"api": [], "statements": [], "bare view": []}
    for _ in range(rounds):
        local = threading.local()
        seen["api"].append(rate(record, clients))
        seen["statements"].append(rate(partial(statements, local), clients))
        seen["bare view"].append(rate(reader(bare, "/"), clients))
    rates = {name: statistics.median(found) for name, found in seen.items()}
    ratios = {f"{name}/statements": rates[name] / rates["statements"] for name in ("api", "bare view")}
    return {**ratios, **{f"{name}_per_s": found for name, found in rates.items()}}


def ranks(league: Any, players: int) -> dict[str, float]:
    """Return the median milliseconds of a player's rank, and of the page around the player, on a long board."""
    from django.utils import timezone

    from league.core.db.isolation import postgresql_snapshot
    from league.core.leaderboard.selectors.current_board import Listing
    from league.core.leaderboard.selectors.pages import load_board_page
    from league.core.players.selectors.cards import load_card
    from league.models import Player

    everybody = Listing(1, None)
    start = time.perf_counter()
    last = Player.objects.get(handle=f"q{players - 1:07}")
    load_card(league, last, timezone.now())
    figures = {"first_use": 1000 * (time.perf_counter() - start)}
    for name, number in (("first", 0), ("middle", players // 2), ("last", players - 1)):
        player = Player.objects.get(handle=f"q{number:07}")

        def around(listing: Listing = everybody, player: Any = player) -> Any:
            with postgresql_snapshot():
                return load_board_page(league, listing, 20, around=player)

        assert any(row.handle == player.handle for row in around().rows)
        figures[f"rank, {name}"] = median_ms(partial(load_card, league, player, timezone.now()))
        figures[f"around, {name}"] = median_ms(around)
        filtered = Listing(1, timezone.now() - timedelta(days=300))
        figures[f"around since, {name}"] = median_ms(partial(around, filtered))
    return figures


if __name__ == "__main__":
    print(json.dumps(measure(*(int(word) for word in sys.argv[1:])), indent=1))
