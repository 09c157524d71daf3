"""The entry point of ``rungs``: shows help quickly, and runs everything else as a management command."""

import difflib
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from league.cli import (
    game_commands,
    league_commands,
    people_commands,
    player_commands,
    site_commands,
    tournament_commands,
)
from league.cli.entries import CommandEntry

GROUPS: Sequence[tuple[str, Sequence[CommandEntry]]] = (
    (
        "Site",
        (
            site_commands.SERVE,
            site_commands.TOKEN,
            site_commands.BACKUP,
            site_commands.LET_IN,
            site_commands.HEADS,
            site_commands.DEMO,
        ),
    ),
    (
        "Leagues",
        (
            league_commands.LEAGUE,
            league_commands.IMPORT,
            league_commands.EXPORT,
            league_commands.RESTORE,
            league_commands.VERIFY,
            league_commands.REPLAY,
            league_commands.COMPARE,
            league_commands.HEALTH,
            league_commands.ACCEPT_CLOCK,
        ),
    ),
    ("Games", (game_commands.GAME, game_commands.VOID)),
    (
        "Players",
        (
            player_commands.PLAYER,
            player_commands.PERSON,
            player_commands.ERASE_PLAYER,
            player_commands.ERASE_TEXT,
            people_commands.RATING_LIST,
        ),
    ),
    ("Tournament reports", (tournament_commands.CHECK, tournament_commands.GENERATE)),
)
ENTRIES = {entry.name: entry for _, entries in GROUPS for entry in entries}
MANAGE = "manage"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code."""
    name, *command_arguments = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help", "help"):
        sys.stdout.write(format_overview())
        return 0
    if name in ("-V", "--version"):
        sys.stdout.write(f"rungs {version()}\n")
        return 0
    if name == MANAGE:
        return run_management(["rungs manage", *command_arguments])
    entry = ENTRIES.get(name.replace("_", "-"))
    if entry is None:
        near = difflib.get_close_matches(name, [*ENTRIES, MANAGE], n=1)
        hint = f"Did you mean “rungs {near[0]}”?" if near else "See rungs --help."
        sys.stderr.write(f"rungs: there is no command “{name}”. {hint}\n")
        return 2
    # This prints help and errors without loading the site.
    given = build_parser(entry).parse_args(command_arguments)
    if entry.run is not None:
        return entry.run(given)
    return run_management(["rungs", entry.management_command, *entry.preset, *command_arguments])


def format_overview() -> str:
    """Return the commands in groups, one per line."""
    width = max(map(len, ENTRIES)) + 2
    lines = ["Usage: rungs COMMAND …", "", "Rungs runs leagues, ratings and ladders for games.", ""]
    for title, entries in GROUPS:
        lines += [f"{title}:", *(f"  {entry.name:<{width}}{entry.summary}" for entry in entries), ""]
    lines += [
        "Django:",
        f"  {MANAGE:<{width}}Run a command of Django, such as rungs manage migrate.",
        "",
        "rungs COMMAND --help shows a command's arguments. rungs --version shows the version.",
    ]
    return "\n".join(lines) + "\n"


def build_parser(entry: CommandEntry) -> ArgumentParser:
    """Return the parser of a command's arguments."""
    parser = ArgumentParser(prog=f"rungs {entry.name}", description=entry.summary)
    entry.add_arguments(parser)
    return parser


def version() -> str:
    """Return the version of the installed package, or of the checkout."""
    import tomllib
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    try:
        return installed_version("rungs")
    except PackageNotFoundError:
        project = Path(__file__).parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def run_management(arguments: list[str]) -> int:
    """Run a management command; a wrong setting, or a database that does not answer, is printed as a sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        # The settings are read here, and nothing else.
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        sys.stderr.write(f"rungs: {error}\n")
        return 1
    from django.db import OperationalError

    try:
        execute_from_command_line(arguments)
    except OperationalError as error:
        if "--traceback" in arguments or not is_unreachable(error.__cause__):
            raise
        advice, reason = "Start its server, or correct DATABASE_URL.", " ".join(str(error).split())
        sys.stderr.write(f"rungs: The database does not answer. {advice} ({reason})\n")
        return 1
    return 0


def is_unreachable(cause: BaseException | None) -> bool:
    """Return whether an error of a database's driver says that there is no connection to it."""
    # Errors of statements have an SQLSTATE; SQLite's have none.
    return getattr(cause, "sqlstate", "") is None or getattr(cause, "sqlite_errorname", "") == "SQLITE_CANTOPEN"
