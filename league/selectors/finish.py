"""Who finished where in a game, for whoever shows it: the better place or score first."""

from collections.abc import Sequence
from typing import NamedTuple

from league.models import Result
from ratings.columns.rankings import ranks_in_order


class Finisher(NamedTuple):
    """A line of a game with its finish: 1 for the best, equal ones share it; None where it is not known."""

    finish: int | None
    result: Result
    won: bool


def finishers(results: Sequence[Result], *, lowest: bool) -> list[Finisher]:
    """Return the lines of a game, the best place, else the best score first; in seat order where neither is known.

    lowest: whether the lower of two scores is the better one. Nobody has won where all are level.
    """
    figures = figures_of(results, lowest=lowest)
    if not figures:
        return [Finisher(None, result, False) for result in results]
    order = sorted(range(len(results)), key=lambda index: -figures[index])
    ranks = ranks_in_order([figures[index] for index in order]).tolist()
    level = len(set(figures)) < 2
    return [Finisher(rank, results[index], rank == 1 and not level) for rank, index in zip(ranks, order, strict=True)]


def figures_of(results: Sequence[Result], *, lowest: bool) -> list[float]:
    """Return a figure for each line, the higher the better: by place, else by score; empty where not all have one."""
    places = [-result.place for result in results if result.place is not None]
    if len(places) == len(results):
        return [float(place) for place in places]
    scores = [-result.score if lowest else result.score for result in results if result.score is not None]
    return scores if len(scores) == len(results) else []
