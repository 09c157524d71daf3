"""``manage.py erase_text LEAGUE POSITION``: erases the note or the reason that an entry of a league's log has."""

from argparse import ArgumentParser
from typing import Any

from league.core.log.services.erase_texts import erase_text
from league.management.operator import LeagueCommand, find


class Command(LeagueCommand):
    """Erase what was written in an entry; the chain of the log stays as it is."""

    help = "Erases the note or the reason that an entry of a league's log has, for good. The log's hashes stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the entry."""
        super().add_arguments(parser)
        parser.add_argument("position", type=int, help="the entry's position, as the log shows it")
        parser.add_argument("--by", default="operator", help="who is named for it in the log (operator)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        erase_text(find(options["league"]).pk, options["position"], by=options["by"])
        self.stdout.write(f"What was written in entry {options['position']} is erased.")
