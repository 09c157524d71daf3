"""``rungs export``: prints all data of a league as NDJSON."""

from typing import Any

from django.utils import timezone

from league.cli.league_commands import EXPORT
from league.core.transfer.selectors.exports import export_lines
from league.web.terminal.operator import OperatorCommand, get_league


class Command(OperatorCommand):
    """Export a league to the standard output."""

    entry = EXPORT

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the lines."""
        for line in export_lines(get_league(options["league"]).pk, timezone.now(), aliases=True):
            self.stdout.write(line)
