"""The finishing order and the winners of a game. Everything that shows or counts wins uses this module.

A game's *winners* are those at the top, one or several; there are none if all are tied. A player has *won* alone at the
top, *drawn* at the top with others, and *lost* otherwise, as on a points ladder. Partners count as one: a side has one
finish.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from league.models import Result
from ratings.columns.tallies import ranks_in_order
from ratings.contract.system import RatingSystem

Outcome = Literal["won", "drawn", "lost"]


class Finisher(NamedTuple):
    """A line of a game with its finish: 1 for the best, shared by equal ones; None if unknown.

    ``level``: the number of others (or other sides) that share it. ``winner``: whether it is one of the game's winners.
    """

    finish: int | None
    result: Result
    level: int
    winner: bool

    @property
    def won(self) -> bool:
        """Return whether the player or side is alone at the top."""
        return self.winner and not self.level


def by_sides(results: Sequence[Result]) -> list[int]:
    """Return for each line of a game the index of the first line of its side."""
    first: dict[int, int] = {}
    return [
        index if result.side is None else first.setdefault(result.side, index) for index, result in enumerate(results)
    ]


def scores_of(results: Sequence[Result]) -> list[float | None]:
    """Return the scores of a game, one per side."""
    return [line.score for at, (line, first) in enumerate(zip(results, by_sides(results), strict=True)) if at == first]


def sides_said(results: Sequence[Result]) -> str:
    """Return the names by side; "" if everyone plays alone."""
    sides: dict[int, list[str]] = {}
    for index, line in zip(by_sides(results), results, strict=True):
        sides.setdefault(index, []).append(line.player.name)
    if len(sides) == len(results):
        return ""
    return " – ".join(" + ".join(names) for names in sides.values())


def sides_of(lines: Sequence[Finisher]) -> list[list[Finisher]]:
    """Return the lines of a game by side, in the order of first lines."""
    sides: dict[int, list[Finisher]] = {}
    for line, first in zip(lines, by_sides([line.result for line in lines]), strict=True):
        sides.setdefault(first, []).append(line)
    return list(sides.values())


def finishers(results: Sequence[Result], system: RatingSystem | None) -> list[Finisher]:
    """Return the lines of a game, best first; in seat order if the finish is unknown.

    system: the system in force when it was played, if any; it determines whether scores or places decide.
    """
    figures = figures_of(results, system)
    if not figures:
        return [Finisher(None, result, 0, False) for result in results]
    order = sorted(range(len(results)), key=lambda index: -figures[index])
    side = by_sides(results)
    heads = [index for index in order if side[index] == index]
    ranks = ranks_in_order([figures[index] for index in heads]).tolist()
    rank_of = dict(zip(heads, ranks, strict=True))
    found = []
    for index in order:
        rank = rank_of[side[index]]
        level = ranks.count(rank) - 1
        found.append(Finisher(rank, results[index], level, is_winner(rank, level, len(heads))))
    return found


def is_winner(finish: int | None, level: int, size: int) -> bool:
    """Return whether a side is one of a game's winners; level: sides tied with it, size: number of sides."""
    return finish == 1 and level < size - 1


def outcome(finish: int | None, level: int) -> Outcome | None:
    """Return a player's outcome, given the finish and the number of ties; None if unknown."""
    if finish is None:
        return None
    if finish > 1:
        return "lost"
    return "drawn" if level else "won"


def figures_of(results: Sequence[Result], system: RatingSystem | None) -> list[float]:
    """Return a sort key for each line, higher is better; empty if neither scores nor places are complete."""
    places = [-float(result.place) for result in results if result.place is not None]
    scores = [result.score for result in results if result.score is not None]
    what = deciding(system, scores=len(scores) == len(results), places=len(places) == len(results))
    if what == "place":
        return places
    lowest = system is not None and system.lowest_score_wins()
    return [-score if lowest else score for score in scores] if what == "score" else []


def deciding(system: RatingSystem | None, *, scores: bool, places: bool) -> Literal["place", "score", ""]:
    """Return what decides the finish, given whether every seat has a score, and a place.

    Scores, if complete (R105); places, if the system rates by them or there are no complete scores.
    """
    if places and (not scores or places_first(system)):
        return "place"
    return "score" if scores else ""


def places_first(system: RatingSystem | None) -> bool:
    """Return whether a system rates by places even if there are scores."""
    return system is not None and system.place == "required"
