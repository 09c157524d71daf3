"""``rungs accept-clock``: continues a log whose last entry is ahead of this machine's clock."""

from typing import Any

from league.cli.league_commands import ACCEPT_CLOCK
from league.core.log.services.accept_clock import accept_behind_clock
from league.web.terminal.operator import OperatorCommand, get_league


class Command(OperatorCommand):
    """Accept the present time of the clock; the log gets an entry about it."""

    entry = ACCEPT_CLOCK

    def handle(self, *args: Any, **options: Any) -> None:
        """Continue the log."""
        last = accept_behind_clock(get_league(options["league"]).pk, username=options["by"])
        self.stdout.write(f"The last entry is dated {last:%Y-%m-%d %H:%M:%S} UTC; new entries have the present time.")
