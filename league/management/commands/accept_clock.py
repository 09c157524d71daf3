"""``manage.py accept_clock LEAGUE``: has a league go on by this machine's clock, though its log is ahead of it."""

from argparse import ArgumentParser
from typing import Any

from league.core.log.services.accept_clock import go_on
from league.management.operator import LeagueCommand, find


class Command(LeagueCommand):
    """Take the clock as it is now; the log says so."""

    help = (
        "Has a league whose log ends in the future go on by this machine's clock: for when the clock was ahead, and is "
        "right now. What was written meanwhile keeps its moments."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the league, and by whom."""
        super().add_arguments(parser)
        parser.add_argument("--by", default="operator", help="who is named for it in the log (operator)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        last = go_on(find(options["league"]).pk, by=options["by"])
        self.stdout.write(f"The last entry was written at {last:%Y-%m-%d %H:%M:%S} UTC; the log goes on from now.")
