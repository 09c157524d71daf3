"""Builds the answers about experiments."""

from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.api.jobs.render import render_problem
from league.models import Job
from league.selectors.jobs import progress_of
from league.services.laboratory.questions import Question


def address_of(request: Request, job: Job) -> str:
    """Return where an experiment is read."""
    return reverse("api:experiment", [job.league.slug, job.pk], request=request)


def render_experiment(request: Request, job: Job) -> dict[str, Any]:
    """Return an experiment as it stands, without its report."""
    question = Question.of_json(job.arguments["question"])
    candidates = [
        {"label": one.label, "system": one.system, "parameters": one.parameters, "fit": list(one.fit)}
        for one in question.candidates
    ]
    return {
        "id": str(job.pk),
        "url": address_of(request, job),
        "league": job.league.slug,
        "state": job.state,
        "phase": job.phase,
        "progress": progress_of(job),
        **question.to_json(),
        "candidates": candidates,
        "asked_at": job.asked_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "problem": None if job.problem is None else render_problem(job.problem),
    }


def render_report(request: Request, job: Job) -> dict[str, Any]:
    """Return an experiment with what came of it."""
    return {**render_experiment(request, job), "report": job.result}
