"""The possible outcomes of a game that has not been played, given its system's scores, places and ties."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from ratings.contract.system import GameSheet, RatingSystem
from ratings.texts import N_, say, say_many

#: Most players or sides whose orders are listed: 4 have 24 outcomes, 5 would have 120.
MAX_TABLE_SIZE = 4


def is_open(sheet: GameSheet) -> bool:
    """Return whether the sheet has no result."""
    return all(value is None for value in (*sheet.scores, *sheet.places))


def explain_missing_outcomes(system: RatingSystem, size: int) -> str:
    """Return a sentence saying why the outcomes cannot be listed and what to send; empty if they can.

    ``size``: the number of players or sides.
    """
    if system.score == "required":
        template = N_("{title} is rated by scores, so the outcomes cannot be listed: enter a score for every seat.")
        return say(template, title=system.title)
    if size > MAX_TABLE_SIZE:
        if system.place == "required":
            return say_many(
                "{count} player can finish in too many orders to list: enter a place for every seat.",
                "{count} players can finish in too many orders to list: enter a place for every seat.",
                size,
                count=size,
            )
        return say_many(
            "{count} player can finish in too many orders to list: enter a score or a place for every seat.",
            "{count} players can finish in too many orders to list: enter a score or a place for every seat.",
            size,
            count=size,
        )
    return ""


def iter_outcomes(system: RatingSystem, sheet: GameSheet) -> Iterator[GameSheet]:
    """Yield the open sheet with every outcome, as places in seat order; players of a side share a place.

    Two sides: the first one wins, draw (if the system rates ties), the other one wins. Three and four: every order
    without ties, seat order first. ``explain_missing_outcomes`` must be empty.
    """
    captains = list(dict.fromkeys(sheet.captains))
    orders = list(permutations(range(1, len(captains) + 1)))
    if len(captains) == 2 and system.ties:
        orders.insert(1, (1, 1))
    for order in orders:
        of_side = dict(zip(captains, order, strict=True))
        yield replace(sheet, places=[of_side[captain] for captain in sheet.captains])
