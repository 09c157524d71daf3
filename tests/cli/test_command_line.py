"""The command ``rungs``: its overview, help without Django, and how it runs management commands."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from league.cli.main import ENTRIES, build_parser, format_overview, main
from league.models import Token
from league.web.terminal.operator import OperatorCommand

ROOT = Path(__file__).parents[2]
#: Runs each line of help in one process, and prints which of these packages were imported for it.
HELP = """
import sys
from league.cli.main import ENTRIES, format_overview, main
format_overview()
main(["--version"])
for name in ENTRIES:
    try:
        main([name, "--help"])
    except SystemExit as end:
        assert end.code == 0
print("IMPORTED", sorted({"django", "celery", "numpy", "league.settings"} & set(sys.modules)))
"""

#: Starts a command as ``rungs`` does, then runs the checks of the admin site.
START = """
import sys
import django
django.setup()
from django.contrib import admin
from django.core import checks
from django.core.management import load_command_class
load_command_class("league", "token")
unwanted = ("league.urls", "league.web.organiser.admin", "scipy", "openpyxl", "icalendar", "PIL")
print([name for name in unwanted if name in sys.modules], len(admin.site._registry) > 0)
checks.run_checks(tags=["admin"])
print(len(admin.site._registry) > 0)
"""


def run(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with nothing of this process's settings."""
    given = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    given |= {"PYTHONPATH": str(ROOT), "RUNGS_VAR": str(folder)} | environment
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=given, capture_output=True, text=True, check=False
    )


def test_help_and_version_do_not_import_django(tmp_path: Path) -> None:
    done = run("-c", HELP, folder=tmp_path)
    assert done.stdout.splitlines()[-1] == "IMPORTED []", done.stderr
    assert done.stdout.startswith("rungs 0.")
    assert done.stdout.count("usage: rungs ") == len(ENTRIES)


def test_the_overview_lists_every_command_on_one_short_line() -> None:
    lines = format_overview().splitlines()
    for name, entry in ENTRIES.items():
        assert [line for line in lines if line.split()[:1] == [name]] == [
            line for line in lines if line.endswith(entry.summary)
        ]
    assert max(map(len, lines)) <= 90


def test_every_management_command_is_a_command_of_rungs() -> None:
    own = {name for name, app in get_commands().items() if str(app).startswith("league")} - {"migrate"}
    assert {entry.management_command for entry in ENTRIES.values() if entry.run is None} == own


@pytest.mark.parametrize("name", sorted(name for name, entry in ENTRIES.items() if entry.run is None))
def test_a_management_command_has_the_declared_arguments(name: str) -> None:
    entry = ENTRIES[name]
    command = load_command_class(get_commands()[entry.management_command], entry.management_command)
    assert isinstance(command, OperatorCommand)
    assert command.entry is entry and command.help == entry.summary
    declared = {action.dest for action in build_parser(entry)._actions}
    assert declared <= {action.dest for action in command.create_parser("rungs", name)._actions}


def test_the_scopes_of_a_token_are_those_of_the_model() -> None:
    (scope,) = [action for action in build_parser(ENTRIES["token"])._actions if action.dest == "scope"]
    assert list(scope.choices or ()) == Token.Scope.values and scope.default == Token.Scope.RECORD


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["toke"], 2, "Did you mean “rungs token”?"),
        (["xyzzy"], 2, "See rungs --help."),
    ],
)
def test_an_unknown_command_is_an_error(
    arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert sentence in capsys.readouterr().err


def test_wrong_arguments_are_an_error_before_anything_is_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["game", "record", "club", "ana=1", "--played-at", "yesterday"])
    assert "“yesterday” is not a time such as 2026-03-05T19:30:00Z" in capsys.readouterr().err


def test_commands_run_from_any_folder_and_name_what_is_wrong(tmp_path: Path) -> None:
    wrong = run("-m", "league.cli", "heads", folder=tmp_path, RUNGS_DEBUG="maybe")
    assert (wrong.returncode, wrong.stderr) == (1, "rungs: RUNGS_DEBUG must be 1 or 0; it is “maybe”.\n")
    empty = run("-m", "league.cli", "league", "list", folder=tmp_path)
    assert empty.returncode == 1
    assert empty.stderr.startswith("rungs: The database has no tables yet.")
    assert "CommandError" not in empty.stderr and "Traceback" not in empty.stderr


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("address", ["postgres://rungs:secret@127.0.0.1:1/rungs", "sqlite:////nowhere/at/all.sqlite3"])
@pytest.mark.parametrize("command", [("league.cli", "league", "list"), ("manage", "migrate")])
def test_a_database_that_does_not_answer_is_a_sentence(address: str, command: tuple[str, ...], tmp_path: Path) -> None:
    ended = run("-m", *command, folder=tmp_path, DATABASE_URL=address)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("rungs: The database does not answer. Start its server, or correct DATABASE_URL. (")
    assert len(ended.stderr.splitlines()) == 1 and "secret" not in ended.stderr


@pytest.mark.slow("Waits for a file.")
def test_migrate_waits_for_a_database_that_comes_later(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    making = threading.Timer(6, folder.mkdir)
    making.start()
    address = f"sqlite:///{folder}/site.sqlite3"
    ended = run("-m", "manage", "migrate", "--wait", "60", "--verbosity", "0", folder=tmp_path, DATABASE_URL=address)
    making.join()
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.slow("Migrates a database in processes; tests/journeys begins so, too.")
def test_a_new_database_is_migrated_and_has_no_league(tmp_path: Path) -> None:
    migrated = run("-m", "league.cli", "manage", "migrate", "--verbosity", "0", folder=tmp_path)
    assert migrated.returncode == 0, migrated.stderr
    listed = run("-m", "league.cli", "league", "list", folder=tmp_path)
    assert listed.stdout == "There is no league yet. Create one: rungs league create SLUG TITLE\n"


def test_a_command_starts_without_pages_and_their_checks_import_them(tmp_path: Path) -> None:
    done = run("-c", START, folder=tmp_path, DJANGO_SETTINGS_MODULE="league.settings")
    assert done.stdout.splitlines() == ["[] False", "True"], done.stderr
