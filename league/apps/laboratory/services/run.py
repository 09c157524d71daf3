"""Running experiments, in a worker or on the command line. They only read the league's data."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import numpy as np
from django.conf import settings
from django.utils import translation

from league.apps.laboratory.services.questions import ExperimentQuestion
from league.apps.laboratory.services.read_games import read_games
from league.core.errors import Problem, Refused, RungsError
from league.core.jobs.services.progress import Progress
from league.core.replay.services.played_games import EPOCH
from league.models import League
from ratings.contract.system import RatingSystem
from ratings.describe.values import label_of
from ratings.laboratory.checking import check_wish
from ratings.laboratory.experiments import Candidate, LaboratoryGames, Unjudgeable, compare, serialize_report
from ratings.laboratory.fitting import fit_by_what_it_promises

#: Total number of steps in the reported progress.
PROGRESS_STEPS = 1000
#: Approximate number of runs over the games that fitting a parameter takes.
RUNS_PER_FITTED_PARAMETER = 24


def compute_report(league: League, question: ExperimentQuestion, progress: Progress) -> dict[str, Any]:
    """Compare the systems of a question on a league's games; returns the report as JSON.

    Raises Refused if the games are too few, or too similar, to evaluate the systems.
    """
    if question.fits_parameters:
        return _compute_fitted_report(league, question, progress)
    lab_games, candidates, report_progress = _prepare(league, question, progress, "computing")
    warm_up = question.count_warm_up_games(lab_games.games)
    try:
        report = compare(
            candidates, lab_games, warm_up=warm_up, draws=question.draws, progress=report_progress, compiled=True
        )
    except Unjudgeable as error:
        raise _build_refusal(question, error) from None
    serialized: dict[str, Any] = serialize_report(report)
    return serialized


def _compute_fitted_report(league: League, question: ExperimentQuestion, progress: Progress) -> dict[str, Any]:
    """Return the report of an experiment that fits parameters: all systems on the later games, and each fit.

    Fitted systems are added as candidates unless they are among them already. If a system cannot be fitted, the report
    has the reason. Raises Refused as ``compute_report`` does.
    """
    lab_games, candidates, report_progress = _prepare(league, question, progress, "fitting")
    if isinstance(question.until, date):
        earlier_games = int(np.searchsorted(lab_games.evenings, (question.until - EPOCH).days))
    else:
        earlier_games = int(question.until * lab_games.games)
    warm_up = question.count_warm_up_games(earlier_games)
    compared, fits = [], []
    pairs = list(zip(candidates, question.candidates, strict=True))
    workloads = [RUNS_PER_FITTED_PARAMETER * len(choice.fit) for choice in question.candidates] + [2 * len(candidates)]
    try:
        check_wish(candidates, lab_games, earlier_games)
        for number, (candidate, choice) in enumerate(pairs):
            compared.append(candidate)
            if choice.fit:
                fit = _fit_candidate(
                    candidate,
                    lab_games,
                    parameters=choice.fit,
                    until=earlier_games,
                    warm_up=warm_up,
                    draws=question.draws,
                    progress=_scale_progress(report_progress, workloads, number),
                )
                fits.append(fit)
                if fit["found"] is not None:
                    system = candidate.system.from_json(fit["found"]["parameters"])
                    if all(other.system != system for other in (*compared, *candidates)):
                        compared.append(_build_candidate(system))
        report_share = _scale_progress(report_progress, workloads, len(pairs))
        report = compare(
            compared, lab_games, warm_up=earlier_games, draws=question.draws, progress=report_share, compiled=True
        )
    except Unjudgeable as error:
        raise _build_refusal(question, error) from None
    return {**serialize_report(report), "fits": fits}


def _build_refusal(question: ExperimentQuestion, error: Unjudgeable) -> RungsError:
    warm_up = "/warm_up_games" if question.warm_up >= 1 else "/warm_up_share"
    if question.fits_parameters:  # fitted systems are evaluated on the games after the earlier ones
        warm_up = "/until" if isinstance(question.until, date) else "/until_share"
    span = "/from" if question.first or not question.before else "/to"
    return Refused.of([Problem(warm_up if error.of_warm_up else span, "unjudgeable", str(error.sentence))])


def _scale_progress(report: Callable[[float], None], workloads: Sequence[int], number: int) -> Callable[[float], None]:
    """Return a function that reports the progress of one workload as a share of all workloads."""
    completed, total = sum(workloads[:number]), sum(workloads)
    return lambda share: report((completed + share * workloads[number]) / total)


def _fit_candidate(candidate: Candidate, lab_games: LaboratoryGames, **options: Any) -> dict[str, Any]:
    description = {"key": candidate.system.key, "label": candidate.label, "parameters": candidate.system.to_json()}
    try:
        fit = serialize_report(fit_by_what_it_promises(candidate, lab_games, compiled=True, **options))
    except Unjudgeable as error:
        return {**description, "why_not": serialize_report(error.sentence), "found": None}
    del fit["report"]
    return {**description, "why_not": None, "found": fit}


def _prepare(
    league: League, question: ExperimentQuestion, progress: Progress, phase: str
) -> tuple[LaboratoryGames, list[Candidate], Callable[[float], None]]:
    progress("reading the games", 0, PROGRESS_STEPS)
    lab_games = read_games(league, question).played

    def report_share(share: float) -> None:
        progress(phase, round(PROGRESS_STEPS * share), PROGRESS_STEPS)

    report_share(0.0)
    return lab_games, [_build_candidate(candidate.rating_system) for candidate in question.candidates], report_share


def _build_candidate(system: RatingSystem) -> Candidate:
    with translation.override(settings.LANGUAGE_CODE):  # reports are stored in English
        return Candidate(label_of(system), system)
