"""Experiments as jobs: asked for by organisers, made by a worker, with progress, and cancelled as any job is."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from league.apps.laboratory.services.questions import ExperimentQuestion
from league.apps.laboratory.services.run import report_now
from league.core.errors import Conflict, Refused
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, ask
from league.core.leagues.selectors.rules import rules_of
from league.core.locking import with_league_lock
from league.models import Job, League

MAX_OPEN = settings.RUNGS_LIMITS["experiments"]


def ask_experiment(league: League, question: ExperimentQuestion, *, by: str) -> Job:
    """Have a worker make an experiment; returns its job.

    Raises Refused if the league rates nothing yet, Conflict if it has enough of them under way.
    """

    def work(locked: League, now: datetime) -> Job:
        rules = rules_of(locked)
        if not rules:
            raise Refused(_("The league has no rule yet, so there are no rated games to test systems on."))
        under_way = Job.objects.filter(league=locked, kind=Job.Kind.COMPARE, state__in=OPEN).count()
        if under_way >= MAX_OPEN:
            sentence = _("{count} experiments of this league are already running; wait for one or cancel it.")
            raise Conflict(sentence.format(count=under_way))
        return ask(locked, Job.Kind.COMPARE, by=by, arguments={"question": question.counting(rules).to_json()})

    # Of several who ask at once each must see what the others have asked for. The log is told nothing.
    return with_league_lock(league.pk, work, any_clock=True)


def experiment_job(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Make the experiment of a job; its report is what comes of it."""
    return report_now(job.league, ExperimentQuestion.of_json(job.arguments["question"]), progress)
