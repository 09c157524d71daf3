"""``manage.py accept_clock LEAGUE``: has a league go on by this machine's clock, though its log is ahead of it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.errors import RungsError
from league.management.commands.token import find
from league.services.log.clock import go_on


class Command(BaseCommand):
    """Take the clock as it is now; the log says so."""

    help = (
        "Has a league whose log ends in the future go on by this machine's clock: for when the clock was ahead, and is "
        "right now. What was written meanwhile keeps its moments."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the league."""
        parser.add_argument("league", help="the league's slug")
        parser.add_argument("--by", default="operator", help="who is named for it in the log (operator)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, or say why not."""
        try:
            last = go_on(find(options["league"]).pk, by=options["by"])
        except RungsError as error:
            raise CommandError(error.detail) from None
        self.stdout.write(f"The last entry was written at {last:%Y-%m-%d %H:%M:%S} UTC; the log goes on from now.")
