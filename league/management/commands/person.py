"""``manage.py person HANDLE``: writes all that the site knows of a person as JSON."""

import json
from typing import Any

from league.cli.player_commands import PERSON
from league.core.players.selectors.accounts import of_the_site
from league.core.players.selectors.person import all_of
from league.management.commands.erase_player import find_player
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Write all that is known of a person."""

    entry = PERSON

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it, or say why not."""
        player = find_player(options["handle"])
        found = {**all_of(player), "site": of_the_site(player, options["user"])}
        self.stdout.write(json.dumps(found, ensure_ascii=False, indent=2))
