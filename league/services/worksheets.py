"""Worksheets on their way in: the score is made of them, and they stand among the game's details."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from league.errors import Problem, Refused, pointer_to
from league.models import Game, League, Rule
from league.models.facts import WORKSHEET
from league.selectors.rules import rules_of, system_of
from league.services.sheets import NewGame, NewResult, check_time
from ratings.system import RatingSystem
from ratings.worksheet import WorksheetProblem, fill


def has_worksheet(new: NewGame) -> bool:
    """Tell whether a sheet comes with a worksheet, be it in its own place or not."""
    return WORKSHEET in new.details or any(result.worksheet is not None for result in new.results)


def completed(league: League, new: NewGame, now: datetime) -> NewGame:
    """Return the game with the scores that its worksheets make; asks nothing where there is none.

    Raises Refused with the seat, as the league's rules refuse a sheet.
    """
    if not has_worksheet(new):
        return new
    return made_by(check_time(new.played_at or now, now, rules_of(league)), new)


def made_by(rule: Rule, new: NewGame) -> NewGame:
    """Return the game with the scores that its worksheets make under a rule; raises Refused with the seat."""
    if not has_worksheet(new):
        return new
    refuse_misplaced(new, system_of(rule))
    return filled(new, system_of(rule))


def refuse_misplaced(new: NewGame, system: RatingSystem) -> None:
    """Raise Refused where no worksheet may stand."""
    first = next((seat for seat, result in enumerate(new.results) if result.worksheet is not None), 0)
    where = f"/results/{first}/worksheet"
    if WORKSHEET in new.details:
        sentence = "A worksheet stands in each result, not among the details of the game."
        raise Refused.of([Problem(pointer_to("details", WORKSHEET), "unknown_field", sentence)])
    if new.kind not in (Game.Kind.PLAYED, Game.Kind.FRIENDLY):
        sentence = f"Only games that were played have worksheets; this one is a {new.kind}."
        raise Refused.of([Problem(where, "unknown_field", sentence)])
    if system.worksheet is None:
        raise Refused.of([Problem(where, "unknown_field", f"{system.title} has no worksheet; leave it out.")])


def filled(new: NewGame, system: RatingSystem) -> NewGame:
    """Return the game with worksheets that have every field, and their scores."""
    assert system.worksheet is not None, "a misplaced worksheet was refused"
    found = fill(
        system.worksheet, [result.worksheet for result in new.results], [result.score for result in new.results]
    )
    if isinstance(found, list):
        raise Refused.of(problems_of(found))
    results: Sequence[NewResult] = [
        replace(result, score=score, worksheet=None) for result, score in zip(new.results, found.scores, strict=True)
    ]
    return replace(new, results=results, details={**new.details, WORKSHEET: found.rows})


def problems_of(found: Sequence[WorksheetProblem]) -> list[Problem]:
    """Translate what is wrong with worksheets to pointers into the game."""
    return [
        Problem(
            pointer_to("results", one.seat, *(["worksheet", one.field] if one.field else [where_of(one)])),
            one.code,
            one.sentence,
        )
        for one in found
    ]


def where_of(problem: WorksheetProblem) -> str:
    """Return what a problem without a field means: a score that disagrees, or a worksheet that is not there."""
    return "score" if problem.code == "worksheet" else "worksheet"
