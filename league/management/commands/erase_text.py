"""``rungs erase-text``: erases the note or reason in a log entry."""

from typing import Any

from league.cli.player_commands import ERASE_TEXT
from league.core.log.services.erase_texts import erase_text
from league.web.terminal.operator import OperatorCommand, get_league


class Command(OperatorCommand):
    """Erase the text of a log entry; the hash chain stays valid."""

    entry = ERASE_TEXT

    def handle(self, *args: Any, **options: Any) -> None:
        """Erase the text."""
        erase_text(get_league(options["league"]).pk, options["position"], username=options["by"])
        self.stdout.write(f"The text in entry {options['position']} was erased.")
