"""A site as an operator runs it, in processes of its own."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.helpers.processes import free_port, wait_for

ROOT = Path(__file__).parents[2]


class Site:
    """A site in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        names = ("PATH", "HOME", "LANG")
        self.environment = {name: os.environ[name] for name in names if name in os.environ}
        self.environment |= {
            "RUNGS_VAR": str(folder),
            "RUNGS_WEB_WORKERS": "1",
            "RUNGS_INLINE_GAMES": "0",
            "DJANGO_SETTINGS_MODULE": "league.settings",
        }
        self.port = free_port()
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


def won_game(one: str, two: str, when: str) -> dict[str, Any]:
    """Return a game that the first player won."""
    results = [{"player": one, "score": 1}, {"player": two, "score": 0}]
    return {"results": results, "played_at": when, "create_players": True}


@contextmanager
def running_site(site: Site) -> Iterator[Site]:
    """Run a site, and stop it at the end."""
    site.manage("migrate", "--verbosity", "0")
    site.token = site.manage("token", "server-7", "--scope", "organise").split()[-1]
    try:
        site.start()
        yield site
    finally:
        if site.process is not None and site.process.poll() is None:
            site.process.terminate()
            site.process.wait(30)


def make_league_at(site: Site) -> None:
    """Make a league."""
    rule = {"system": "elo", "parameters": {"k": 32}}
    site.call("POST", "/api/v1/leagues/", {"slug": "club", "title": "Club", "rule": rule})
