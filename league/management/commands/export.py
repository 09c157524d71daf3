"""``manage.py export LEAGUE``: everything that is known of a league, as NDJSON."""

from typing import Any

from django.utils import timezone

from league.core.transfer.selectors.exports import export_lines
from league.management.operator import LeagueCommand, find


class Command(LeagueCommand):
    """Export one league to the standard output."""

    help = "Prints all facts, rules, editions and the log of a league as NDJSON; restore makes the league of it again."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the lines."""
        for line in export_lines(find(options["league"]).pk, timezone.now(), aliases=True):
            self.stdout.write(line)
