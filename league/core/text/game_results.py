"""Formats the result of a game of two players or sides; every page, feed, message and picture uses this module."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import pgettext

from league.core.text.display_formats import MINUS, format_exact, localize_figure

#: A score and a place of a player or side, None if it has none.
ScoreAndPlace = tuple[float | Fraction | None, int | None]
#: What keys for a win, a draw and a loss of the first one say.
WIN, DRAW, LOSS = "1–0", "½–½", "0–1"


def split_result_of_two(first: ScoreAndPlace, second: ScoreAndPlace) -> tuple[str, str] | None:
    """Return the result of each of the two: the scores if both have one, else 1, ½ or 0; None if unknown."""
    if first[0] is not None and second[0] is not None:
        # Beside the points of a match, ½ would be another way of writing than 3.5.
        write = format_score if max(first[0], second[0]) <= 1 else _format_number
        return write(first[0]), write(second[0])
    if first[1] is None or second[1] is None:
        return None
    if first[1] == second[1]:
        return "½", "½"
    won, lost = localize_figure("1"), localize_figure("0")
    return (won, lost) if first[1] < second[1] else (lost, won)


def format_result_of_two(first: ScoreAndPlace, second: ScoreAndPlace) -> str:
    """Return the result in one line: 3–1, 21.5–19, 1–0, ½–½; "" if unknown."""
    figures = split_result_of_two(first, second)
    if figures is None:
        return ""
    # A minus beside the dash would be hard to tell from it.
    return (" – " if MINUS in "".join(figures) else "–").join(figures)


def format_figure(seat: ScoreAndPlace) -> str:
    """Return what somebody in a game of more than two has: the score, else the place, such as 2.; "" if unknown."""
    score, place = seat
    if score is not None:
        return format_exact(float(score))
    return f"{place}." if place else ""


def format_score(score: float | Fraction) -> str:
    """Return a score; the half point of a draw as ½."""
    return "½" if score == 0.5 else _format_number(score)


def _format_number(score: float | Fraction) -> str:
    return format_exact(float(score))


def format_sets(rows: Sequence[Mapping[str, Any]], sides: Sequence[int | None]) -> str:
    """Return the points of each set: "11–9, 9–11, 11–7", and whether a side retired; "" without sets.

    ``rows``: what a sheet contains of the sets in seat order. ``sides``: the side of each seat.
    """
    pair = split_sets(rows, sides)
    if pair is None:
        return ""
    texts = [f"{one}–{other}" for one, other in zip(*pair, strict=False)]
    if any(row.get("retired") for row in rows):
        texts.append(pgettext("after the sets of a match", "retired"))
    return ", ".join(texts)


def split_sets(
    rows: Sequence[Mapping[str, Any]], sides: Sequence[int | None]
) -> tuple[Sequence[int], Sequence[int]] | None:
    """Return the points of both sides in each set; None without sets."""
    points: dict[int, Sequence[int]] = {}
    for seat, (row, side) in enumerate(zip(rows, sides, strict=False)):
        key = -seat if side is None else side
        points[key] = points.get(key) or row.get("sets") or ()
    first, second = points.values() if len(points) == 2 else ((), ())
    return (first, second) if first and second else None


def count_sets(points: tuple[Sequence[int], Sequence[int]]) -> tuple[int, int]:
    """Return how many sets each side has won, without those awarded after a retirement."""
    pairs = list(zip(*points, strict=False))
    return sum(one > other for one, other in pairs), sum(one < other for one, other in pairs)
