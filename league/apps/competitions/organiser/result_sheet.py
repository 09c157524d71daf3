"""The sheet of a fixture's result: the fields that the league's system needs, with the entries in seat order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from league.apps.competitions.organiser.fixture_rows import FixtureRow
from league.core.errors import Problem, RungsError
from league.core.games.services.game_input import NewGame
from league.core.permissions import Viewer
from league.models import League
from league.web.organiser.score_pad import remove_spare_column
from league.web.organiser.score_sheets import IncomingSheet
from ratings.contract.system import RatingSystem


class ResultSheet:
    """A sheet whose players are fixed. ``lines``: the name of each entry and its form."""

    def __init__(
        self, league: League, system: RatingSystem, row: FixtureRow, data: Mapping[str, Any] | None, asked: str = ""
    ) -> None:
        self.row = row
        seats = [{"player": str(seat.entry)} for seat in row.seats]
        typed = None
        if data is not None:
            fixed = {f"seats-{index}-player": seat["player"] for index, seat in enumerate(seats)}
            typed = {**{name: data[name] for name in data if not name.endswith("-side")}, **fixed, "kind": ""}
        self.sheet = IncomingSheet(league, system, typed, seats=seats)
        remove_spare_column(self.sheet, asked)
        for name in ("kind", "weight"):
            self.sheet.form.fields.pop(name, None)
        self.lines = list(zip([seat.name for seat in row.seats], self.sheet.formset.forms, strict=False))

    def is_valid(self) -> bool:
        """Return whether the fields are well-formed."""
        return self.sheet.valid()

    def build_game(self, viewer: Viewer) -> NewGame:
        """Return the game with a result for each entry."""
        game = self.sheet.game(viewer)
        return replace(game, results=[replace(result, player="", side=None) for result in game.results])

    def add_problems(self, error: RungsError, sides_of: int) -> None:
        """Show an error at the seats; the players of a side share its line."""
        self.sheet.put(error, [_move_to_side(problem, sides_of) for problem in error.problems])


def _move_to_side(problem: Problem, sides_of: int) -> Problem:
    parts = problem.pointer.split("/")
    if len(parts) > 2 and parts[1] == "results" and parts[2].isdigit():
        parts[2] = str(int(parts[2]) // sides_of)
    return replace(problem, pointer="/".join(parts))
