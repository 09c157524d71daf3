"""README.md, "First steps": its commands run as they stand there, in order, at a new site."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers.sites import ROOT, Site, running_site

#: What the commands need of the project; they run in a folder of their own, in which they may write.
NEEDED = (".venv", "league", "manage.py", "requirements-dev.lock", "requirements.lock", "script")
ADDRESS = "http://127.0.0.1:8000/"
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)", re.MULTILINE)
#: curl ends with an error when the site refuses, and says why.
STRICT = 'set -euo pipefail\ncurl() { command curl --silent --show-error --fail-with-body "$@"; echo; }\n'


def first_steps() -> list[str]:
    """Return the commands of README's first steps."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    section = page.partition("\n## First steps\n")[2].partition("\n## ")[0]
    return [command for block in BLOCK.findall(section) for command in COMMAND.findall(block)]


@pytest.mark.one_database("commands of script/ run on the database of their own settings")
def test_the_first_steps_run_as_they_stand(tmp_path: Path) -> None:
    assert shutil.which("curl"), "This test needs curl on PATH."
    (tmp_path / "var").mkdir()
    (tmp_path / "project").mkdir()
    for name in NEEDED:
        (tmp_path / "project" / name).symlink_to(ROOT / name)
    commands = first_steps()
    assert len(commands) > 2
    site = Site(tmp_path / "var")
    with running_site(site):
        assert f"http://127.0.0.1:{site.port}/invitations/first/" in site.log.read_text(encoding="utf-8")
        script = STRICT + "\n".join(commands).replace(ADDRESS, f"http://127.0.0.1:{site.port}/")
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path / "project", env=site.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        board = site.call("GET", "/api/v1/leagues/club/leaderboard/")["results"]
    assert [line["player"] for line in board] == ["anna", "ben"]
    assert "Would import 1 game with 2 results" in done.stdout
