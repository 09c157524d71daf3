"""``manage.py accept_clock LEAGUE``: has a league go on by this machine's clock, though its log is ahead of it."""

from typing import Any

from league.cli.league_commands import ACCEPT_CLOCK
from league.core.log.services.accept_clock import go_on
from league.web.terminal.operator import OperatorCommand, find


class Command(OperatorCommand):
    """Take the clock as it is now; the log says so."""

    entry = ACCEPT_CLOCK

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        last = go_on(find(options["league"]).pk, by=options["by"])
        self.stdout.write(f"The last entry was written at {last:%Y-%m-%d %H:%M:%S} UTC; the log goes on from now.")
