"""Parses sides (1, A, red) and weights in files and pastes.

No database and no framework here.
"""

from collections.abc import Sequence
from typing import TypeVar

from league.apps.imports.paste.figures import MINUSES, is_numeric, quote_cell
from league.core.text.display_formats import exact
from league.core.text.names import key_of
from league.core.text.wording import gettext as _

#: A line number with its text; a problem: line, code, message.
LineText = tuple[int, str]
LineProblem = tuple[int, str, str]
Value = TypeVar("Value")


def parse_sides(labels: Sequence[LineText]) -> tuple[list[int | None], list[LineProblem]]:
    """Return the side of each seat (None if empty), and the problems.

    Numbers are kept. Names are numbered in order of appearance.
    """
    texts = ["" if text.strip() in MINUSES else text.strip() for _line, text in labels]
    given = [(line, text) for (line, _text), text in zip(labels, texts, strict=True) if text]
    if wrong := find_mixed_labels(given):
        return [None] * len(labels), wrong
    if given and not is_numeric(given[0][1]):
        numbers: dict[str, int] = {}
        return [numbers.setdefault(key_of(text), len(numbers) + 1) if text else None for text in texts], []
    wrong = [
        (line, "not_whole", _("the team “{text}” is not a whole number.").format(text=quote_cell(text)))
        for line, text in given
        if parse_whole_number(text) is None
    ]
    return [parse_whole_number(text) if text else None for text in texts], wrong


def find_mixed_labels(given: Sequence[LineText]) -> list[LineProblem]:
    """Report a game whose sides are both numbers and names."""
    kinds = [is_numeric(text) for _line, text in given]
    if len(set(kinds)) < 2:
        return []
    other = kinds.index(not kinds[0])
    line, text = given[other]
    first, before = given[0]
    sentence = _(
        "the team “{text}” is used next to “{before}” on line {line}: use numbers for all "
        "players of a game, or names for all."
    ).format(text=quote_cell(text), before=quote_cell(before), line=first)
    return [(line, "contradiction", sentence)]


def parse_whole_number(text: str) -> int | None:
    """Parse a whole number (2 or 2.0), None for other texts."""
    try:
        value = float(text) if text.isascii() and "_" not in text and len(text) <= 20 else None
        return None if value is None or value != int(value) else int(value)
    except (ValueError, OverflowError):
        return None


def merge_weights(given: Sequence[tuple[int, float]], most: float) -> tuple[float, list[LineProblem]]:
    """Return a game's weight from its lines, 1 if there is none, and the problems."""
    if not given:
        return 1.0, []
    first, weight = given[0]
    wrong = [
        (line, "out_of_bounds", _("the weight must be from 0 to {most}.").format(most=exact(most)))
        for line, value in given
        if not 0 <= value <= most
    ]
    differs = _(
        "the game has the weight {here} here and {there} on line {line}; write it once, or the same everywhere."
    )
    wrong += [
        (line, "differs", differs.format(here=exact(value), there=exact(weight), line=first))
        for line, value in given[1:]
        if value != weight
    ]
    return weight, wrong


def share_values(
    values: Sequence[Value | None], sides: Sequence[int | None], labels: Sequence[LineText], *, places: bool = False
) -> tuple[list[Value | None], list[LineProblem]]:
    """Return scores or places completed by those of partners, and the problems.

    A side's value may be on one player's line only; different values are a problem, unless there is only one side,
    which the rules refuse anyway. ``labels``: the line of each seat, and its side as written.
    """
    first: dict[int | None, int] = {}
    for seat, (value, side) in enumerate(zip(values, sides, strict=True)):
        if side is not None and value is not None:
            first.setdefault(side, seat)
    found, wrong = list(values), []
    for seat, side in enumerate(sides):
        if side not in first:
            continue
        there, (line, _label) = values[first[side]], labels[first[side]]
        if values[seat] is None:
            found[seat] = there
        elif values[seat] != there:
            sentence = (
                _("team “{side}” has {here} here and {there} on line {line}; partners share one place.")
                if places
                else _("team “{side}” has {here} here and {there} on line {line}; partners share one score.")
            )
            here, label = labels[seat]
            said = sentence.format(
                side=quote_cell(label.strip()), here=exact(values[seat]), there=exact(there), line=line
            )
            wrong.append((here, "contradiction", said))
    return found, wrong if len(set(sides)) > 1 else []
