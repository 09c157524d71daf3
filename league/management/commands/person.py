"""``manage.py person HANDLE``: writes all that the site knows of a person as JSON."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from league.core.players.selectors.accounts import of_the_site
from league.core.players.selectors.person import all_of
from league.management.commands.erase_player import find_player


class Command(BaseCommand):
    """Write all that is known of a person."""

    help = "Writes all that the site knows of a person as JSON: for who asks what is kept of them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who it is."""
        parser.add_argument("handle", help="the person's handle")
        parser.add_argument("--user", default="", help="their account, where it bears none of their names")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it, or say why not."""
        player = find_player(options["handle"])
        found = {**all_of(player), "site": of_the_site(player, options["user"])}
        self.stdout.write(json.dumps(found, ensure_ascii=False, indent=2))
