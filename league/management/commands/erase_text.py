"""``manage.py erase_text LEAGUE POSITION``: erases the note or the reason that an entry of a league's log has."""

from typing import Any

from league.cli.player_commands import ERASE_TEXT
from league.core.log.services.erase_texts import erase_text
from league.web.terminal.operator import OperatorCommand, find


class Command(OperatorCommand):
    """Erase what was written in an entry; the chain of the log stays as it is."""

    entry = ERASE_TEXT

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        erase_text(find(options["league"]).pk, options["position"], by=options["by"])
        self.stdout.write(f"What was written in entry {options['position']} is erased.")
