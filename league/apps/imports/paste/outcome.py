"""Who came in how, by what words and numbers say together. What contradicts itself is refused, never guessed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from league.apps.imports.paste.figures import MINUSES, UnclearText, parse_score
from league.core.text.wording import gettext as _
from league.core.text.wording import gettext_noop

CONTRADICTION = gettext_noop("the words and the numbers contradict each other.")
UNCLEAR_NUMBERS = gettext_noop(
    "it is not clear who has which number. Write each number after its player: Anna 3, Ben 1."
)
MINUS = f"[-{''.join(sorted(set(MINUSES) - {'-'}))}]"
HALF = r"\d+½|½|1/2(?![\d/])"
NUMBER = rf"(?:{HALF}|\d+(?:[.,]\d+)?)"
#: What is between the numbers of a result: 3:1, 3-1, 3 – 1, 3 to 1; a minus may be behind a colon.
BETWEEN = rf"(?:\s*:\s*{MINUS}?|\s+{MINUS}\s+|{MINUS}\s*|\s+(?:to|zu|do|na|на|prema|према)\s+)"
RESULT = re.compile(rf"{NUMBER}(?:{BETWEEN}{NUMBER})+")
RESULT_NUMBER = re.compile(rf"(?:(?<=:)|(?<=:\s)){MINUS}\d+(?:[.,]\d+)?|{NUMBER}")


@dataclass(frozen=True)
class PasteSide:
    """Who plays together, with the score or place that is written for them."""

    names: tuple[str, ...]
    score: str = ""
    place: str = ""


@dataclass(frozen=True)
class StatedWinner:
    """The side that won by the words, from 0; None is a draw.

    ``turned``: whether people often write the winner's number first all the same, as in "Ben lost to Anna 3-1".
    """

    winner: int | None
    turned: bool = False


def is_result(text: str) -> bool:
    """Return whether a cell is the result of several: 3:1, 3-1, ½-½."""
    return RESULT.fullmatch(text.strip()) is not None


def split_result(text: str) -> list[str]:
    """Return the numbers of a result."""
    return RESULT_NUMBER.findall(text)


def is_half(text: str) -> bool:
    """Return whether a number alone says that two drew."""
    return text in ("½", "1/2")


def assign_scores(
    sides: Sequence[PasteSide], numbers: Sequence[str] | None, verb: StatedWinner | None, *, lowest_wins: bool
) -> list[PasteSide]:
    """Return sides with their scores, or with places if only words say who won; raises Unclear for a contradiction.

    ``numbers``: one a side, as they are written.
    """
    if verb is not None and len(sides) != 2:
        raise UnclearText(_(CONTRADICTION))
    if numbers is None:
        places = ("1", "1") if verb is None or verb.winner is None else ("1", "2") if verb.winner == 0 else ("2", "1")
        return [replace(side, place=place) for side, place in zip(sides, places, strict=True)]
    values = [parse_score(number) for number in numbers]
    better = [-value if lowest_wins else value for value in values]
    if any(side.place for side in sides):
        if [1 + sum(other > mine for other in better) for mine in better] != [int(side.place) for side in sides]:
            raise UnclearText(_(CONTRADICTION))
    elif verb is not None:
        winner = None if better[0] == better[1] else 0 if better[0] > better[1] else 1
        if winner != verb.winner and not (verb.turned and None not in (winner, verb.winner)):
            raise UnclearText(_(CONTRADICTION))
        if winner != verb.winner:
            numbers = list(reversed(numbers))
    return [replace(side, score=number) for side, number in zip(sides, numbers, strict=True)]
