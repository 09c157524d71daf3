"""Incoming worksheets: the score is computed from them, and they are stored in the game's details."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Problem, Refused, pointer_to
from league.core.games.services.game_input import NewGame, NewResult, check_time
from league.core.leagues.selectors.rules import rule_at, rules_of, system_of
from league.models import Game, League, Rule
from league.models.facts import WORKSHEET
from ratings.contract.parameters import is_number
from ratings.contract.system import RatingSystem
from ratings.contract.worksheet import SAME_SCORE, WorksheetProblem, fill


def has_worksheet(new: NewGame) -> bool:
    """Return whether a sheet has a worksheet, even if misplaced."""
    return WORKSHEET in new.details or any(result.worksheet is not None for result in new.results)


def with_worksheet_scores(league: League, new: NewGame, now: datetime) -> NewGame:
    """Return the game with scores computed from its worksheets; no query if it has none.

    Raises Refused naming the seat, if the league's rules reject the sheet.
    """
    if not has_worksheet(new):
        return new
    return with_scores_under(check_time(new.played_at or now, now, rules_of(league)), new)


def with_scores_under(rule: Rule, new: NewGame) -> NewGame:
    """Return the game with scores computed from its worksheets under a rule; raises Refused with the seat."""
    if not has_worksheet(new):
        return new
    system = system_of(rule)
    refuse_misplaced(new, system)
    assert system.worksheet is not None, "a misplaced worksheet was refused"
    found = fill(
        system.worksheet, [result.worksheet for result in new.results], [result.score for result in new.results]
    )
    if isinstance(found, list):
        raise Refused.of([problem_of(one) for one in found])
    results: Sequence[NewResult] = [
        replace(result, score=score, worksheet=None) for result, score in zip(new.results, found.scores, strict=True)
    ]
    return replace(new, results=results, details={**new.details, WORKSHEET: found.rows})


def refuse_worksheet_in_details(new: NewGame) -> None:
    """Raise Refused if a worksheet is among the details, where it is stored but may not be submitted."""
    if WORKSHEET in new.details:
        sentence = _("A worksheet belongs to each result, not to the details of the game.")
        raise Refused.of([Problem(pointer_to("details", WORKSHEET), "unknown_field", sentence)])


def refuse_misplaced(new: NewGame, system: RatingSystem) -> None:
    """Raise Refused if the game may not have a worksheet."""
    refuse_worksheet_in_details(new)
    first = next((seat for seat, result in enumerate(new.results) if result.worksheet is not None), 0)
    where = f"/results/{first}/worksheet"
    if new.kind not in (Game.Kind.PLAYED, Game.Kind.FRIENDLY):
        sentence = _("Only played games have worksheets; this one is a {kind}.").format(kind=new.kind)
        raise Refused.of([Problem(where, "unknown_field", sentence)])
    if system.worksheet is None:
        sentence = _("{system} has no worksheet; leave it out.").format(system=system.title)
        raise Refused.of([Problem(where, "unknown_field", sentence)])


def matched_to_stored(game: Game, new: NewGame, league: League) -> NewGame:
    """If a sheet has the worksheets of the stored game, return the sheet with that game's scores instead.

    They are compared with the stored worksheets; the score is not recomputed. The rule in force then is used only to
    know which fields are optional. If they differ, the sheet is returned unchanged, and so differs from the game.
    """
    if not has_worksheet(new):
        return new
    rows, scores = game.worksheets, [line.score for line in sorted(game.results.all(), key=lambda line: line.seat)]
    rule = rule_at(rules_of(league), game.played_at)
    worksheet = system_of(rule).worksheet if rule else None
    wanted = {spec.key for spec in worksheet.required()} if worksheet else set()
    if len(rows) != len(new.results) or not all(
        same_row(result, row, score, wanted) for result, row, score in zip(new.results, rows, scores, strict=True)
    ):
        return new
    results = [replace(result, score=score, worksheet=None) for result, score in zip(new.results, scores, strict=True)]
    return replace(new, results=results, details={**new.details, WORKSHEET: rows})


def same_row(sent: NewResult, row: Mapping[str, float], score: float | None, wanted: set[str]) -> bool:
    """Return whether one player's worksheet and score match the stored ones."""
    given: dict[str, Any] = {key: value for key, value in (sent.worksheet or {}).items() if value is not None}
    if not wanted <= given.keys() <= row.keys() or not all(map(is_number, given.values())):
        return False
    if sent.score is not None and (score is None or abs(sent.score - score) > SAME_SCORE):
        return False
    return all(abs(value - row[key]) <= (0.0 if key in wanted else SAME_SCORE) for key, value in given.items())


def problem_of(found: WorksheetProblem) -> Problem:
    """Convert a worksheet's problem to a problem with a pointer into the game."""
    # Without a field the score disagrees or the worksheet is missing.
    whole = ["score" if found.code == "worksheet" else "worksheet"]
    where = ["worksheet", found.field] if found.field else whole
    return Problem(pointer_to("results", found.seat, *where), found.code, found.sentence)
