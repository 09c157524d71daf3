"""Streams that take longer than the web server's time-out, from the real web server: nothing is cut."""

import hashlib
import http.client
import itertools
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path

from tests.helpers.sites import Site, make_league_at, running_site

#: Seconds after which gunicorn replaces a process that it has not heard of, and how many times that a stream takes.
#: A process is heard of once a second at best, later on a busy machine: a time-out near to that would end healthy ones.
TIME_OUT, TIMES = 5, 2
EXPORT = "/api/v1/leagues/club/export/"
#: So many games that their export is several times larger than what waits in sockets between the server and its client.
GAMES = 10_000
#: Bytes that the client's socket holds; the server's holds at most HELD.
RECEIVED, HELD = 1 << 18, 1 << 22
#: Between so many pieces at least the slow client pauses while the server is writing still.
PIECES = 50


def import_games(site: Site, folder: Path) -> None:
    """Import the games."""
    lines = [
        json.dumps(
            {
                "external_id": str(number),
                "played_at": f"2024-03-{1 + number % 28:02}T20:00:00Z",
                "results": [{"player": f"p{number % 7}", "score": 1}, {"player": f"q{number % 5}", "score": 0}],
                "note": "A note that makes the line longer. " * 12,
            }
        )
        for number in range(GAMES)
    ]
    file = folder / "games.ndjson"
    file.write_text("\n".join(lines), encoding="utf-8")
    site.manage("import_games", "club", str(file), "--create-players")


def streamed(site: Site, pause: Callable[[], None]) -> tuple[float, list[bytes]]:
    """Return for how many seconds the server was writing an export, at least, and its lines.

    What the sockets hold may have been written long before it was read: it does not count.
    """
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
    connection.sock = socket.socket()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED)
    connection.sock.settimeout(60)
    connection.sock.connect(("127.0.0.1", site.port))
    connection.request("GET", EXPORT, headers={"Accept-Encoding": "identity"})
    answer = connection.getresponse()
    assert answer.status == 200
    start, pieces, times = time.monotonic(), [], []
    while piece := answer.read(1 << 18):  # raises IncompleteRead where the stream was cut
        pieces.append(piece)
        times.append(time.monotonic() - start)
        pause()
    connection.close()
    body = b"".join(pieces)
    assert len(body) > 2 * HELD
    read = itertools.accumulate(len(piece) for piece in pieces)
    written = [at for at, so_far in zip(times, read, strict=True) if len(body) - so_far > HELD + 2 * RECEIVED]
    return written[-1], body.splitlines()


def test_an_export_that_streams_longer_than_the_time_out_of_the_server_is_not_cut(tmp_path: Path) -> None:
    site = Site(tmp_path)
    # Exported in the request: what is sent while it is worked out is what may be cut.
    site.environment |= {"GUNICORN_CMD_ARGS": f"--timeout {TIME_OUT}", "RUNGS_INLINE_GAMES": str(GAMES)}
    with running_site(site):
        make_league_at(site)
        import_games(site, tmp_path)
        _, at_once = streamed(site, lambda: None)
        slowly, again = streamed(site, lambda: time.sleep(TIMES * TIME_OUT / PIECES))
        assert slowly > TIMES * TIME_OUT
    for whole in (at_once, again):
        told = [json.loads(line) for line in whole]
        assert sum("results" in line for line in told) == GAMES
        digest = hashlib.sha256(b"".join(line + b"\n" for line in whole[:-1])).hexdigest()
        assert told[-1] == {"type": "end", "lines": len(whole) - 1, "sha256": digest}
    assert "WORKER TIMEOUT" not in site.log.read_text()
