"""docs/first-evening.md, run as it stands there by bash and curl against a live server."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from league.services.tokens import make_token

PAGE = Path(__file__).parents[2] / "docs" / "first-evening.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.django_db(transaction=True)
def test_the_commands_of_the_page_do_what_it_says(live_server: Any) -> None:
    assert shutil.which("curl"), "This test needs curl on PATH."
    script = "set -euo pipefail\n" + "\n".join(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    token = make_token("my-client", "organise")[1]
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
    board = next(one for one in told if "results" in one and "rank" in one["results"][0])
    after = {line["player"]: line["after"] for line in diff["ratings"]}
    assert {row["player"]: row["rating"] for row in board["results"]}.items() <= after.items()
    assert (games[4]["replaces"], told[-1]["kind"]) == (2, "game.corrected")
