"""Why ratings changed, as a game's page shows it: for each player a sentence, a bar of the parts, and the sum.

All bars of a game have one scale: what was lost stands left of zero, what was gained right of it, each part beside the
one before it. The words under a bar carry its figures, rounded so that they add up to the change as it is printed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from league.core.games.services.explain import ExplainedGame
from league.core.games.services.what_if import WhatIf
from league.core.text.names import isolated
from league.core.text.numbers import shares, signed
from ratings.contract.system import RatingSystem
from ratings.contract.wording import ChangePart
from ratings.describe.explaining import name_in_words
from ratings.describe.filling import describe_table

#: Room beside the bars, in per cent.
ROOM = 2.0
#: Decimals of the result of a sum.
RESULT = 4
#: Decimals of the parts of a change that is a whole number.
PARTS = 2


@dataclass(frozen=True)
class ChangeBar:
    """A part of a change: ``kind`` is its class in the sheet, ``x`` and ``width`` are per cent of the box."""

    kind: str
    x: float
    width: float
    words: str


@dataclass(frozen=True)
class Why:
    """One player's change: ``net`` is where it ends in the box, ``words`` are its parts with their figures."""

    seat: int
    handle: str
    name: str
    change: float
    told: str
    bars: list[ChangeBar]
    net: float
    words: str
    sum: str
    result: str


@dataclass(frozen=True)
class Whys:
    """The whys of a game; ``zero`` is where no change stands, ``key`` names the parts by their class."""

    seats: list[Why]
    zero: float
    key: list[tuple[str, str]]


@dataclass(frozen=True)
class BarScale:
    """The scale of a game's bars: the most that a player's parts lose and gain together."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return where a value stands, in per cent."""
        return round(ROOM + (value + self.low) / (self.low + self.high) * (100.0 - 2.0 * ROOM), 2)


def whys(game: ExplainedGame | WhatIf, order: Sequence[int]) -> Whys:
    """Return why a game, or the first outcome of one, changes ratings: of the seats (from 0) of ``order``."""
    system = game.system
    sheet, rated = game.outcomes[0] if isinstance(game, WhatIf) else (game.sheet, game.rated)
    table = describe_table(system, sheet, rated, [isolated(name) for name in game.names])
    specs = system.wording().parts
    rows = [seat.parts for seat in table]
    scale = scale_of(rows)
    seats = []
    for seat in order:
        change = table[seat].change
        words = worded(system, specs, rows[seat], change)
        seats.append(
            Why(
                seat + 1,
                game.handles[seat],
                game.names[seat],
                change,
                table[seat].sentence,
                bars_of(rows[seat], words, scale),
                scale.place(change),
                " · ".join(word for word in words if word) or _("this rating has not changed"),
                table[seat].line,
                signed(change, RESULT),
            )
        )
    used = [index for index in range(len(specs)) if any(row[index] for row in rows)]
    return Whys(seats, scale.place(0.0), [(f"p-{index + 1}", name_in_words(specs[index])) for index in used])


def scale_of(rows: Sequence[Sequence[float]]) -> BarScale:
    """Return the scale on which all parts of a game fit."""
    low = max((sum(-value for value in row if value < 0.0) for row in rows), default=0.0)
    high = max((sum(value for value in row if value > 0.0) for row in rows), default=0.0)
    return BarScale(low, high) if low + high > 0.0 else BarScale(1.0, 1.0)


def worded(system: RatingSystem, specs: Sequence[ChangePart], row: Sequence[float], change: float) -> list[str]:
    """Return each part in words, with figures that add up to the change as it is printed; "" for one of nothing."""
    places = system.decimals if system.decimals or not change.is_integer() else PARTS
    printed = zip(specs, shares(places, row, change), strict=True)
    return [f"{name_in_words(spec)} {signed(value, places)}" if value else "" for spec, value in printed]


def bars_of(row: Sequence[float], words: Sequence[str], scale: BarScale) -> list[ChangeBar]:
    """Return the parts of a change beside each other, from zero outwards in their order."""
    ends = {True: 0.0, False: 0.0}
    bars = []
    for index, (value, said) in enumerate(zip(row, words, strict=True), start=1):
        gains = value > 0.0
        start, ends[gains] = ends[gains], ends[gains] + value
        left, right = sorted((scale.place(start), scale.place(ends[gains])))
        if right > left:
            bars.append(ChangeBar(f"p-{index}", left, round(right - left, 2), said))
    return bars
