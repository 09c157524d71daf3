"""Processes beside a test: their ports, waiting for them, and some that are killed on the way."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for(what: Callable[[], object], seconds: float = 60.0, why: str = "it took too long") -> float:
    """Wait until something holds; returns how long that took."""
    start = time.monotonic()
    while not what():
        assert time.monotonic() - start < seconds, f"after {seconds:g} s: {why}"
        time.sleep(0.02)
    return time.monotonic() - start


def ask(
    address: str, method: str, body: Any = None, opener: Any = urllib.request.urlopen, **headers: str
) -> tuple[int, Any]:
    """Ask a site; returns the status with the answer's JSON, or its text."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    given = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(address, data=data, headers=given, method=method)
    try:
        with opener(request, timeout=30) as answer:
            return answer.status, read(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, read(error.read())


def read(data: bytes) -> Any:
    """Return JSON as what it says; text, such as lines, as it is."""
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")


def die(*arguments: str, **variables: str) -> None:
    """Let a worker of its own process work on this test's database, and be killed (``tests.helpers.killed``)."""
    name, url = str(connection.settings_dict["NAME"]), os.environ["DATABASE_URL"]
    url = f"sqlite:///{name}" if connection.vendor == "sqlite" else url.replace("/postgres?", f"/{name}?")
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "league.settings", **variables}
    command = [sys.executable, "-m", "tests.helpers.killed", *arguments]
    died = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert died.returncode == -9, died.stderr
