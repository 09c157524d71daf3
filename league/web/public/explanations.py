"""Explanations of rating changes on a game's page: for each player a sentence, a bar of the parts, and the formula.

All bars of a game share a scale, with losses left of zero and gains right of it. The numbers under a bar are rounded so
that they add up to the printed change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.games.services.explain import ExplainedGame
from league.core.games.services.what_if import WhatIf
from league.core.text.display_formats import (
    format_exact,
    format_number,
    format_percentage,
    format_signed,
    round_shares,
)
from league.core.text.names import isolate_direction
from ratings.contract.system import RatingSystem
from ratings.contract.wording import ChangePart
from ratings.describe.explaining import name_in_words
from ratings.describe.filling import describe_table, index_values_by_key

#: The sentences about a loss, a draw and a win of a game of two: the change follows from what was expected, or not.
OUTCOMES = {
    0.0: (
        gettext_noop("{name} lost; {expected} was expected, so {change}."),
        gettext_noop("{name} lost; {expected} was expected. In all, {change}."),
    ),
    0.5: (
        gettext_noop("A draw; {expected} was expected of {name}, so {change}."),
        gettext_noop("A draw; {expected} was expected of {name}. In all, {change}."),
    ),
    1.0: (
        gettext_noop("{name} won; {expected} was expected, so {change}."),
        gettext_noop("{name} won; {expected} was expected. In all, {change}."),
    ),
}
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
    """One player's change: ``net`` is its position in the box, ``words`` are several parts with their numbers."""

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
    """The explanations of a game; ``zero`` is the position of no change, ``key`` has the parts' names by CSS class.

    ``uneven``: whether the expectations of a game of two do not add up to 1, as printed.
    """

    seats: list[ChangeExplanation]
    zero: float
    key: list[tuple[str, str]]
    uneven: bool = False


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
    system, supposed = game.system, isinstance(game, WhatIf)
    sheet, rated = game.outcomes[0] if isinstance(game, WhatIf) else (game.sheet, game.rated)
    names = [isolate_direction(name) for name in game.names]
    table = describe_table(system, sheet, rated, names, supposed=supposed)
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
                _join_descriptions([text for text in descriptions if text]),
                table[seat].line,
                format_signed(change, RESULT),
            )
        )
    visible = {bar.kind for seat in seats for bar in seat.bars if bar.width >= VISIBLE}
    kinds = [(f"p-{index}", name_in_words(spec)) for index, spec in enumerate(specs, start=1)]
    key = [part for part in kinds if part[0] in visible]
    return ChangeExplanations(seats, scale.place(0.0), key, _has_uneven_expectations(system, rated.figures))


def _has_uneven_expectations(system: RatingSystem, figures: Sequence[Sequence[float]]) -> bool:
    """Return whether the printed expectations of a game of two miss 100%: each has the other's deviation in it."""
    keys = [figure.key for figure in system.figures]
    if len(figures) != 2 or system.expects or system.expectation not in keys:
        return False
    column = keys.index(system.expectation)
    # A tenth of a per cent is printed; half of one is lost by rounding each.
    return abs(sum(row[column] for row in figures) - 1.0) > 0.001


def summarize_change(game: ExplainedGame, seat: int) -> str:
    """Return in one sentence what was expected of a seat (from 0), what came, and the change.

    The change follows from the two only if it has the sign of their difference, and no visible part that every player
    gets: corrections of a league, a deviation that shrinks and limits count, too. A system that expects nothing has the
    rating before and after.
    """
    system, change = game.system, format_signed(game.rated.change[seat], game.system.decimals)
    name = isolate_direction(game.names[seat])
    values = index_values_by_key(system, game.sheet, game.rated, seat)
    if not system.expectation:
        label, before = system.state[0].label, values[system.state[0].key]
        after = format_number(before + game.rated.change[seat], system.decimals)
        return _("{label} of {name}: {before} before this game, {after} after it, {change}.").format(
            label=label, name=name, before=format_number(before, system.decimals), after=after, change=change
        )
    result, expected = values[_find_result_key(system)], values[system.expectation]
    unearned = sum(values[part.key] for part in system.parts if part.unearned)
    follows = (result - expected) * game.rated.change[seat] > 0.0 and round(unearned, system.decimals) == 0.0
    if system.expects:
        fields = {"result": format_exact(result), "expected": format_number(expected, 1)}
        if result != values.get("points"):
            so = _("{result} counted for {name}; {expected} were expected, so {change}.")
            but = _("{result} counted for {name}; {expected} were expected. In all, {change}.")
        else:
            so = _("{name} scored {result}; {expected} were expected, so {change}.")
            but = _("{name} scored {result}; {expected} were expected. In all, {change}.")
    else:
        fields = {"result": format_percentage(result), "expected": format_percentage(expected)}
        if len(set(game.sheet.captains)) == 2 and result in OUTCOMES:
            so, but = OUTCOMES[result]
            return _(so if follows else but).format(name=name, change=change, **fields)
        so = _("{name} reached {result}; {expected} was expected, so {change}.")
        but = _("{name} reached {result}; {expected} was expected. In all, {change}.")
    return (so if follows else but).format(name=name, change=change, **fields)


def _find_result_key(system: RatingSystem) -> str:
    """Return the key of what came where ``expectation`` was expected."""
    if system.expects == "score":
        return "counted" if system.lowest_score_wins() else "points"
    return system.expects or system.performance


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


def _join_descriptions(descriptions: Sequence[str]) -> str:
    """Return the parts of a change in a line; "" for a single part, which is the change itself."""
    if len(descriptions) == 1:
        return ""
    return " · ".join(descriptions) or _("this rating has not changed")


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
