"""Explanations of rating changes on a game's page: for each player a sentence, a bar of the parts, and the formula.

All bars of a game share a scale, with losses left of zero and gains right of it. The numbers under a bar are rounded so
that they add up to the printed change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from league.core.games.services.explain import ExplainedGame
from league.core.games.services.what_if import WhatIf
from league.core.text.display_formats import format_signed, round_shares
from league.core.text.names import isolate_direction
from ratings.contract.system import RatingSystem
from ratings.contract.wording import ChangePart
from ratings.describe.explaining import name_in_words
from ratings.describe.filling import describe_table

#: Margin left and right of the bars, in per cent.
ROOM = 2.0
#: Parts of less width, in per cent, are not visible, and not in the key.
VISIBLE = 0.5
#: Decimals of the result of a formula.
RESULT = 4
#: Decimals of the parts if the change is an integer.
PARTS = 2


@dataclass(frozen=True)
class ChangeBar:
    """A part of a change: ``kind`` is its CSS class, ``x`` and ``width`` are in per cent."""

    kind: str
    x: float
    width: float
    words: str


@dataclass(frozen=True)
class ChangeExplanation:
    """One player's change: ``net`` is its position in the box, ``words`` are its parts with their numbers."""

    seat: int
    handle: str
    name: str
    change: float
    sentence: str
    bars: list[ChangeBar]
    net: float
    words: str
    sum: str
    result: str


@dataclass(frozen=True)
class ChangeExplanations:
    """The explanations of a game; ``zero`` is the position of no change, ``key`` has the parts' names by CSS class."""

    seats: list[ChangeExplanation]
    zero: float
    key: list[tuple[str, str]]


@dataclass(frozen=True)
class BarScale:
    """The scale of a game's bars: the largest total loss and gain of a player's parts."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return the position of a value, in per cent."""
        return round(ROOM + (value + self.low) / (self.low + self.high) * (100.0 - 2.0 * ROOM), 2)


def explain_changes(game: ExplainedGame | WhatIf, order: Sequence[int]) -> ChangeExplanations:
    """Explain the changes of a game, or of a preview's first outcome, for the seats (from 0) in ``order``."""
    system = game.system
    sheet, rated = game.outcomes[0] if isinstance(game, WhatIf) else (game.sheet, game.rated)
    table = describe_table(system, sheet, rated, [isolate_direction(name) for name in game.names])
    specs = system.wording().parts
    rows = [seat.parts for seat in table]
    scale = scale_of(rows)
    seats = []
    for seat in order:
        change = table[seat].change
        descriptions = describe_parts(system, specs, rows[seat], change)
        seats.append(
            ChangeExplanation(
                seat + 1,
                game.handles[seat],
                game.names[seat],
                change,
                table[seat].sentence,
                _build_bars(rows[seat], descriptions, scale),
                scale.place(change),
                " · ".join(text for text in descriptions if text) or _("this rating has not changed"),
                table[seat].line,
                format_signed(change, RESULT),
            )
        )
    visible = {bar.kind for seat in seats for bar in seat.bars if bar.width >= VISIBLE}
    kinds = [(f"p-{index}", name_in_words(spec)) for index, spec in enumerate(specs, start=1)]
    return ChangeExplanations(seats, scale.place(0.0), [part for part in kinds if part[0] in visible])


def scale_of(rows: Sequence[Sequence[float]]) -> BarScale:
    """Return the scale of all parts of a game."""
    low = max((sum(-value for value in row if value < 0.0) for row in rows), default=0.0)
    high = max((sum(value for value in row if value > 0.0) for row in rows), default=0.0)
    return BarScale(low, high) if low + high > 0.0 else BarScale(1.0, 1.0)


def describe_parts(system: RatingSystem, specs: Sequence[ChangePart], row: Sequence[float], change: float) -> list[str]:
    """Return each part in words, with numbers that add up to the printed change; "" if it is 0."""
    places = system.decimals if system.decimals or not change.is_integer() else PARTS
    printed = zip(specs, round_shares(places, row, change), strict=True)
    return [f"{name_in_words(spec)} {format_signed(value, places)}" if value else "" for spec, value in printed]


def _build_bars(row: Sequence[float], descriptions: Sequence[str], scale: BarScale) -> list[ChangeBar]:
    """Return the bars of a change's parts, stacked from zero outwards in their order."""
    totals = {True: 0.0, False: 0.0}
    bars = []
    for index, (value, text) in enumerate(zip(row, descriptions, strict=True), start=1):
        gains = value > 0.0
        start, totals[gains] = totals[gains], totals[gains] + value
        left, right = sorted((scale.place(start), scale.place(totals[gains])))
        if right > left:
            bars.append(ChangeBar(f"p-{index}", left, round(right - left, 2), text))
    return bars
