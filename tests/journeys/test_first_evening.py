"""docs/first-evening.md, run as it stands there by bash and curl against a live server."""

import json
import os
import re
import shutil
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

PAGE = Path(__file__).parents[2] / "docs" / "first-evening.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


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
    script = "set -euo pipefail\n" + "\n".join(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
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
