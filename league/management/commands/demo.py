"""``rungs demo``: loads five demo leagues."""

import sys
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from league.cli.site_commands import DEMO
from league.core.errors import Conflict
from league.core.text.display_formats import format_count
from league.demo.leagues import DEMOS, Demo, load_demo, refuse_leagues
from league.web.terminal.operator import OperatorCommand
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """Load the demo leagues: all five, or none."""

    entry = DEMO

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the leagues, with a progress bar for each stage."""
        try:
            with transaction.atomic():
                refuse_leagues()
                for demo in DEMOS:
                    self.load(demo, options["games"])
        except Conflict as error:
            if not options["if_empty"]:
                raise CommandError(error.detail) from None

    def load(self, demo: Demo, games: int | None) -> None:
        """Load a league, and print its counts and notes."""
        with Bars(sys.stderr, demo.title) as progress:
            loaded = load_demo(demo, progress, games)
        self.stdout.write(
            f"{demo.title}: {format_count(loaded.report.games, 'game')}, "
            f"{format_count(loaded.report.created_players, 'player')} added."
        )
        for note in loaded.notes:
            self.stdout.write(f"  {note}")
