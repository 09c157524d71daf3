"""The main job with real processes: web, worker and beat without a broker server."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


class Site:
    """A site in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        names = ("PATH", "HOME", "LANG")
        self.environment = {name: os.environ[name] for name in names if name in os.environ}
        self.environment |= {
            "RUNGS_VAR": str(folder),
            "RUNGS_STATIC_MANIFEST": "0",
            "RUNGS_WEB_WORKERS": "1",
            "RUNGS_INLINE_GAMES": "0",
            "DJANGO_SETTINGS_MODULE": "league.settings",
        }
        (folder / "static").mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = folder / "log"
        self.process: subprocess.Popen[bytes] | None = None
        self.token = ""

    def manage(self, *arguments: str) -> str:
        """Run a command and return what it printed; where it fails, what it said stands in the error."""
        command = [sys.executable, "manage.py", *arguments]
        ended = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, f"manage.py {arguments[0]}: {ended.stderr}"
        return ended.stdout

    def start(self) -> None:
        """Start and wait until the site answers."""
        with self.log.open("ab") as log:
            command = [sys.executable, "manage.py", "serve", "--port", str(self.port)]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        wait_for(self.answers, 60)

    def answers(self) -> bool:
        """Tell whether the site is up."""
        try:
            return bool(self.call("GET", "/healthz")["status"] == "ok")
        except OSError:
            return False

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call the API as a client does."""
        url = f"http://127.0.0.1:{self.port}{path}"
        headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self.token}"} if self.token else {}),
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(30)


def wait_for(what: Any, seconds: float) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.1)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return a site with a league and a token; it is stopped at the end."""
    site = Site(tmp_path)
    site.manage("migrate", "--verbosity", "0")
    site.token = site.manage("token", "server-7", "--scope", "organise").split()[-1]
    yield site
    if site.process is not None and site.process.poll() is None:
        site.process.kill()
        site.process.wait()
    wait_for(lambda: not site.answers(), 20)


def game(one: str, two: str, when: str) -> dict[str, Any]:
    """Return a game that the first player won."""
    results = [{"player": one, "score": 1}, {"player": two, "score": 0}]
    return {"results": results, "played_at": when, "create_players": True}


def test_a_game_is_recorded_rated_seen_and_survives(site: Site) -> None:
    site.start()
    rule = {"system": "elo", "parameters": {"k": 32}}
    site.call("POST", "/api/v1/leagues/", {"slug": "club", "title": "Club", "rule": rule})
    first = site.call("POST", "/api/v1/leagues/club/games/", game("anna", "ben", "2024-03-05T20:00:00Z"))
    assert [line["rating_after"] for line in first["results"]] == [1516, 1484]

    # RUNGS_INLINE_GAMES=0: a late game is the worker's, whether it hears the bell or the sweep's.
    late = site.call("POST", "/api/v1/leagues/club/games/", game("ben", "anna", "2024-03-05T19:00:00Z"))
    assert late["status"] == "pending"
    wait_for(lambda: site.call("GET", "/api/v1/leagues/club/games/2/")["status"] == "rated", 45)
    after = site.call("GET", "/api/v1/leagues/club/leaderboard/")["results"]

    assert site.stop(signal.SIGKILL) == -signal.SIGKILL
    wait_for(lambda: not site.answers(), 20)
    site.start()
    assert site.call("GET", "/api/v1/leagues/club/leaderboard/")["results"] == after
    assert site.call("GET", "/api/v1/leagues/club/games/1/")["results"][0]["games"] == 2

    started = time.monotonic()
    assert site.stop() == 0
    assert time.monotonic() - started < 15
    assert not site.answers()
    with pytest.raises(urllib.error.URLError):
        site.call("GET", "/healthz")


def test_ctrl_c_stops_all_three(site: Site) -> None:
    site.start()
    assert site.stop(signal.SIGINT) == 0
    text = site.log.read_text()
    assert "Stopped." in text
    assert "Traceback" not in text
