"""``manage.py erase_text LEAGUE POSITION``: erases the note or the reason that an entry of a league's log has."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.errors import RungsError
from league.management.commands.token import find
from league.services.log.texts import erase_text


class Command(BaseCommand):
    """Erase what was written in an entry; the chain of the log stays as it is."""

    help = "Erases the note or the reason that an entry of a league's log has, for good. The log's hashes stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the entry."""
        parser.add_argument("league", help="the league's slug")
        parser.add_argument("position", type=int, help="the entry's position, as the log shows it")
        parser.add_argument("--by", default="operator", help="who is named for it in the log (operator)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, or say why not."""
        try:
            erase_text(find(options["league"]).pk, options["position"], by=options["by"])
        except RungsError as error:
            raise CommandError(error.detail) from None
        self.stdout.write(f"What was written in entry {options['position']} is erased.")
