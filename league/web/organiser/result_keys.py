"""Keys on a score pad that enter the result of a game of two with one press."""

from collections.abc import Sequence
from typing import NamedTuple

from league.core.finish import list_results_of_two, rates_results_alone
from league.web.organiser.score_sheets import IncomingSheet


class PadKey(NamedTuple):
    """A key: the result as it is written, and what it enters for the first and the second player."""

    label: str
    results: str


def build_pad_keys(sheet: IncomingSheet, columns: Sequence[str], usual: int, *, with_goals: bool) -> list[PadKey]:
    """Return the keys of a sheet for ``usual`` players; none for larger tables, teams, and where scores are rated.

    ``with_goals``: the league writes goals or the like, not points of a game of two.
    """
    if usual != 2 or sheet.sides:
        return []
    if "set_1" in columns:
        needed = sheet.rule.sets["best_of"] // 2 + 1
        won = [(needed, lost) for lost in range(needed)]
        pairs = [*won, *((lost, won) for won, lost in reversed(won))]
        if "score" in columns:
            return [PadKey(f"{first}–{second}", f"{first} {second}") for first, second in pairs]
    elif not rates_results_alone(sheet.system):
        return []
    by_places = "score" not in columns
    results = list_results_of_two(sheet.system, by_places=by_places, with_goals=with_goals)
    # A match of sets has a winner.
    return [PadKey(label, " ".join(pair)) for label, pair in results if "set_1" not in columns or pair[0] != pair[1]]
