"""Every command of the Procfile and of the systemd units starts and does its work, with SQLite in an own folder."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.processes import ask, free_port, wait_for

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
PROCFILE = dict(
    line.split(": ", 1) for line in (ROOT / "deploy/procfile/Procfile").read_text(encoding="utf-8").splitlines()
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of an installation with its programs in a folder of its own, and a migrated database."""
    folder = tmp_path_factory.mktemp("installation")
    programs = folder / "bin"
    programs.mkdir()
    for name, arguments in {"python": "", "celery": "-m celery", "rungs": "-m league.cli"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        (programs / name).chmod(0o755)
    names = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    found = {
        **names,
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        "RUNGS_VAR": str(folder / "var"),
        "PORT": str(free_port()),
    }
    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, env=found, check=True)
    return found


def started_by(unit: Path) -> str:
    """Return the command of a unit as systemd runs it, with the programs of PATH, and the port of the environment."""
    (command,) = re.findall(r"^ExecStart=/opt/rungs/bin/(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    command = re.sub(r"(?<=[: ])8000\b", "$PORT", command)
    return str(command.replace("%i", "ring").replace("%%", "%"))


COMMANDS = {f"Procfile {name}": command for name, command in PROCFILE.items()}
COMMANDS |= {unit.name: started_by(unit) for unit in UNITS}
ENDING = {name: command for name, command in COMMANDS.items() if "migrate" in command}
STAYING = {name: command for name, command in COMMANDS.items() if name not in ENDING}


def test_commands_that_end_and_commands_that_stay_are_all_of_them() -> None:
    assert len(ENDING) == 2 and len(STAYING) == 7


@pytest.mark.parametrize("name", sorted(ENDING))
def test_a_migration_of_a_migrated_database_ends_well(name: str, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["sh", "-c", ENDING[name]], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (Path(environment["RUNGS_VAR"]) / "rungs.sqlite3").stat().st_size > 0


@pytest.fixture
def process(request: pytest.FixtureRequest, environment: dict[str, str], tmp_path: Path) -> Iterator[list[str]]:
    """Run a command that stays; yields its words, and stops it."""
    (Path(environment["RUNGS_VAR"]) / "pulse").unlink(missing_ok=True)
    command = STAYING[request.param]
    log = tmp_path / "log"
    with log.open("wb") as output:
        running = subprocess.Popen(
            ["sh", "-c", f"exec {command}"], cwd=ROOT, env=environment, stdout=output, stderr=output
        )
    try:
        yield shlex.split(command)
        running.terminate()
        assert running.wait(30) in (0, -15), log.read_text()
    except BaseException:
        print(log.read_text()[-5000:])
        raise
    finally:
        running.kill()


@pytest.mark.parametrize("process", sorted(STAYING), indirect=True)
def test_a_command_that_stays_does_its_work(process: list[str], environment: dict[str, str]) -> None:
    address = f"http://127.0.0.1:{environment['PORT']}/"

    def answers() -> bool:
        try:
            return ask(address, "GET")[0] == 200
        except OSError:
            return False

    web, background = {"serve", "league.web.server"} & set(process), {"serve", "worker", "beat"} & set(process)
    assert web or background
    if web:
        wait_for(answers, 60)
    if background:
        wait_for((Path(environment["RUNGS_VAR"]) / "pulse").exists, 60)
