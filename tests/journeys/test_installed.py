"""A stranger's first minutes: ``pip install`` in an empty environment, then ``rungs`` from another folder."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from pathlib import Path

import pytest

from tests.helpers.processes import ask, free_port, wait_for

ROOT = Path(__file__).parents[2]


class Installation:
    """Rungs in a virtual environment, and a home folder that knows nothing of the checkout."""

    def __init__(self, folder: Path) -> None:
        self.home, self.environment = folder / "home", folder / "environment"
        self.home.mkdir()
        subprocess.run([sys.executable, "-m", "venv", str(self.environment)], check=True)
        pip = [str(self.environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(ROOT)], cwd=folder, check=True)
        self.rungs = str(self.environment / "bin" / "rungs")
        self.variables = {"HOME": str(self.home), "PATH": f"{self.environment / 'bin'}:{os.defpath}"}

    def run_shell(self, command: str) -> str:
        """Run a line of a shell, and return what it prints."""
        words = ["sh", "-c", command]
        done = subprocess.run(words, cwd=self.home, env=self.variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Return an installation from the checkout with all its packages."""
    return Installation(tmp_path_factory.mktemp("installed"))


@contextmanager
def serving(installation: Installation, folder: Path, **variables: str) -> Iterator[str]:
    """Run the site, started in a folder; yields its address, and stops it."""
    port = free_port()
    log = installation.home / "log"
    with log.open("wb") as output:
        command = [installation.rungs, "serve", "--port", str(port)]
        environment = {**installation.variables, **variables}
        site = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert site.poll() is None, log.read_text()
        try:
            return ask(f"{url}/healthz", "GET")[0] == 200
        except OSError:
            return False

    try:
        wait_for(answers, 90)
        yield url
        site.send_signal(signal.SIGINT)
        assert site.wait(30) == 0, log.read_text()
    finally:
        site.kill()


@pytest.fixture
def address(installation: Installation) -> Iterator[str]:
    """Run the site in the home folder; yields its address, and stops it."""
    with serving(installation, installation.home) as url:
        yield url


def test_a_site_is_served_used_and_moved_by_an_installation_alone(installation: Installation, address: str) -> None:
    status, page = ask(f"{address}/", "GET")
    assert status == 200 and "Rungs" in page
    installation.run_shell("rungs demo --games 20")
    assert [one["slug"] for one in json.loads(installation.run_shell("rungs league list --json"))] == [
        "barbu", "boats", "football", "games-club", "preferans", "rail18xx",
    ]  # fmt: skip
    # The page's commands as they stand there.
    page = (ROOT / "docs" / "operators" / "installing.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"^## The command line\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^\$ (rungs .*)$", section, re.MULTILINE)
    assert len(commands) == 8
    printed = "".join(installation.run_shell(command) for command in commands)
    for line in (
        "Created Our club as club, rated by elo.",
        "Nothing was saved. No game would be rated again.",
        "ana     3      –      1500.0  1516.0  +16.0",
        "Our club (club): 1 game, rated by elo, public.",
        "Our club is right: 1 game",
        "Restored Our club as copy: 1 game",
    ):
        assert line in printed
    status, board = ask(f"{address}/api/v1/leagues/club/leaderboard/", "GET")
    assert (status, [row["rating"] for row in board["results"]]) == (200, [1516.0, 1484.0])
    assert ask(f"{address}/leagues/copy/", "GET")[0] == 200
    data = installation.home / ".local" / "share" / "rungs"
    assert {"rungs.sqlite3", "secret_key", "broker"} <= {path.name for path in data.iterdir()}
    assert not list(installation.environment.rglob("rungs.sqlite3"))


def has_empty_board(address: str) -> bool:
    """Return whether a board has no rows."""
    return not ask(address, "GET")[1]["results"]


def test_a_site_uses_its_own_code_and_data_wherever_it_is_started(installation: Installation, tmp_path: Path) -> None:
    for package in ("league", "ratings"):  # a clone of another version, which fails where it is imported
        (tmp_path / "clone" / package).mkdir(parents=True)
        (tmp_path / "clone" / package / "__init__.py").write_text("raise SystemExit('another version')")
    (tmp_path / "clone" / "manage.py").touch()
    (tmp_path / "empty").mkdir()
    # A data folder of its own: the other test needs a site without leagues.
    installation = copy(installation)
    installation.variables = {**installation.variables, "XDG_DATA_HOME": str(tmp_path / "user")}
    for folder in (ROOT, tmp_path / "clone", tmp_path / "empty", Path("/"), installation.environment / "bin"):
        before = {path.name for path in folder.iterdir()}
        with serving(installation, folder) as url:
            assert ask(f"{url}/", "GET")[0] == 200, folder
            if folder.name == "clone":  # where the worker too must be the right one
                installation.run_shell("rungs league create worked 'By the worker' --system elo:k=32")
                installation.run_shell(
                    "RUNGS_INLINE_GAMES=0 rungs game record worked ana=3 ben=1 --create-players && "
                    "RUNGS_INLINE_GAMES=0 rungs void worked 1 --reason 'A friendly.'"
                )
                wait_for(partial(has_empty_board, f"{url}/api/v1/leagues/worked/leaderboard/"), 60)
        assert "ended (" not in (installation.home / "log").read_text(), folder
        assert {path.name for path in folder.iterdir()} == before
    with serving(installation, tmp_path / "empty", RUNGS_VAR="data") as url:
        assert ask(f"{url}/", "GET")[0] == 200
    assert (tmp_path / "empty" / "data" / "rungs.sqlite3").exists()
