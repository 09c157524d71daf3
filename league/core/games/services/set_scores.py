"""Computes the results of submitted games from the points of their sets, under the league's rule of sets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Problem, Refused
from league.core.games.services.game_input import NewGame, NewResult
from league.core.rules.selectors.rules import build_rule_system
from league.models import Game, Rule
from league.models.recorded import SETS
from ratings.contract.parameters import format_localized
from ratings.contract.set_scores import MatchResult, SetRule, SetsRefusal, read_sets

#: The sides of a match.
SIDES = 2
#: Seat (from 0) -> its score and place.
Values = dict[int, tuple[float | None, int | None]]


@dataclass(frozen=True)
class _Side:
    """A side of a match: its seats (from 0), the points that one of its players or all have, and whether it retired."""

    seats: list[int]
    sets: list[Any]
    retired: bool

    def build_row(self) -> dict[str, Any]:
        """Return what is stored for each seat of the side."""
        return {"sets": self.sets, "retired": True} if self.retired else {"sets": self.sets}


def has_sets(new: NewGame) -> bool:
    """Return whether a sheet has sets, even if misplaced."""
    return any(result.sets is not None or result.retired for result in new.results)


def compute_results_of_sets(rule: Rule, new: NewGame) -> NewGame:
    """Return the game with the scores, or places, that follow from its sets; raises Refused with the set."""
    if not has_sets(new):
        return new
    first = next(seat for seat, result in enumerate(new.results) if result.sets is not None or result.retired)
    if new.kind not in (Game.Kind.PLAYED, Game.Kind.FRIENDLY):
        message = _("Only played games have sets; this one is a {kind}.").format(kind=new.kind)
        raise Refused.of([Problem(f"/results/{first}/sets", "no_sets", message)])
    if not rule.sets:
        message = _("The league's rule has no sets; leave them out, or add them to the rule.")
        raise Refused.of([Problem(f"/results/{first}/sets", "no_sets", message)])
    sides = _read_sides(new.results)
    result = read_sets(SetRule.from_json(rule.sets), [side.sets for side in sides], [side.retired for side in sides])
    if isinstance(result, SetsRefusal):
        raise Refused.of([_convert_refusal(result, sides)])
    _refuse_contradiction(new.results, sides, result)
    return _fill(new, sides, _choose_values(rule, result, sides))


def match_stored_sets(game: Game, new: NewGame) -> NewGame:
    """If a sheet has the sets of the stored game, return the sheet with that game's scores and places.

    The result is not computed again: the rule may have changed. If the sets differ, so do sheet and game.
    """
    if not has_sets(new):
        return new
    try:
        sides = _read_sides(new.results)
    except Refused:
        return new
    rows = {seat: side.build_row() for side in sides for seat in side.seats}
    if [rows[seat] for seat in sorted(rows)] != game.set_rows:
        return new
    lines = sorted(game.results.all(), key=lambda line: line.seat)
    return _fill(new, sides, {seat: (line.score, line.place) for seat, line in enumerate(lines)})


def _fill(new: NewGame, sides: Sequence[_Side], values: Values) -> NewGame:
    """Return the game with these scores and places (by seat) where it has none, and its sets among the details."""
    rows = {seat: side.build_row() for side in sides for seat in side.seats}
    results = [
        replace(
            result,
            score=result.score if values[seat][0] is None else values[seat][0],
            place=values[seat][1] if result.place is None else result.place,
            sets=None,
            retired=False,
        )
        for seat, result in enumerate(new.results)
    ]
    return replace(new, results=results, details={**new.details, SETS: [rows[seat] for seat in range(len(results))]})


def _choose_values(rule: Rule, result: MatchResult, sides: Sequence[_Side]) -> Values:
    """Return the score and the place of each seat, as far as the system needs them (ruling R166)."""
    system = build_rule_system(rule)
    return {
        seat: (
            None if system.score == "unused" else float(result.won[index]),
            (1 if index == result.winner else 2) if system.place == "required" else None,
        )
        for index, side in enumerate(sides)
        for seat in side.seats
    }


def _read_sides(results: Sequence[NewResult]) -> list[_Side]:
    """Return the two sides in the order of their first seats; raises Refused."""
    seats_by_side: dict[int, list[int]] = {}
    for seat, result in enumerate(results):
        seats_by_side.setdefault(-seat if result.side is None else result.side, []).append(seat)
    if len(seats_by_side) != SIDES:
        message = _("Sets are for two sides; this game has {count}.").format(count=len(seats_by_side))
        raise Refused.of([Problem("/results", "sides", message)])
    return [_read_side(results, seats) for seats in seats_by_side.values()]


def _read_side(results: Sequence[NewResult], seats: list[int]) -> _Side:
    """Return a side; its sets may be given for one of its players or for all."""
    given = [seat for seat in seats if results[seat].sets is not None]
    for seat in given:
        if not isinstance(results[seat].sets, list):
            message = _("Seat {seat}: the sets are a list of points, such as [11, 9, 11].").format(seat=seat + 1)
            raise Refused.of([Problem(f"/results/{seat}/sets", "bad_set", message)])
        if results[seat].sets != results[given[0]].sets:
            template = _("Seats {one} and {other} are in one team and must have the same sets.")
            message = template.format(one=given[0] + 1, other=seat + 1)
            raise Refused.of([Problem(f"/results/{seat}/sets", "sets_unequal", message)])
    sets = results[given[0]].sets if given else []
    return _Side(seats, list(sets), any(results[seat].retired for seat in seats))


def _convert_refusal(refusal: SetsRefusal, sides: Sequence[_Side]) -> Problem:
    """Convert a refusal to a problem with a pointer to the set, or to the side that retired."""
    if refusal.code == "bad_retirement":
        seat = next(side.seats[0] for side in sides if side.retired)
        return Problem(f"/results/{seat}/retired", refusal.code, refusal.sentence)
    pointer = f"/results/{sides[0].seats[0]}/sets"
    if refusal.number is not None:
        pointer = f"{pointer}/{refusal.number - 1}"
    return Problem(pointer, refusal.code, refusal.sentence)


def _refuse_contradiction(results: Sequence[NewResult], sides: Sequence[_Side], result: MatchResult) -> None:
    """Raise Refused if a score or place that was sent is not what the sets say."""
    won = "–".join(map(str, result.won))
    # Scores of 1 and 0 say who won (R166).
    marks = [1 if index == result.winner else 0 for index in range(SIDES)]
    given = [(index, results[seat].score) for index, side in enumerate(sides) for seat in side.seats]
    says_who_won = all(score in (None, marks[index]) for index, score in given)
    for index, side in enumerate(sides):
        for seat in side.seats:
            score = results[seat].score
            if score is not None and score != result.won[index] and not says_who_won:
                sent = "–".join(_format_first(results, other, "score") for other in sides)
                message = _("The sets say {sets}, the scores {sent}.").format(sets=won, sent=sent)
                raise Refused.of([Problem(f"/results/{seat}/score", "contradicts_sets", message)])
    seats = [side.seats for side in sides]
    places = [next((results[seat].place for seat in own if results[seat].place is not None), None) for own in seats]
    if not _is_order(places, result.winner):
        sent = " · ".join(_format_first(results, side, "place") for side in sides)
        message = _("The sets say {sets}, the places {sent}.").format(sets=won, sent=sent)
        seat = next(seat for side in sides for seat in side.seats if results[seat].place is not None)
        raise Refused.of([Problem(f"/results/{seat}/place", "contradicts_sets", message)])


def _is_order(places: Sequence[int | None], winner: int) -> bool:
    """Return whether the places of both sides, some of which may be missing, put the winner first."""
    first, second = places[winner], places[1 - winner]
    return (first is None or first == 1) and (second is None or second > 1)


def _format_first(results: Sequence[NewResult], side: _Side, name: str) -> str:
    """Return the first score or place of a side that was sent, "?" if there is none."""
    values = (getattr(results[seat], name) for seat in side.seats)
    return next((format_localized(value) for value in values if value is not None), "?")
