"""A running stack as a stranger and its operator see it: the proxy's address, its log, the processes."""

import http.cookiejar
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from league.environment import KNOWN
from tests.helpers.processes import ask, wait_for

ROOT = Path(__file__).parents[2]
#: Settings of the trial: late games are the worker's, webhooks may come here.
SETTINGS = {
    "RUNGS_INLINE_GAMES": "0",
    "RUNGS_WEBHOOKS_PRIVATE": "1",
    "RUNGS_WEB_WORKERS": "1",
    "RUNGS_WEB_THREADS": "6",
    "RUNGS_STAFF_SECOND_FACTOR": "0",
    "RUNGS_BACKUP_DIR": "",
}
Answer = tuple[int, Any]


class Running:
    """script/stack in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log"
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.environment = kept | {name: value for name, value in SETTINGS.items() if name in KNOWN}
        self.command = [sys.executable, "-m", "deploy.local", "--folder", str(folder)]
        with self.log.open("wb") as log:
            command = [*self.command, "--port", "0", "--scale", "web=2", "--scale", "beat=2"]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)

    def up(self) -> bool:
        """Tell whether it says that all are well."""
        assert self.process.poll() is None, self.log.read_text()[-5000:]
        return "Rungs is at https://" in self.log.read_text()

    @property
    def state(self) -> dict[str, Any]:
        """Return what it wrote down of itself."""
        return dict(json.loads((self.folder / "state.json").read_text()))

    def manage(self, *arguments: str, **more: str) -> str:
        """Run a command of the operator's."""
        command = [*self.command, "manage", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment | more, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def kill(self, name: str) -> None:
        """Kill a container as a machine's death does: all of its processes, without a word."""
        os.killpg(self.state["processes"][name], signal.SIGKILL)

    def lines(self, name: str) -> list[str]:
        """Return what a process has printed."""
        told = (line.lstrip().partition(" | ") for line in self.log.read_text().splitlines())
        return [what for who, _, what in told if who == name]

    def handled(self, path: str) -> list[dict[str, Any]]:
        """Return the good answers of an address, as the proxy's log tells of them."""
        told = [json.loads(line) for line in self.lines("proxy-1") if '"handled request"' in line]
        return [one for one in told if one["request"]["uri"].startswith(path) and one["status"] < 300]


class Browser:
    """Somebody with cookies, or a program with a token, who trusts the stack's certificate and nothing else."""

    def __init__(self, running: Running, token: str = "") -> None:
        state = running.state
        self.url, self.token = state["url"], token
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=state["certificate"])),
            urllib.request.HTTPCookieProcessor(self.cookies),
        )

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Ask, and return the status with the answer's JSON or text."""
        given = {"Referer": self.url + "/", **headers}
        if self.token:
            given["Authorization"] = f"Bearer {self.token}"
        if csrf := {one.name: one.value for one in self.cookies}.get("__Host-csrftoken"):
            given["X-CSRFToken"] = csrf
        return ask(self.url + path, method, body, self.opener.open, **given)

    def sign_in(self, name: str, password: str) -> None:
        """Sign in as people do."""
        status, page = self.ask("GET", "/admin/login/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', str(page))
        assert status == 200 and token is not None
        form = {"username": name, "password": password, "csrfmiddlewaretoken": token[1], "next": "/admin/"}
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        status, page = self.ask("POST", "/admin/login/", urllib.parse.urlencode(form).encode(), **kind)
        assert status == 200 and {one.name for one in self.cookies} >= {"__Host-sessionid"}, page

    def good(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Ask for what must be given; returns the answer."""
        status, answer = self.ask(method, path, body, **headers)
        assert status < 300, (method, path, status, answer)
        return answer


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """Run a stack."""
    one = Running(folder)
    try:
        wait_for(one.up, 150, "the stack is not up")
        yield one
    except BaseException:
        print(one.log.read_text()[-20000:])
        raise
    finally:
        if one.process.poll() is None:
            one.process.send_signal(signal.SIGINT)
            try:
                one.process.wait(60)
            except subprocess.TimeoutExpired:
                one.process.kill()
