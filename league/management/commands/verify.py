"""``manage.py verify [LEAGUE]``: does everything derived follow from the facts, are editions and log unbroken?"""

import resource
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.errors import RungsError
from league.figures import counted
from league.management.operator import OPERATOR
from league.management.progress import Bars
from league.models import League
from league.selectors.access import find_league, visible_leagues
from league.services.verify import verify_league


class Command(BaseCommand):
    """Verify one league or all; exit 1 where something differs."""

    help = (
        "Compares everything derived, bit for bit, with a replay from nothing, editions and the log with their hashes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the league."""
        parser.add_argument("league", nargs="?", help="the league's slug; all leagues without it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, and list the differences."""
        try:
            leagues = [find_league(options["league"], OPERATOR)] if options["league"] else all_leagues()
        except RungsError as error:
            raise CommandError(error.detail) from None
        wrong = sum(self.verify(league) for league in leagues)
        if wrong:
            raise CommandError(f"{wrong} difference{'s' if wrong > 1 else ''} found.")

    def verify(self, league: League) -> int:
        """Verify one league; returns how many differences were told."""
        start = time.monotonic()
        with Bars(sys.stderr, league.title) as progress:
            # The bar moves on from stage to stage of one whole.
            verdict = verify_league(league.pk, lambda what, done, total: progress("verifying", done, total))
        seconds = max(time.monotonic() - start, 0.001)
        state = "differs" if verdict.differences else "is right"
        self.stdout.write(
            f"{league.title} {state}: {counted(verdict.games, 'game')}, {counted(verdict.rows, 'row')}, "
            f"{counted(verdict.editions, 'edition')} and {counted(verdict.entries, 'entry', 'entries')} of the log "
            f"in {seconds:.1f} s ({verdict.games / seconds:,.0f} games/s, peak memory {peak_memory():,.0f} MB)."
        )
        for sentence in verdict.notes:
            self.stdout.write(f"  {sentence}")
        for sentence in verdict.differences:
            self.stdout.write(f"  {sentence}")
        return len(verdict.differences)


def peak_memory() -> float:
    """Return the most memory that this process has had, in MB."""
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def all_leagues() -> list[League]:
    """Return every league of the site."""
    return list(visible_leagues(OPERATOR))
