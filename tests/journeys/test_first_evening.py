"""docs/clients/first-evening.md, run literally by bash and curl: against a live server, and with every block."""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from league.core.accounts.services.tokens import make_token
from league.models import Edition, League
from league.tasks import calendar
from tests.helpers.pages import blocks_in, project_in
from tests.helpers.processes import free_port, wait_for

PAGES = Path(__file__).parents[2] / "docs" / "clients"
PAGE = PAGES / "first-evening.md"


@contextmanager
def calendar_beside() -> Iterator[list[int]]:
    """Let the calendar look at every league all the time, as the beat has it do; yields how many steps it took."""
    over, rounds = threading.Event(), []

    def look() -> None:
        try:
            while not over.wait(0.05):
                rounds.append(sum(calendar(pk) for pk in League.objects.values_list("pk", flat=True)))
        finally:
            connections.close_all()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield rounds
    finally:
        over.set()
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_the_commands_of_the_page_do_what_it_says(live_server: Any) -> None:
    assert shutil.which("curl"), "This test needs curl on PATH."
    script = "set -euo pipefail\n" + "\n".join(blocks_in(PAGE.read_text(encoding="utf-8"), "sh"))
    token = make_token("my-client", "organise")[1]
    with calendar_beside() as rounds:
        done = subprocess.run(
            ["bash", "-c", script],
            capture_output=True, text=True, check=False, env={**os.environ, "URL": live_server.url, "TOKEN": token},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines() if line]
    games = [one for one in told if "recorded_at" in one]
    assert [game["id"] for game in games] == [1, 2, 3, 3, 4]
    assert [line["rating_after"] for line in games[0]["results"]] == [1173, 1152, 1125]  # the source's own example
    (diff,) = (one for one in told if "games_replayed" in one)
    # The calendar looked at it all the while, and closed nothing: the month was still being entered.
    assert (len(rounds) > 3, sum(rounds), Edition.objects.count()) == (True, 0, 0)
    assert [one["status"] for one in told if one.get("period") == "2024-03"] == ["open", "open"]
    assert diff["closed_periods"] == []
    board = next(one for one in told if "results" in one and "rank" in one["results"][0])
    after = {line["player"]: line["after"] for line in diff["ratings"]}
    assert {row["player"]: row["rating"] for row in board["results"]}.items() <= after.items()
    assert (games[4]["replaces"], told[-1]["kind"]) == (2, "game.corrected")


@contextmanager
def terminal(script: str, folder: Path, output: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a script as a user does in a terminal of its own; all that it started ends with it."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    with output.open("wb") as file:
        started = subprocess.Popen(
            ["bash", "-c", f"set -euo pipefail\n{script}"],
            cwd=folder, env=environment, stdout=file, stderr=file, start_new_session=True,
        )  # fmt: skip
        try:
            yield started
        finally:
            os.killpg(started.pid, signal.SIGTERM)
            started.wait(30)


@pytest.mark.one_database("commands of script/ run on the database of their own settings")
def test_every_block_of_the_page_runs_in_two_terminals(tmp_path: Path) -> None:
    port, project = free_port(), project_in(tmp_path / "project")
    (receiver,) = blocks_in((PAGES / "webhooks.md").read_text(encoding="utf-8"), "python")
    (project / "receiver.py").write_text(receiver, encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8").replace("8123", str(port)).replace("8124", str(free_port()))
    serve, *others = blocks_in(text, "sh", "console")
    log, output = tmp_path / "log", tmp_path / "output"
    with terminal(serve, project, log):
        wait_for(lambda: f"http://127.0.0.1:{port}/invitations/first/" in log.read_text(encoding="utf-8"), 120)
        with terminal("\n".join(others), project, output) as typed:
            assert typed.wait(240) == 0, output.read_text(encoding="utf-8")
            wait_for(lambda: '"type":"game.recorded"' in output.read_text(encoding="utf-8"), 60)
    assert "4 games" in output.read_text(encoding="utf-8")
