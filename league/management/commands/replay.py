"""``rungs replay``: computes a league's ratings again from its games."""

import sys
import time
from typing import Any

from league.cli.league_commands import REPLAY
from league.core.dispatch.sweep import replay_league
from league.core.text.display_formats import format_count
from league.web.terminal.operator import OperatorCommand, get_league
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """Replay a league from its first game, with the compiled kernel."""

    entry = REPLAY

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay the league, and print the speed."""
        start = time.monotonic()
        league = get_league(options["league"])
        with Bars(sys.stderr) as bars:
            result = replay_league(league.pk, lambda phase, steps, total: bars("replaying", steps, total))
        games = result.games + result.caught_up
        seconds = max(time.monotonic() - start, 0.001)
        description = f"{format_count(games, 'game')} of {league.title}"
        self.stdout.write(f"Replayed {description} in {seconds:.1f} s ({games / seconds:,.0f}/s).")
