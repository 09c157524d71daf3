"""``rungs void``: voids a game, or shows the changes."""

import sys
from typing import Any

from league.cli.game_commands import VOID
from league.core.dry_runs.services.diff import serialize_diff
from league.core.dry_runs.services.run import preview_void
from league.core.games.services.record import void_game
from league.core.rules.selectors.rules import load_decimals
from league.web.terminal.game_output import describe_difference, describe_game, read_game, serialize_game
from league.web.terminal.operator import OperatorCommand, get_league
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """Void a game."""

    entry = VOID

    def handle(self, *args: Any, **options: Any) -> None:
        """Void the game, or run a dry run."""
        league = get_league(options["league"])
        number, reason, decimals = options["number"], options["reason"], load_decimals(league)
        if options["dry_run"]:
            with Bars(sys.stderr) as bars:
                difference = preview_void(league, number, reason, progress=bars)
            value = {"dry_run": True, **serialize_diff(difference)}
            self.write_result(options, value, describe_difference(difference, decimals))
            return
        view = read_game(league, void_game(league.pk, number, reason=reason, username=options["by"]))
        self.write_result(options, serialize_game(league, view), describe_game(league, view, decimals))
