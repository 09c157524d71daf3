"""Making experiments, by a worker or at the command line: the books are only read."""

from collections.abc import Callable, Mapping, Sequence
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
from ratings.laboratory.experiments import Candidate, LaboratoryGames, Unjudgeable, as_json, compare
from ratings.laboratory.fitting import fit_by_what_it_promises

#: Steps of which an experiment tells how many are done.
STEPS = 1000
#: About so many runs over the games take a parameter's fit.
RUNS = 24


def report_now(league: League, question: ExperimentQuestion, progress: Progress) -> dict[str, Any]:
    """Compare the systems of a question on a league's games; returns the report as JSON, and writes nothing.

    Raises Refused with a message where the games are too few, or too much alike, to judge anything.
    """
    if question.fits:
        return fitted_now(league, question, progress)
    played, candidates, tell = prepared(league, question, progress, "computing")
    skipped = question.skipped(played.games)
    try:
        report = compare(candidates, played, warm_up=skipped, draws=question.draws, progress=tell, compiled=True)
    except Unjudgeable as error:
        raise unjudged(question, error) from None
    found: dict[str, Any] = as_json(report)
    return found


def fitted_now(league: League, question: ExperimentQuestion, progress: Progress) -> dict[str, Any]:
    """Return the report of an experiment that fits parameters: all systems on the later games, and each fit.

    Fitted systems are candidates of their own, unless they are among the others already. What cannot be fitted is told
    with its reason beside the others. Raises Refused as ``report_now`` does.
    """
    played, candidates, tell = prepared(league, question, progress, "fitting")
    if isinstance(question.until, date):
        until = int(np.searchsorted(played.evenings, (question.until - EPOCH).days))
    else:
        until = int(question.until * played.games)
    warm_up = question.skipped(until)
    entrants, fits = [], []
    chosen = list(zip(candidates, question.candidates, strict=True))
    works = [RUNS * len(choice.fit) for choice in question.candidates] + [2 * len(candidates)]
    try:
        check_wish(candidates, played, until)
        for number, (candidate, choice) in enumerate(chosen):
            entrants.append(candidate)
            if choice.fit:
                options = {"parameters": choice.fit, "until": until, "warm_up": warm_up, "draws": question.draws}
                made = fit_of(candidate, played, {**options, "progress": within(tell, works, number)})
                fits.append(made)
                if made["found"] is not None:
                    system = candidate.system.from_json(made["found"]["parameters"])
                    if all(one.system != system for one in (*entrants, *candidates)):
                        entrants.append(candidate_of(system))
        step = within(tell, works, len(chosen))
        report = compare(entrants, played, warm_up=until, draws=question.draws, progress=step, compiled=True)
    except Unjudgeable as error:
        raise unjudged(question, error) from None
    return {**as_json(report), "fits": fits}


def unjudged(question: ExperimentQuestion, error: Unjudgeable) -> RungsError:
    """Return the refusal of a question that its games cannot answer, with a pointer to what chose them so."""
    warm_up = "/warm_up_games" if question.warm_up >= 1 else "/warm_up_share"
    if question.fits:  # what is fitted is judged on the games after the earlier ones
        warm_up = "/until" if isinstance(question.until, date) else "/until_share"
    span = "/from" if question.first or not question.before else "/to"
    return Refused.of([Problem(warm_up if error.of_warm_up else span, "unjudgeable", str(error.sentence))])


def within(tell: Callable[[float], None], works: Sequence[int], number: int) -> Callable[[float], None]:
    """Return what tells the progress of one of several works of such lengths."""
    before, whole = sum(works[:number]), sum(works)
    return lambda share: tell((before + share * works[number]) / whole)


def fit_of(candidate: Candidate, played: LaboratoryGames, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what came of a fit as JSON: ``found`` without its own comparison, or ``why_not`` with a message."""
    about = {"key": candidate.system.key, "label": candidate.label, "parameters": candidate.system.to_json()}
    try:
        found = as_json(fit_by_what_it_promises(candidate, played, compiled=True, **options))
    except Unjudgeable as error:
        return {**about, "why_not": as_json(error.sentence), "found": None}
    del found["report"]
    return {**about, "why_not": None, "found": found}


def prepared(
    league: League, question: ExperimentQuestion, progress: Progress, phase: str
) -> tuple[LaboratoryGames, list[Candidate], Callable[[float], None]]:
    """Return the games of a question, its systems, and what tells how far it is in what is done then."""
    progress("reading the games", 0, STEPS)
    played = read_games(league, question).played

    def tell(share: float) -> None:
        progress(phase, round(STEPS * share), STEPS)

    tell(0.0)
    return played, [candidate_of(one.built) for one in question.candidates], tell


def candidate_of(system: RatingSystem) -> Candidate:
    """Return a candidate with the name by which programs know it: what is kept is English."""
    with translation.override(settings.LANGUAGE_CODE):
        return Candidate(label_of(system), system)
