"""Experiments as jobs: organisers request them, a worker runs them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from league.apps.laboratory.services.questions import ExperimentQuestion
from league.apps.laboratory.services.run import compute_report
from league.core.errors import Conflict, Refused
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, request_job
from league.core.locking import run_with_league_lock
from league.core.rules.selectors.rules import load_rules
from league.models import Job, League

MAX_OPEN_EXPERIMENTS = settings.RUNGS_LIMITS["experiments"]


def request_experiment(league: League, question: ExperimentQuestion, *, username: str) -> Job:
    """Request an experiment; returns its job.

    Raises Refused if the league has no rule yet, and Conflict if it already has ``MAX_OPEN_EXPERIMENTS`` open jobs.
    """

    def create_job(locked: League, now: datetime) -> Job:
        rules = load_rules(locked)
        if not rules:
            raise Refused(_("The league has no rule yet, so there are no rated games to test systems on."))
        running = Job.objects.filter(league=locked, kind=Job.Kind.COMPARE, state__in=OPEN).count()
        if running >= MAX_OPEN_EXPERIMENTS:
            message = _("{count} experiments of this league are already running; wait for one or cancel it.")
            raise Conflict(message.format(count=running))
        return request_job(
            locked, Job.Kind.COMPARE, by=username, arguments={"question": question.with_winner_of(rules).to_json()}
        )

    # The lock makes concurrent requests see each other's jobs. Nothing is logged.
    return run_with_league_lock(league.pk, create_job, any_clock=True)


def run_experiment_job(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Run the experiment of a job; returns its report."""
    return compute_report(job.league, ExperimentQuestion.from_json(job.arguments["question"]), progress)
