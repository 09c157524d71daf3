"""The compose file of a club, started by script/stack: a visitor reaches the site, and a command its data."""

import json
import os
import signal
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.helpers.processes import wait_for

ROOT = Path(__file__).parents[2]


def test_a_club_is_reached_through_its_proxy(tmp_path: Path) -> None:
    names = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    command = [sys.executable, "-m", "deploy.local", "--file", "docker-compose.club.yml", "--folder", str(tmp_path)]
    log = tmp_path / "log"
    with log.open("wb") as output:
        stack = subprocess.Popen([*command, "--port", "0"], cwd=ROOT, env=names, stdout=output, stderr=output)
    try:
        wait_for(lambda: "Rungs is at https://" in log.read_text() or stack.poll() is not None, 120)
        state = json.loads((tmp_path / "state.json").read_text())
        assert set(state["processes"]) == {"proxy-1", "web-1"}
        trusted = ssl.create_default_context(cafile=state["certificate"])
        with urllib.request.urlopen(state["url"] + "/", context=trusted, timeout=20) as answer:
            assert answer.status == 200
        manage = [*command, "manage", "league", "create", "club", "Club"]
        done = subprocess.run(manage, cwd=ROOT, env=names, capture_output=True, text=True, check=False)
        assert done.stdout == "Created Club as club, rated by elo.\n", done.stderr
        with urllib.request.urlopen(state["url"] + "/leagues/club/", context=trusted, timeout=20) as answer:
            assert answer.status == 200
        assert (tmp_path / "volumes" / "data" / "rungs.sqlite3").exists()
    except BaseException:
        print(log.read_text()[-10000:])
        raise
    finally:
        if stack.poll() is None:
            stack.send_signal(signal.SIGINT)
            stack.wait(60)
