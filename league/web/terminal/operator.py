"""The base class of the terminal commands; the operator may see and do everything."""

import sys
from argparse import ArgumentParser
from typing import Any, Literal

from django.core.management.base import BaseCommand, CommandError, SystemCheckError
from django.db import OperationalError, ProgrammingError, connection
from django.db.migrations.recorder import MigrationRecorder

from league.cli.entries import CommandEntry
from league.core.errors import RungsError
from league.core.permissions import Viewer, find_league
from league.models import League
from league.web.terminal.output import format_json

OPERATOR = Viewer(name="operator", scope="organise")


def get_league(slug: str) -> League:
    """Return the league of a slug."""
    return find_league(slug, OPERATOR)


class OperatorCommand(BaseCommand):
    """A command with arguments declared in ``league.cli``; errors are printed as sentences."""

    entry: CommandEntry
    #: Django's checks import every page, which is slow; ``serve``, ``migrate`` and ``check`` run them.
    requires_system_checks: list[str] | tuple[str, ...] | Literal["__all__"] = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.help = self.entry.summary

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the declared arguments."""
        self.entry.add_arguments(parser)

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the command; errors are printed as sentences, without the name of their class."""
        try:
            # With --traceback Django raises errors; without it, it prints them as “CommandError: …”.
            super().run_from_argv(argv if "--traceback" in argv else [*argv[:2], "--traceback", *argv[2:]])
        except CommandError as error:
            if "--traceback" in argv:
                raise
            self.stderr.write(str(error) if isinstance(error, SystemCheckError) else f"rungs: {error}")
            sys.exit(error.returncode)

    def execute(self, *args: Any, **options: Any) -> Any:
        """Run the command; raises CommandError with the message of a refusal."""
        try:
            return super().execute(*args, **options)
        except RungsError as error:
            raise CommandError(self.describe(error, options)) from None
        except (OperationalError, ProgrammingError):
            if MigrationRecorder(connection).has_table():
                raise
            message = "The database has no tables yet. These commands create them: rungs serve, rungs manage migrate."
            raise CommandError(message) from None

    def write_result(self, options: dict[str, Any], value: Any, text: str) -> None:
        """Print a result: as JSON with ``--json``, otherwise its text."""
        self.stdout.write(format_json(value) if options["json"] else text)

    def describe(self, error: RungsError, options: dict[str, Any]) -> str:
        """Return the message of a refusal."""
        return error.detail
