"""``rungs game``: lists, shows and records games."""

import sys
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from league.cli.game_commands import GAME
from league.core.dry_runs.services.diff import serialize_diff
from league.core.dry_runs.services.run import preview_game
from league.core.errors import RungsError
from league.core.games.selectors.games import find_game, games_of, load_games, with_player
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.leagues.selectors.rules import decimals_of
from league.core.players.selectors.search import find_player
from league.models import League
from league.web.terminal.game_output import describe_difference, describe_game, read_game, serialize_game
from league.web.terminal.operator import OPERATOR, OperatorCommand, find
from league.web.terminal.output import format_table
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """List, show or record games."""

    entry = GAME

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the action."""
        league = find(options["league"])
        actions = {"list": self.list_games, "show": self.show_game, "record": self.record_game}
        actions[options["action"]](league, options)

    def list_games(self, league: League, options: dict[str, Any]) -> None:
        """Print the newest games."""
        games = games_of(league)
        if options["player"]:
            games = with_player(games, find_player(options["player"], OPERATOR).pk)
        views = load_games(league, games[: max(options["limit"], 0)])
        rows = [["Number", "Played (UTC)", "Status", "Players"]]
        for view in views:
            names = ", ".join(line.result.player.name for line in view.results)
            rows.append([str(view.game.number), f"{view.game.played_at:%Y-%m-%d %H:%M}", view.status, names])
        self.write_result(options, [serialize_game(league, view) for view in views], format_table(rows))

    def show_game(self, league: League, options: dict[str, Any]) -> None:
        """Print a game."""
        view = read_game(league, find_game(league, options["number"]))
        self.write_result(options, serialize_game(league, view), describe_game(league, view, decimals_of(league)))

    def record_game(self, league: League, options: dict[str, Any]) -> None:
        """Record a game, or run a dry run."""
        new = NewGame(
            read_results(options["results"], places=options["places"]),
            played_at=options["played_at"],
            external_id=options["external_id"],
            details=dict(read_number(word) for word in options["detail"]),
            note=options["note"],
            create_players=options["create_players"],
        )
        decimals = decimals_of(league)
        if options["dry_run"]:
            with Bars(sys.stderr) as bars:
                difference = preview_game(league, new, bars)
            value = {"dry_run": True, **serialize_diff(difference)}
            self.write_result(options, value, describe_difference(difference, decimals))
            return
        done = record_game(league.pk, new, by=options["by"])
        view = done.shown or read_game(league, done.game)
        known = "" if done.created else "This game has already been recorded.\n"
        value = {"created": done.created, **serialize_game(league, view)}
        self.write_result(options, value, known + describe_game(league, view, decimals))

    def describe(self, error: RungsError, options: dict[str, Any]) -> str:
        """Return the message of a refusal; for unknown players with a hint."""
        if options.get("create_players") or not any(problem.code == "unknown_player" for problem in error.problems):
            return error.detail
        return f"{error.detail} Use a handle (rungs player list), or --create-players to add new players."


def read_results(words: Sequence[str], *, places: bool) -> list[NewResult]:
    """Return the results of PLAYER=NUMBER, or PLAYER+PARTNER=NUMBER; raises CommandError."""
    results = []
    sides = any("+" in word.rpartition("=")[0] for word in words)
    for side, word in enumerate(words, start=1):
        names, value = read_number(word)
        if places and not isinstance(value, int):
            raise CommandError(f"“{word}”: a place is a whole number.")
        score, place = (None, int(value)) if places else (value, None)
        side_number = side if sides else None
        results += [NewResult(name.strip(), score, place, side_number) for name in names.split("+")]
    return results


def read_number(word: str) -> tuple[str, int | float]:
    """Return the name and the number of NAME=NUMBER; raises CommandError."""
    name, sign, text = word.rpartition("=")
    if name and sign:
        for kind in (int, float):
            try:
                return name, kind(text)
            except ValueError:
                continue
    raise CommandError(f"“{word}” does not have the form NAME=NUMBER, such as ana=12.")
