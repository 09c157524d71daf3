"""``rungs person``: prints all data about a person as JSON."""

import json
from typing import Any

from league.cli.player_commands import PERSON
from league.core.players.selectors.accounts import serialize_site_data
from league.core.players.selectors.person import serialize_person
from league.core.players.selectors.resolve import find_one
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Print all data about a person."""

    entry = PERSON

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the data."""
        player = find_one(options["handle"]).original
        data = {**serialize_person(player), "site": serialize_site_data(player, options["user"])}
        self.stdout.write(json.dumps(data, ensure_ascii=False, indent=2))
