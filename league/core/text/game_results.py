"""Formats the result of a game of two players or sides; every page, feed, message and picture uses this module."""

from fractions import Fraction

from league.core.text.display_formats import MINUS, format_exact, localize_figure

#: A score and a place of a player or side, None if it has none.
ScoreAndPlace = tuple[float | Fraction | None, int | None]


def split_result_of_two(first: ScoreAndPlace, second: ScoreAndPlace) -> tuple[str, str] | None:
    """Return the result of each of the two: the scores if both have one, else 1, ½ or 0; None if unknown."""
    if first[0] is not None and second[0] is not None:
        return format_score(first[0]), format_score(second[0])
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
    return "½" if score == 0.5 else format_exact(float(score))
