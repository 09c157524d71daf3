"""``manage.py export LEAGUE``: everything that is known of a league, as NDJSON."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from league.errors import RungsError
from league.management.operator import OPERATOR
from league.selectors.exports import export_lines
from league.selectors.permissions import find_league


class Command(BaseCommand):
    """Export one league to the standard output."""

    help = "Prints all facts, rules, editions and the log of a league as NDJSON; restore makes the league of it again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the league."""
        parser.add_argument("league", help="the league's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the lines."""
        try:
            league = find_league(options["league"], OPERATOR)
        except RungsError as error:
            raise CommandError(error.detail) from None
        for line in export_lines(league.pk, timezone.now(), aliases=True):
            self.stdout.write(line)
