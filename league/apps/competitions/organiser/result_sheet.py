"""The sheet of a fixture's result: the fields that the league's system needs, with the entries in seat order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from league.apps.competitions.organiser.fixture_rows import FixtureRow, SeatRow
from league.core.errors import Problem, RungsError
from league.core.games.services.game_input import NewGame
from league.core.permissions import Viewer
from league.core.rules.selectors.rules import build_rule_system
from league.models import Game, League, Rule
from league.web.organiser.score_pad import remove_spare_column
from league.web.organiser.score_sheets import IncomingSheet, find_retired_side, load_seats
from ratings.contract.system import RatingSystem


class ResultSheet:
    """A sheet whose players are fixed. ``lines``: the name of each entry and its form."""

    def __init__(
        self,
        league: League,
        rule: Rule,
        row: FixtureRow,
        data: Mapping[str, Any] | None,
        asked: str = "",
        old: Game | None = None,
    ) -> None:
        self.row = row
        played = {} if old is None else {line["player"]: line for line in load_seats(old)}
        seats = [_fill_seat(seat, played.get(seat.handles[0], {}), build_rule_system(rule)) for seat in row.seats]
        typed = None
        if data is not None:
            fixed = {f"seats-{index}-player": seat["player"] for index, seat in enumerate(seats)}
            typed = {**{name: data[name] for name in data if not name.endswith("-side")}, **fixed, "kind": ""}
        initial = {} if old is None else {"note": old.note} | {f"details_{key}": old.fields[key] for key in old.fields}
        if old is not None and old.set_rows:
            sides = [line.side for line in old.results.order_by("seat")]
            initial["retired"] = find_retired_side(old.set_rows, sides)
        self.sheet = IncomingSheet(league, rule, typed, initial, seats, old=old)
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
        return replace(
            game,
            kind=Game.Kind.PLAYED.value,
            results=[replace(result, player="", side=None) for result in game.results],
        )

    def add_problems(self, error: RungsError, sides_of: int) -> None:
        """Show an error at the seats; the players of a side share its line."""
        self.sheet.put(error, [_move_to_side(problem, sides_of) for problem in error.problems])


def _fill_seat(seat: SeatRow, line: Mapping[str, Any], system: RatingSystem) -> dict[str, Any]:
    """Return the fields of an entry, with those of the recorded game; its place only if there is no score."""
    spare = system.place != "required" and line.get("score") is not None
    filled = {name: value for name, value in line.items() if name != "side" and not (spare and name == "place")}
    return {**filled, "player": str(seat.entry)}


def _move_to_side(problem: Problem, sides_of: int) -> Problem:
    parts = problem.pointer.split("/")
    if len(parts) > 2 and parts[1] == "results" and parts[2].isdigit():
        parts[2] = str(int(parts[2]) // sides_of)
    return replace(problem, pointer="/".join(parts))
