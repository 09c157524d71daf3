"""Streams that take longer than the web server's time-out, from the real web server: nothing is cut."""

import hashlib
import http.client
import json
import time
from collections.abc import Callable
from pathlib import Path

from tests.journeys.test_never_stuck import make_league, running
from tests.journeys.test_serve import Site

#: Seconds after which gunicorn replaces a process that it has not heard of, and how much longer a stream is to take.
TIME_OUT, TIMES = 1, 2
EXPORT = "/api/v1/leagues/club/export/"
#: So many games are imported at once, until their export takes long enough here.
SOME = 10_000


def import_games(site: Site, folder: Path, first: int) -> None:
    """Import some games, numbered on."""
    lines = [
        json.dumps(
            {
                "external_id": str(number),
                "played_at": f"2024-03-{1 + number % 28:02}T20:00:00Z",
                "results": [{"player": f"p{number % 7}", "score": 1}, {"player": f"q{number % 5}", "score": 0}],
                "note": "A note that makes the line longer. " * 5,
            }
        )
        for number in range(first, first + SOME)
    ]
    file = folder / "games.ndjson"
    file.write_text("\n".join(lines), encoding="utf-8")
    site.manage("import_games", "club", str(file), "--create-players")


def streamed(site: Site, pause: Callable[[], None]) -> tuple[float, list[bytes]]:
    """Return how many seconds an export took, with something done after each piece, and its lines."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
    start = time.monotonic()
    connection.request("GET", EXPORT, headers={"Accept-Encoding": "identity"})
    answer = connection.getresponse()
    assert answer.status == 200
    pieces = []
    while piece := answer.read(1 << 18):  # raises IncompleteRead where the stream was cut
        pieces.append(piece)
        pause()
    connection.close()
    return time.monotonic() - start, b"".join(pieces).splitlines()


def test_an_export_that_streams_longer_than_the_time_out_of_the_server_is_not_cut(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.environment["GUNICORN_CMD_ARGS"] = f"--timeout {TIME_OUT}"
    with running(site):
        make_league(site)
        games, took = 0, 0.0
        while took < TIMES * TIME_OUT:
            import_games(site, tmp_path, games)
            games += SOME
            took, lines = streamed(site, lambda: None)
        slowly, again = streamed(site, lambda: time.sleep(TIMES * TIME_OUT / 10))
        assert slowly > TIMES * TIME_OUT
    for whole in (lines, again):
        told = [json.loads(line) for line in whole]
        assert sum("results" in line for line in told) == games
        digest = hashlib.sha256(b"".join(line + b"\n" for line in whole[:-1])).hexdigest()
        assert told[-1] == {"type": "end", "lines": len(whole) - 1, "sha256": digest}
    assert "WORKER TIMEOUT" not in site.log.read_text()
