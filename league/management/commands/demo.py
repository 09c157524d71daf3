"""``rungs demo``: loads the demo leagues."""

import sys
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from league.cli.site_commands import DEMO
from league.core.errors import Conflict
from league.core.jobs.demo_load import hold_demo_load
from league.core.text.display_formats import format_count
from league.demo.leagues import DEMOS, Demo, find_missing_demos, load_demo
from league.web.terminal.operator import OperatorCommand
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """Load the demo leagues one by one: each whole or not at all."""

    entry = DEMO

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the leagues that are missing, with a progress bar for each stage."""
        try:
            with hold_demo_load() as sign:
                missing = find_missing_demos()
                for number, demo in enumerate(missing, start=len(DEMOS) - len(missing)):
                    sign.show(demo.title, number, len(DEMOS))
                    self.load(demo, options["games"])
        except Conflict as error:
            if not options["if_empty"]:
                raise CommandError(error.detail) from None
            return
        if not missing and not options["if_empty"]:
            self.stdout.write("The demo leagues are complete.")

    @transaction.atomic
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
