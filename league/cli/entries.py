"""Descriptions of commands, and options shared by several commands."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class CommandEntry:
    """A command of ``rungs``, which runs the management command of the same name, or a function."""

    name: str
    summary: str
    add_arguments: Callable[[ArgumentParser], None]
    module: str = ""
    """The name of the management command, if it differs."""
    preset: tuple[str, ...] = ()
    """Arguments that ``rungs`` always adds."""
    run: Callable[[Namespace], int] | None = None
    """Runs the command without Django and returns its exit code, if it needs no database."""

    @property
    def management_command(self) -> str:
        """The name of the management command."""
        return self.module or self.name.replace("-", "_")


def add_league(parser: ArgumentParser) -> None:
    """Add the argument for the league."""
    parser.add_argument("league", metavar="LEAGUE", help="the league's slug")


def add_author(parser: ArgumentParser) -> None:
    """Add the option for the name that the log shows."""
    parser.add_argument("--by", default="operator", metavar="NAME", help="the name in the log (default: operator)")


def add_dry_run(parser: ArgumentParser, help_text: str = "show what would change, and save nothing") -> None:
    """Add the option for a dry run."""
    parser.add_argument("--dry-run", action="store_true", help=help_text)


def add_json(parser: ArgumentParser) -> None:
    """Add the option for machine-readable output."""
    parser.add_argument("--json", action="store_true", help="print JSON")
