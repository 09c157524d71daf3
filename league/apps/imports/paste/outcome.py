"""Combines the words and numbers of a result. Contradictions are refused, never guessed."""

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
#: Text between the numbers of a result: 3:1, 3-1, 3 – 1, 3 to 1; a colon may be followed by a minus.
BETWEEN = rf"(?:\s*:\s*{MINUS}?|\s+{MINUS}\s+|{MINUS}\s*|\s+(?:to|zu|do|na|на|prema|према)\s+)"
RESULT = re.compile(rf"{NUMBER}(?:{BETWEEN}{NUMBER})+")
RESULT_NUMBER = re.compile(rf"(?:(?<=:)|(?<=:\s)){MINUS}\d+(?:[.,]\d+)?|{NUMBER}")


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
        if [1 + sum(other > mine for other in better) for mine in better] != [int(side.place) for side in sides]:
            raise UnclearText(_(CONTRADICTION))
    elif stated is not None:
        winner = None if better[0] == better[1] else 0 if better[0] > better[1] else 1
        if winner != stated.winner and not (stated.winner_first and None not in (winner, stated.winner)):
            raise UnclearText(_(CONTRADICTION))
        if winner != stated.winner:
            numbers = list(reversed(numbers))
    return [replace(side, score=number) for side, number in zip(sides, numbers, strict=True)]
