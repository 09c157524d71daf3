"""The finishing order and the winners of a game. Everything that shows or counts wins uses this module.

A game's *winners* are those at the top, one or several; there are none if all are tied. A player has *won* alone at the
top, *drawn* at the top with others, and *lost* otherwise, as on a points ladder. Partners count as one: a side has one
finish.
"""

from collections.abc import Sequence
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from league.core.text.game_results import DRAW, LOSS, WIN, format_figure, format_result_of_two, split_result_of_two
from league.core.text.names import join_partners
from league.models import Result
from ratings.columns.tallies import rank_sorted_values
from ratings.contract.system import RatingSystem

Outcome = Literal["won", "drawn", "lost"]


class HasResult(Protocol):
    """A line of a game."""

    @property
    def result(self) -> Result:
        """Return the recorded result."""


class HasFigures(Protocol):
    """A score, a place, or both."""

    @property
    def score(self) -> float | None:
        """Return the score."""

    @property
    def place(self) -> int | None:
        """Return the place."""


Line = TypeVar("Line", bound=HasResult)


class GameOfTwo(NamedTuple, Generic[Line]):
    """The two sides of a game and the result in their order, "" if unknown."""

    sides: tuple[list[Line], list[Line]]
    result: str


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

    @property
    def drawn(self) -> bool:
        """Return whether the player or side shares the top."""
        return compute_outcome(self.finish, self.level) == "drawn"


def index_first_lines_of_sides(results: Sequence[Result]) -> list[int]:
    """Return for each line of a game the index of the first line of its side."""
    first: dict[int, int] = {}
    return [
        index if result.side is None else first.setdefault(result.side, index) for index, result in enumerate(results)
    ]


def list_side_scores(results: Sequence[Result]) -> list[float | None]:
    """Return the scores of a game, one per side."""
    return [
        line.score
        for index, (line, first) in enumerate(zip(results, index_first_lines_of_sides(results), strict=True))
        if index == first
    ]


def format_sides(results: Sequence[Result]) -> str:
    """Return the names by side; "" if everyone plays alone."""
    sides: dict[int, list[str]] = {}
    for index, line in zip(index_first_lines_of_sides(results), results, strict=True):
        sides.setdefault(index, []).append(line.player.name)
    if len(sides) == len(results):
        return ""
    return " – ".join(map(join_partners, sides.values()))


def group_lines_by_side(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of a game by side, in the order of first lines; a player without a side is alone."""
    sides: dict[int, list[Line]] = {}
    for line, first in zip(lines, index_first_lines_of_sides([line.result for line in lines]), strict=True):
        sides.setdefault(first, []).append(line)
    return list(sides.values())


def read_game_of_two(lines: Sequence[Line], own: Result | None = None) -> GameOfTwo[Line] | None:
    """Return the sides and the result of a game of two players or sides; None for other games.

    This is the one place that decides which side stands first, on every face: the sheet's first side (White, or the
    home team), whoever won, as in a round. ``own``: a result of the player whose page it is; their
    side stands first there.
    """
    sides = group_lines_by_side(sorted(lines, key=lambda line: line.result.seat))
    if len(sides) != 2:
        return None
    if own is not None:
        sides.sort(key=lambda side: own.pk not in [line.result.pk for line in side])
    first, second = (side[0].result for side in sides)
    result = format_result_of_two((first.score, first.place), (second.score, second.place))
    return GameOfTwo((sides[0], sides[1]), result)


def order_lines_for_tables(lines: Sequence[Line]) -> list[Line]:
    """Return lines in finishing order as a table lists them: those of a game of two as its result is written."""
    pair = read_game_of_two(lines)
    return [*pair.sides[0], *pair.sides[1]] if pair else list(lines)


def list_figures(results: Sequence[Result]) -> list[str]:
    """Return what each line of a game has: 1, ½ or 0, or the score, in a game of two; else the score or the place."""
    first = index_first_lines_of_sides(results)
    heads = [(results[head].score, results[head].place) for head in dict.fromkeys(first)]
    if len(heads) != 2:
        return [format_figure((line.score, line.place)) for line in results]
    figures = split_result_of_two(*heads)
    # A place without the other's says nothing.
    return [figures[int(head != first[0])] if figures else format_figure((results[head].score, None)) for head in first]


def list_finishers(results: Sequence[Result], system: RatingSystem | None) -> list[Finisher]:
    """Return the lines of a game, best first; in seat order if the finish is unknown.

    system: the system in force when it was played, if any; it determines whether scores or places decide.
    """
    values = list_sort_keys(results, system)
    if not values:
        return [Finisher(None, result, 0, False) for result in results]
    order = sorted(range(len(results)), key=lambda index: -values[index])
    side = index_first_lines_of_sides(results)
    heads = [index for index in order if side[index] == index]
    ranks = rank_sorted_values([values[index] for index in heads]).tolist()
    rank_of = dict(zip(heads, ranks, strict=True))
    ranked = []
    for index in order:
        rank = rank_of[side[index]]
        level = ranks.count(rank) - 1
        ranked.append(Finisher(rank, results[index], level, is_winner(rank, level, len(heads))))
    return ranked


def is_winner(finish: int | None, level: int, size: int) -> bool:
    """Return whether a side is one of a game's winners; level: sides tied with it, size: number of sides."""
    return finish == 1 and level < size - 1


def compute_outcome(finish: int | None, level: int) -> Outcome | None:
    """Return a player's outcome, given the finish and the number of ties; None if unknown."""
    if finish is None:
        return None
    if finish > 1:
        return "lost"
    return "drawn" if level else "won"


def list_sort_keys(results: Sequence[HasFigures], system: RatingSystem | None) -> list[float]:
    """Return a sort key for each line, higher is better; empty if neither scores nor places are complete."""
    places = [-float(result.place) for result in results if result.place is not None]
    scores = [result.score for result in results if result.score is not None]
    criterion = find_deciding_value(system, scores=len(scores) == len(results), places=len(places) == len(results))
    if criterion == "place":
        return places
    lowest = system is not None and system.lowest_score_wins()
    return [-score if lowest else score for score in scores] if criterion == "score" else []


def find_deciding_value(system: RatingSystem | None, *, scores: bool, places: bool) -> Literal["place", "score", ""]:
    """Return what decides the finish, given whether every seat has a score, and a place.

    Scores, if complete (R105); places, if the system rates by them or there are no complete scores.
    """
    if places and (not scores or prefers_places(system)):
        return "place"
    return "score" if scores else ""


def rates_results_alone(system: RatingSystem) -> bool:
    """Return whether who won is all that a system rates: it needs no scores, margins or game fields."""
    if system.game_fields or system.worksheet or system.score == "required":
        return False
    return bool(system.to_json().get("margin", "none") == "none")


def list_results_of_two(
    system: RatingSystem, *, by_places: bool, with_goals: bool
) -> list[tuple[str, tuple[str, str]]]:
    """Return a win, a draw if there are ties, and a loss of the first of two: as written, and what each of them has.

    ``with_goals``: the league writes goals or the like, not points of a game of two.
    """
    better, worse = ("1", "2") if by_places else ("0", "1") if system.lowest_score_wins() else ("1", "0")
    # Where only the winner counts, a draw is half a point each; where margins do or goals are written, it is 1–1.
    halves = rates_results_alone(system) and not by_places and not with_goals
    level = "0.5" if halves else "1"
    draw = DRAW if halves or by_places else "1–1"
    results = [(WIN, (better, worse)), (draw, (level, level)), (LOSS, (worse, better))]
    return [(label, pair) for label, pair in results if system.ties or pair[0] != pair[1]]


def prefers_places(system: RatingSystem | None) -> bool:
    """Return whether a system rates by places even if there are scores."""
    return system is not None and system.place == "required"
