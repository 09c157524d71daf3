"""Parses scores, places, weights and sides as people write them: 12,5 and 12.5, any minus, ½.

Ambiguous numbers, and words and numbers that contradict each other, are refused, never guessed. If one typing error
made the scores of a sheet miss the required total, a correction is suggested. No database and no framework here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TypeVar

from league.core.text.display_formats import format_exact
from league.core.text.names import build_name_key
from league.core.text.wording import gettext as _
from league.core.text.wording import gettext_noop

#: The hyphen, and the dashes that programs and phones replace it with.
MINUSES = "-\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
#: Spaces between thousands.
THOUSANDS_SPACE = re.compile("(?<=\\d)[\u00a0\u2009\u202f' ](?=\\d{3}(?!\\d))")
INTEGER = re.compile(r"[0-9]+")
DECIMAL = re.compile(r"[0-9]*[.,][0-9]+|[0-9]+[.,]")
GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+")
#: Ambiguous: thousands, or a number with three decimals.
AMBIGUOUS_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
HALF = re.compile(r"([0-9]*)½|()1/2")
PLACE = re.compile(r"([0-9]{1,4})(?:\.|st|nd|rd|th|e|º|°|=)?")
FORMULA = re.compile(r"[=@]|\+\s*[^\s0-9.,½]|-\s*[A-Za-z(]")
#: Cells of players who did not play.
ABSENT = frozenset({"", "/", "x", "n/a", *MINUSES})
MAX_LENGTH = 40
CONTRADICTION = gettext_noop("the words and the numbers contradict each other.")
UNCLEAR_NUMBERS = gettext_noop(
    "it is not clear who has which number. Write each number after its player: Anna 3, Ben 1."
)
MINUS = f"[-{''.join(sorted(set(MINUSES) - {'-'}))}]"
HALF_PATTERN = r"\d+½|½|1/2(?![\d/])"
NUMBER = rf"(?:{HALF_PATTERN}|\d+(?:[.,]\d+)?)"
#: Text between the numbers of a result: 3:1, 3-1, 3 – 1, 3 to 1; a colon may be followed by a minus.
BETWEEN = rf"(?:\s*:\s*{MINUS}?|\s+{MINUS}\s+|{MINUS}\s*|\s+(?:to|zu|do|na|на|prema|према)\s+)"
RESULT = re.compile(rf"{NUMBER}(?:{BETWEEN}{NUMBER})+")
RESULT_NUMBER = re.compile(rf"(?:(?<=:)|(?<=:\s)){MINUS}\d+(?:[.,]\d+)?|{NUMBER}")
#: Sums that differ by less count as equal.
TOLERANCE = 1e-6


class UnclearText(ValueError):
    """A cell or line that cannot be read; the message completes a sentence about it."""


@dataclass(frozen=True)
class PasteSide:
    """Players who share a result, with their score or place as written."""

    names: tuple[str, ...]
    score: str = ""
    place: str = ""


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


def parse_score(text: str) -> float:
    """Parse a score; raises UnclearText."""
    quoted = quote_cell(text)
    if FORMULA.match(text):
        raise UnclearText(_("“{text}” is a formula, not a score. Paste its result.").format(text=quoted))
    body = text.strip()
    sign = -1 if body[:1] and body[0] in MINUSES else 1
    body = body[1:].strip() if sign < 0 else body.removeprefix("+").strip()
    if re.fullmatch(r"\(.*\)", body):
        quoted_number = quote_cell(body.strip("() "))
        raise UnclearText(
            _("“{text}” may be {inner} or −{inner}. Write one of them.").format(text=quoted, inner=quoted_number)
        )
    if body and body[-1] in MINUSES:
        raise UnclearText(
            _("“{text}” has its minus at the end. Write −{number} if you mean that.").format(
                text=quoted, number=quote_cell(body[:-1].strip())
            )
        )
    return sign * parse_magnitude(body, quoted) + 0.0  # no −0 in the league's data


def parse_magnitude(body: str, quoted: str) -> float:
    """Parse a number without a sign; ``quoted`` is for messages. Raises UnclearText."""
    if half := HALF.fullmatch(body):
        return float(half[1] or 0) + 0.5
    body = THOUSANDS_SPACE.sub("", body)
    if AMBIGUOUS_THOUSANDS.fullmatch(body):
        raise UnclearText(
            _("“{text}” may contain a thousands separator or a decimal. Write it without the sign.").format(text=quoted)
        )
    if GROUPED.fullmatch(body):
        decimal = max(body.rfind("."), body.rfind(","))
        return float(re.sub(r"[.,]", "", body[:decimal]) + "." + body[decimal + 1 :])
    if (INTEGER.fullmatch(body) or DECIMAL.fullmatch(body)) and len(body) <= MAX_LENGTH:
        return float(body.replace(",", "."))
    raise UnclearText(_("“{text}” is not a number.").format(text=quoted))


def parse_place(text: str) -> int:
    """Parse a place written 1, 1. or 1st; raises UnclearText."""
    match = PLACE.fullmatch(text.strip().casefold())
    if match is None or not match[1].isascii() or int(match[1]) < 1:
        raise UnclearText(_("“{text}” is not a place such as 1 or 2.").format(text=quote_cell(text)))
    return int(match[1])


def is_numeric(text: str) -> bool:
    """Return whether a cell is meant as a number, even one that cannot be parsed."""
    return any(letter.isdigit() or letter == "½" for letter in text) and not any(map(str.isalpha, text))


def quote_cell(text: str) -> str:
    """Shorten a cell for a message, and replace unprintable characters."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in text)
    return printable if len(printable) <= MAX_LENGTH else f"{printable[:MAX_LENGTH]}…"


def is_result(text: str) -> bool:
    """Return whether a cell is the result of several sides: 3:1, 3-1, ½-½."""
    return RESULT.fullmatch(text.strip()) is not None


def split_result(text: str) -> list[str]:
    """Split a result into its numbers."""
    return RESULT_NUMBER.findall(text)


def is_half(text: str) -> bool:
    """Return whether a number alone means a draw."""
    return text in ("½", "1/2")


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


def parse_whole_number(text: str) -> int | None:
    """Parse a whole number (2 or 2.0), None for other texts."""
    try:
        value = float(text) if text.isascii() and "_" not in text and len(text) <= 20 else None
        return None if value is None or value != int(value) else int(value)
    except (ValueError, OverflowError):
        return None


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
