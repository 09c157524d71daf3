"""``manage.py replay LEAGUE``: a league's ratings and history computed anew from its games."""

import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.errors import RungsError
from league.figures import counted
from league.management.operator import OPERATOR
from league.management.progress import Bars
from league.selectors.permissions import find_league
from league.services.dispatch.sweep import replay_everything


class Command(BaseCommand):
    """Replay one league from nothing, with the compiled kernel."""

    help = "Computes a league's ratings and history anew from its games; recording goes on meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the league."""
        parser.add_argument("league", help="the league's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay, and say how fast it went."""
        start = time.monotonic()
        try:
            league = find_league(options["league"], OPERATOR)
            with Bars(sys.stderr) as bars:
                done = replay_everything(league.pk, lambda phase, steps, total: bars("replaying", steps, total))
        except RungsError as error:
            raise CommandError(error.detail) from None
        games = done.games + done.caught_up
        seconds = max(time.monotonic() - start, 0.001)
        what = f"{counted(games, 'game')} of {league.title}"
        self.stdout.write(f"Replayed {what} in {seconds:.1f} s ({games / seconds:,.0f}/s).")
