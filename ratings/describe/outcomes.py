"""How a game that has not been played can end, by what its system declares of scores, places and ties."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from ratings.contract.system import RatingSystem, Sheet

#: Every order of so many players is told: 24 outcomes. The next table would have 120.
LARGEST_TABLE = 4


def is_open(sheet: Sheet) -> bool:
    """Tell whether the sheet says nothing of how the game ended."""
    return all(value is None for value in (*sheet.scores, *sheet.places))


def why_unlisted(system: RatingSystem, size: int) -> str:
    """Return the sentence that says why the outcomes cannot be listed and what to send; empty when they can."""
    if system.score == "required":
        return f"{system.title} is rated by scores, and there is no end of them: give a score at every seat."
    if size > LARGEST_TABLE:
        each = "place" if system.place == "required" else "score or a place"
        return f"{size} players can finish in too many orders to list them: give a {each} at every seat."
    return ""


def possible_outcomes(system: RatingSystem, sheet: Sheet) -> Iterator[Sheet]:
    """Yield the open sheet with every outcome, as places in seat order.

    Two players: first seat wins, draw (where the system rates ties), second seat wins. Three and four: every
    order without ties, the seats' own order first. ``why_unlisted`` must have had nothing against it.
    """
    orders = list(permutations(range(1, sheet.size + 1)))
    if sheet.size == 2 and system.ties:
        orders.insert(1, (1, 1))
    for places in orders:
        yield replace(sheet, places=places)
