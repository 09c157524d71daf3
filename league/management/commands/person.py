"""``rungs person``: prints all data about a person as JSON."""

import json
from typing import Any

from league.cli.player_commands import PERSON
from league.core.players.selectors.accounts import of_the_site
from league.core.players.selectors.person import all_of
from league.management.commands.erase_player import find_player
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Print all data about a person."""

    entry = PERSON

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the data."""
        player = find_player(options["handle"])
        data = {**all_of(player), "site": of_the_site(player, options["user"])}
        self.stdout.write(json.dumps(data, ensure_ascii=False, indent=2))
