"""README.md, "First steps": its commands run literally, in order, on a new site."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers.pages import blocks_in, project_in
from tests.helpers.sites import ROOT, Site, running_site

ADDRESS = "http://127.0.0.1:8000/"
#: curl ends with an error when the site refuses, and says why.
STRICT = 'set -euo pipefail\ncurl() { command curl --silent --show-error --fail-with-body "$@"; echo; }\n'


def section(title: str) -> str:
    """Return a section of README."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_two_commands_are_there() -> None:
    (commands,) = blocks_in(section("Two commands"), "console")
    assert commands.splitlines() == ["script/serve", "script/test"]


@pytest.mark.one_database("commands of script/ run on the database of their own settings")
def test_the_first_steps_run_as_they_stand(tmp_path: Path) -> None:
    assert shutil.which("curl"), "This test needs curl on PATH."
    (tmp_path / "var").mkdir()
    project = project_in(tmp_path / "project")
    (commands,) = blocks_in(section("First steps"), "console")
    site = Site(tmp_path / "var")
    with running_site(site):
        assert f"http://127.0.0.1:{site.port}/invitations/first/" in site.log.read_text(encoding="utf-8")
        script = STRICT + commands.replace(ADDRESS, f"http://127.0.0.1:{site.port}/")
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=project, env=site.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        board = site.call("GET", "/api/v1/leagues/club/leaderboard/")["results"]
    assert [line["player"] for line in board] == ["anna", "ben"]
    assert "Would import 1 game with 2 results" in done.stdout
