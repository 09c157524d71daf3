"""``rungs game``: lists, shows and records games."""

import sys
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from league.cli.game_commands import GAME
from league.core.dry_runs.services.diff import serialize_diff
from league.core.dry_runs.services.run import preview_game
from league.core.errors import RungsError
from league.core.games.selectors.games import filter_by_player, find_game, find_games, load_games
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.players.selectors.resolve import find_player
from league.core.rules.selectors.rules import load_decimals
from league.models import League
from league.models.facts import SHEET
from league.web.terminal.game_output import describe_difference, describe_game, read_game, serialize_game
from league.web.terminal.operator import OPERATOR, OperatorCommand, get_league
from league.web.terminal.output import format_table
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """List, show or record games."""

    entry = GAME

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the action."""
        league = get_league(options["league"])
        actions = {"list": self.list_games, "show": self.show_game, "record": self.record_game}
        actions[options["action"]](league, options)

    def list_games(self, league: League, options: dict[str, Any]) -> None:
        """Print the newest games."""
        games = find_games(league)
        if options["player"]:
            games = filter_by_player(games, find_player(options["player"], OPERATOR, league).pk)
        views = load_games(league, games[: max(options["limit"], 0)])
        rows = [["Number", "Played (UTC)", "Status", "Players"]]
        for view in views:
            names = ", ".join(line.result.player.name for line in view.results)
            rows.append([str(view.game.number), f"{view.game.played_at:%Y-%m-%d %H:%M}", view.status, names])
        self.write_result(options, [serialize_game(league, view) for view in views], format_table(rows))

    def show_game(self, league: League, options: dict[str, Any]) -> None:
        """Print a game."""
        view = read_game(league, find_game(league, options["number"]))
        self.write_result(options, serialize_game(league, view), describe_game(league, view, load_decimals(league)))

    def record_game(self, league: League, options: dict[str, Any]) -> None:
        """Record a game, or run a dry run."""
        new = NewGame(
            read_results(options["results"], places=options["places"]),
            details=dict(read_number(argument) for argument in options["detail"]),
            create_players=options["create_players"],
            **{name: options[name] for name in SHEET if name in options},
        )
        decimals = load_decimals(league)
        if options["dry_run"]:
            with Bars(sys.stderr) as bars:
                difference = preview_game(league, new, bars)
            value = {"dry_run": True, **serialize_diff(difference)}
            self.write_result(options, value, describe_difference(difference, decimals))
            return
        result = record_game(league.pk, new, by=options["by"])
        view = result.shown or read_game(league, result.game)
        notice = "" if result.created else "This game has already been recorded.\n"
        value = {"created": result.created, **serialize_game(league, view)}
        self.write_result(options, value, notice + describe_game(league, view, decimals))

    def describe(self, error: RungsError, options: dict[str, Any]) -> str:
        """Return the message of a refusal; for unknown players with a hint."""
        if options.get("create_players") or not any(problem.code == "unknown_player" for problem in error.problems):
            return error.detail
        return f"{error.detail} Use a handle (rungs player list), or --create-players to add new players."


def read_results(arguments: Sequence[str], *, places: bool) -> list[NewResult]:
    """Return the results of PLAYER=NUMBER, or PLAYER+PARTNER=NUMBER; raises CommandError."""
    results = []
    sides = any("+" in argument.rpartition("=")[0] for argument in arguments)
    for side, argument in enumerate(arguments, start=1):
        names, value = read_number(argument)
        if places and not isinstance(value, int):
            raise CommandError(f"“{argument}”: a place is a whole number.")
        score, place = (None, int(value)) if places else (value, None)
        side_number = side if sides else None
        results += [NewResult(name.strip(), score, place, side_number) for name in names.split("+")]
    return results


def read_number(argument: str) -> tuple[str, int | float]:
    """Return the name and the number of NAME=NUMBER; raises CommandError."""
    name, sign, text = argument.rpartition("=")
    if name and sign:
        for kind in (int, float):
            try:
                return name, kind(text)
            except ValueError:
                continue
    raise CommandError(f"“{argument}” does not have the form NAME=NUMBER, such as ana=12.")
