"""Making experiments, by a worker or at the command line: the books are only read."""

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.utils import translation

from league.errors import Problem, Refused
from league.models import League
from league.services.jobs.progress import Progress
from league.services.laboratory.questions import Question
from league.services.laboratory.reading import read_played
from ratings.laboratory.experiments import Candidate, Played, Report, Unjudgeable, as_json, compare
from ratings.laboratory.fitting import fit

#: Steps of which an experiment tells how many are done.
STEPS = 1000


def report_now(league: League, question: Question, progress: Progress) -> dict[str, Any]:
    """Return the report of an experiment as JSON; raises as ``make_experiment`` does."""
    found: dict[str, Any] = as_json(make_experiment(league, question, progress))
    return found


def fit_now(
    league: League, question: Question, parameters: Sequence[str], until: float, progress: Progress
) -> dict[str, Any]:
    """Return the parameters of a question's one system that foretell the league's earlier games best, as JSON.

    ``until`` is the share of the games that is the earlier span; the later one judges what was found, and the first
    fifth of the earlier one is warm-up. Raises as ``make_experiment`` does.
    """
    played, (candidate,), tell = prepared(league, question, progress)
    earlier = int(until * played.games)
    try:
        found: dict[str, Any] = as_json(
            fit(
                candidate,
                played,
                parameters=parameters,
                until=earlier,
                warm_up=earlier // 5,
                draws=question.draws,
                progress=tell,
                compiled=True,
            )
        )
    except Unjudgeable as error:
        raise Refused.of([Problem("/from", "unjudgeable", str(error.sentence))]) from None
    return found


def prepared(
    league: League, question: Question, progress: Progress
) -> tuple[Played, list[Candidate], Callable[[float], None]]:
    """Return the games of a question, its systems, and what tells how far it is."""
    progress("reading the games", 0, STEPS)
    played = read_played(league, question)

    def tell(share: float) -> None:
        progress("computing", round(STEPS * share), STEPS)

    # What is kept is English: candidates have the names by which programs know them.
    with translation.override(settings.LANGUAGE_CODE):
        candidates = [Candidate(one.label, one.built) for one in question.candidates]
    tell(0.0)
    return played, candidates, tell


def make_experiment(league: League, question: Question, progress: Progress) -> Report:
    """Compare the systems of a question on a league's games; writes nothing.

    Raises Refused with a sentence where the games are too few, or too much alike, to judge anything.
    """
    played, candidates, tell = prepared(league, question, progress)
    skipped = question.skipped(len(played.offsets) - 1)
    try:
        return compare(candidates, played, warm_up=skipped, draws=question.draws, progress=tell, compiled=True)
    except Unjudgeable as error:
        raise Refused.of([Problem("/from", "unjudgeable", str(error.sentence))]) from None
