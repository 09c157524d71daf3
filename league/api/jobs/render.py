"""Builds the answers about jobs."""

from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.api.core.problems import document
from league.errors import Problem
from league.models import Job
from league.selectors.jobs import progress_of, result_of
from league.services.dispatch.dry_runs import found_by
from league.services.dry_runs.diff import serialize


def render_job(request: Request, job: Job) -> dict[str, Any]:
    """Return a job as it stands."""
    return {
        "id": str(job.pk),
        "url": reverse("api:job", [job.pk], request=request),
        "league": job.league.slug,
        "kind": job.kind,
        "state": job.state,
        "phase": job.phase,
        "progress": progress_of(job),
        "result": render_result(job),
        "problem": None if job.problem is None else render_problem(job.problem),
        "asked_by": job.asked_by,
        "asked_at": job.asked_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
    }


def render_result(job: Job) -> dict[str, Any] | None:
    """Return what came of a job; of a dry run what the request would have been answered at once."""
    found = found_by(job) if job.kind == Job.Kind.DRY_RUN else None
    return result_of(job) if found is None else serialize(found)


def render_problem(kept: dict[str, Any]) -> dict[str, Any]:
    """Return the problem document of a job that failed."""
    problems = [Problem(**one) for one in kept["errors"]]
    return document(kept["status"], kept["detail"], problems, code=kept["code"], title=kept["title"])
