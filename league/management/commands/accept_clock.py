"""``rungs accept-clock``: continues a log whose last entry is ahead of this machine's clock."""

from typing import Any

from league.cli.league_commands import ACCEPT_CLOCK
from league.core.log.services.accept_clock import go_on
from league.web.terminal.operator import OperatorCommand, find


class Command(OperatorCommand):
    """Accept the present time of the clock; the log gets an entry about it."""

    entry = ACCEPT_CLOCK

    def handle(self, *args: Any, **options: Any) -> None:
        """Continue the log."""
        last = go_on(find(options["league"]).pk, by=options["by"])
        self.stdout.write(f"The last entry is dated {last:%Y-%m-%d %H:%M:%S} UTC; new entries have the present time.")
