"""Parses scores, places, weights and sides as people write them: 12,5 and 12.5, any minus, ½.

Ambiguous numbers, and words and numbers that contradict each other, are refused, never guessed. If one typing error
made the scores of a sheet miss the required total, a correction is suggested. No database and no framework here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TypeVar

from league.core.text.display_formats import format_exact
from league.core.text.names import build_name_key
from league.core.text.numbers import MINUSES, UnclearText, is_numeric, parse_score, parse_whole_number, quote_cell
from league.core.text.wording import gettext as _
from league.core.text.wording import gettext_noop

#: Cells of players who did not play.
ABSENT = frozenset({"", "/", "x", "n/a", *MINUSES})
CONTRADICTION = gettext_noop("the words and the numbers contradict each other.")
UNCLEAR_NUMBERS = gettext_noop(
    "it is not clear who has which number. Write each number after its player: Anna 3, Ben 1."
)
#: Sums that differ by less count as equal.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class PasteSide:
    """Players who share a result, with their score or place as written."""

    names: tuple[str, ...]
    score: str = ""
    place: str = ""
    sets: tuple[int, ...] = ()
    retired: bool = False


@dataclass(frozen=True)
class StatedWinner:
    """The side that won according to the words, from 0; None is a draw.

    ``winner_first``: whether the winner's number may come first nevertheless, as in "Ben lost to Anna 3-1".
    """

    winner: int | None
    winner_first: bool = False


def is_absent(text: str) -> bool:
    """Return whether a cell means that the player did not play."""
    return text.casefold() in ABSENT


def assign_scores(
    sides: Sequence[PasteSide], numbers: Sequence[str] | None, stated: StatedWinner | None, *, lowest_wins: bool
) -> list[PasteSide]:
    """Give sides their scores, or places if only words name the winner. Raises UnclearText for a contradiction.

    ``numbers``: one per side, as written.
    """
    if stated is not None and len(sides) != 2:
        raise UnclearText(_(CONTRADICTION))
    if numbers is None:
        winner = None if stated is None else stated.winner
        places = {None: ("1", "1"), 0: ("1", "2"), 1: ("2", "1")}[winner]
        return [replace(side, place=place) for side, place in zip(sides, places, strict=True)]
    values = [parse_score(number) for number in numbers]
    better = [-value if lowest_wins else value for value in values]
    if any(side.place for side in sides):
        if [1 + sum(other > own_score for other in better) for own_score in better] != [
            int(side.place) for side in sides
        ]:
            raise UnclearText(_(CONTRADICTION))
    elif stated is not None:
        winner = None if better[0] == better[1] else 0 if better[0] > better[1] else 1
        if winner != stated.winner and not (stated.winner_first and None not in (winner, stated.winner)):
            raise UnclearText(_(CONTRADICTION))
        if winner != stated.winner:
            numbers = list(reversed(numbers))
    return [replace(side, score=number) for side, number in zip(sides, numbers, strict=True)]


def find_excess(scores: Sequence[float | None], total: float) -> float:
    """Return by how much the sum of scores exceeds the total; 0 if a score is missing."""
    if any(score is None for score in scores):
        return 0.0
    excess = sum(score for score in scores if score is not None) - total
    return 0.0 if abs(excess) < TOLERANCE else excess


def suggest_correction(scores: Sequence[float | None], total: float) -> tuple[int, float] | None:
    """Return the seat and score of the likeliest correction, None if several are equally likely."""
    excess = find_excess(scores, total)
    if not excess:
        return None
    candidates: list[tuple[int, int, float]] = []
    for seat, score in enumerate(scores):
        if score is not None:
            correction = round(score - excess, 6) + 0.0
            if slip := rate_slip(score, correction):
                candidates.append((slip, seat, correction))
    best = min((slip for slip, _, _ in candidates), default=0)
    likely = [(seat, correction) for slip, seat, correction in candidates if slip == best]
    return likely[0] if len(likely) == 1 else None


def rate_slip(score: float, correction: float) -> int:
    """Return 1 if a wrong sign or swapped digits explain the difference, 2 if one digit does, else 0."""
    score_text, correct = f"{abs(score):g}", f"{abs(correction):g}"
    if score_text == correct:
        return 1
    if (score < 0) != (correction < 0):
        return 0
    if sorted(score_text) == sorted(correct):
        return 1
    if len(score_text) == len(correct):
        return 2 if sum(a != b for a, b in zip_longest(score_text, correct)) == 1 else 0
    longer, shorter = sorted((score_text, correct), key=len, reverse=True)
    one_digit_less = any(longer[:index] + longer[index + 1 :] == shorter for index in range(len(longer)))
    return 2 if len(longer) == len(shorter) + 1 and one_digit_less else 0


#: A line number with its text; a problem: line, code, message.
LineText = tuple[int, str]
LineProblem = tuple[int, str, str]
Value = TypeVar("Value")


def parse_sides(labels: Sequence[LineText]) -> tuple[list[int | None], list[LineProblem]]:
    """Return the side of each seat (None if empty), and the problems.

    Numbers are kept. Names are numbered in order of appearance.
    """
    texts = ["" if text.strip() in MINUSES else text.strip() for _line, text in labels]
    nonempty_labels = [(line, text) for (line, _text), text in zip(labels, texts, strict=True) if text]
    if wrong := find_mixed_labels(nonempty_labels):
        return [None] * len(labels), wrong
    if nonempty_labels and not is_numeric(nonempty_labels[0][1]):
        numbers: dict[str, int] = {}
        return [numbers.setdefault(build_name_key(text), len(numbers) + 1) if text else None for text in texts], []
    wrong = [
        (line, "not_whole", _("the team “{text}” is not a whole number.").format(text=quote_cell(text)))
        for line, text in nonempty_labels
        if parse_whole_number(text) is None
    ]
    return [parse_whole_number(text) if text else None for text in texts], wrong


def find_mixed_labels(labels: Sequence[LineText]) -> list[LineProblem]:
    """Report a game whose sides are both numbers and names."""
    kinds = [is_numeric(text) for _line, text in labels]
    if len(set(kinds)) < 2:
        return []
    other = kinds.index(not kinds[0])
    line, text = labels[other]
    first, first_text = labels[0]
    message = _(
        "the team “{text}” is used next to “{before}” on line {line}: use numbers for all "
        "players of a game, or names for all."
    ).format(text=quote_cell(text), before=quote_cell(first_text), line=first)
    return [(line, "contradiction", message)]


def merge_weights(weights: Sequence[tuple[int, float]], max_weight: float) -> tuple[float, list[LineProblem]]:
    """Return a game's weight from its lines, 1 if there is none, and the problems."""
    if not weights:
        return 1.0, []
    first, weight = weights[0]
    wrong = [
        (line, "out_of_bounds", _("the weight must be from 0 to {most}.").format(most=format_exact(max_weight)))
        for line, value in weights
        if not 0 <= value <= max_weight
    ]
    differs = _(
        "the game has the weight {here} here and {there} on line {line}; write it once, or the same everywhere."
    )
    wrong += [
        (line, "differs", differs.format(here=format_exact(value), there=format_exact(weight), line=first))
        for line, value in weights[1:]
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
    shared_values, wrong = list(values), []
    for seat, side in enumerate(sides):
        if side not in first:
            continue
        side_value, (line, _label) = values[first[side]], labels[first[side]]
        if values[seat] is None:
            shared_values[seat] = side_value
        elif values[seat] != side_value:
            template = (
                _("team “{side}” has {here} here and {there} on line {line}; partners share one place.")
                if places
                else _("team “{side}” has {here} here and {there} on line {line}; partners share one score.")
            )
            seat_line, label = labels[seat]
            message = template.format(
                side=quote_cell(label.strip()),
                here=format_exact(values[seat]),
                there=format_exact(side_value),
                line=line,
            )
            wrong.append((seat_line, "contradiction", message))
    return shared_values, wrong if len(set(sides)) > 1 else []
