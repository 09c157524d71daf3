"""Computes the results of submitted games from their worksheets, or from the points of their sets.

Both are stored in the details of a game, one row for each seat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Problem, Refused, build_pointer
from league.core.games.services.game_input import NewGame, NewResult, check_time
from league.core.games.services.set_scores import compute_results_of_sets, match_stored_sets
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, load_rules
from league.models import Game, League, Rule
from league.models.recorded import COMPUTED_FROM, DECLARED, RESERVED, SETS, WORKSHEET
from ratings.contract.parameters import is_number
from ratings.contract.system import RatingSystem
from ratings.contract.worksheet import SAME_SCORE, WorksheetProblem, fill


def is_to_be_computed(new: NewGame) -> bool:
    """Return whether a sheet has worksheets or sets, even if misplaced."""
    return not COMPUTED_FROM.isdisjoint(new.details) or any(
        result.worksheet is not None or result.sets is not None or result.retired for result in new.results
    )


def compute_results(league: League, new: NewGame, now: datetime) -> NewGame:
    """Return the game with the results that follow from its worksheets or sets; no query if it has none.

    Raises Refused naming the seat or the set, if the league's rules reject the sheet.
    """
    if not is_to_be_computed(new):
        return new
    return compute_results_by_rule(check_time(new.played_at or now, now, load_rules(league)), new)


def compute_results_by_rule(rule: Rule, new: NewGame) -> NewGame:
    """Return the game with the results that follow from its worksheets or sets under a rule; raises Refused."""
    if not is_to_be_computed(new):
        return new
    return _compute_worksheet_scores(rule, compute_results_of_sets(rule, new))


def _compute_worksheet_scores(rule: Rule, new: NewGame) -> NewGame:
    """Return the game with scores computed from its worksheets under a rule; raises Refused with the seat."""
    if all(result.worksheet is None for result in new.results):
        return new
    system = build_rule_system(rule)
    _refuse_misplaced(new, system)
    assert system.worksheet is not None, "a misplaced worksheet was refused"
    filled = fill(
        system.worksheet, [result.worksheet for result in new.results], [result.score for result in new.results]
    )
    if isinstance(filled, list):
        raise Refused.of([_convert_worksheet_problem(problem) for problem in filled])
    results: Sequence[NewResult] = [
        replace(result, score=score, worksheet=None) for result, score in zip(new.results, filled.scores, strict=True)
    ]
    return replace(new, results=results, details={**new.details, WORKSHEET: filled.rows})


def refuse_computed_details(new: NewGame) -> None:
    """Raise Refused if worksheets, sets or declared fields are among the details, where they are only stored."""
    if RESERVED.isdisjoint(new.details):
        return
    if DECLARED in new.details:
        message = _("Declared fields belong to the member “fields” of the game or of a result.")
        raise Refused.of([Problem(build_pointer("details", DECLARED), "unknown_field", message)])
    if WORKSHEET in new.details:
        message = _("A worksheet belongs to each result, not to the details of the game.")
        raise Refused.of([Problem(build_pointer("details", WORKSHEET), "unknown_field", message)])
    message = _("Sets belong to each result, not to the details of the game.")
    raise Refused.of([Problem(build_pointer("details", SETS), "unknown_field", message)])


def _refuse_misplaced(new: NewGame, system: RatingSystem) -> None:
    """Raise Refused if the game may not have a worksheet."""
    first = next((seat for seat, result in enumerate(new.results) if result.worksheet is not None), 0)
    pointer = f"/results/{first}/worksheet"
    if new.kind not in (Game.Kind.PLAYED, Game.Kind.FRIENDLY):
        message = _("Only played games have worksheets; this one is a {kind}.").format(kind=new.kind)
        raise Refused.of([Problem(pointer, "unknown_field", message)])
    if system.worksheet is None:
        message = _("{system} has no worksheet; leave it out.").format(system=system.title)
        raise Refused.of([Problem(pointer, "unknown_field", message)])


def match_stored_results(game: Game, new: NewGame, league: League) -> NewGame:
    """If a sheet has the worksheets or sets of the stored game, return the sheet with that game's results instead.

    They are compared with the stored ones; results are not computed again. The rule in force then is used only to
    know which fields are optional. If they differ, the sheet is returned unchanged, and so differs from the game.
    """
    if not is_to_be_computed(new):
        return new
    return _match_stored_worksheets(game, match_stored_sets(game, new), league)


def _match_stored_worksheets(game: Game, new: NewGame, league: League) -> NewGame:
    if all(result.worksheet is None for result in new.results):
        return new
    rows, scores = game.worksheets, [line.score for line in sorted(game.results.all(), key=lambda line: line.seat)]
    rule = find_rule_at(load_rules(league), game.played_at)
    worksheet = build_rule_system(rule).worksheet if rule else None
    required_keys = {spec.key for spec in worksheet.required()} if worksheet else set()
    if len(rows) != len(new.results) or not all(
        _matches_stored_row(result, row, score, required_keys)
        for result, row, score in zip(new.results, rows, scores, strict=True)
    ):
        return new
    results = [replace(result, score=score, worksheet=None) for result, score in zip(new.results, scores, strict=True)]
    return replace(new, results=results, details={**new.details, WORKSHEET: rows})


def _matches_stored_row(
    sent: NewResult, row: Mapping[str, float], score: float | None, required_keys: set[str]
) -> bool:
    """Return whether one player's worksheet and score match the stored ones."""
    sent_values: dict[str, Any] = {key: value for key, value in (sent.worksheet or {}).items() if value is not None}
    if not required_keys <= sent_values.keys() <= row.keys() or not all(map(is_number, sent_values.values())):
        return False
    if sent.score is not None and (score is None or abs(sent.score - score) > SAME_SCORE):
        return False
    return all(
        abs(value - row[key]) <= (0.0 if key in required_keys else SAME_SCORE) for key, value in sent_values.items()
    )


def _convert_worksheet_problem(problem: WorksheetProblem) -> Problem:
    """Convert a worksheet's problem to a problem with a pointer into the game."""
    # Without a field the score disagrees or the worksheet is missing.
    default_path = ["score" if problem.code == "worksheet" else "worksheet"]
    path = ["worksheet", problem.field] if problem.field else default_path
    return Problem(build_pointer("results", problem.seat, *path), problem.code, problem.sentence)
