"""Background jobs and their progress."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from league.core.dry_runs.services.diff import Diff, LeagueDiffs, serialize_diff
from league.core.dry_runs.services.run import DryRunRequest, load_job_diff, run_or_enqueue
from league.core.errors import Problem
from league.core.jobs.selectors import compute_progress, find_job, serialize_result
from league.models import Job
from league.web.api.core.base import Endpoint
from league.web.api.core.responses import build_problem_document
from league.web.api.core.schemas import ProblemShape, Shape, render_fields
from league.web.api.openapi.examples import READ


class JobShape(Shape):
    """A background job: ``progress`` from 0 to 1, then a ``result`` or a ``problem``."""

    id = s.UUIDField()
    url = s.URLField()
    league = s.CharField()
    kind = s.ChoiceField(choices=Job.Kind.choices)
    state = s.ChoiceField(choices=Job.State.choices)
    phase = s.CharField()
    progress = s.FloatField()
    result = s.DictField(allow_null=True)
    problem = ProblemShape(allow_null=True)
    asked_by = s.CharField()
    asked_at = s.DateTimeField()
    started_at = s.DateTimeField(allow_null=True)
    ended_at = s.DateTimeField(allow_null=True)


def answer_job(request: Request, job: Job) -> Response:
    """Return 202 with a job and its URL."""
    body = render_job(request, job)
    return Response(body, status=202, headers={"Location": body["url"]})


def answer_dry_run(view: Endpoint, preview: Callable[..., Diff | LeagueDiffs], *args: Any, **checks: Any) -> Response:
    """Return 200 with the effect of a change, or 202 with the job that computes it."""
    outcome = run_or_enqueue(DryRunRequest(view.viewer.name), preview, *args, **checks)
    return answer_job(view.request, outcome) if isinstance(outcome, Job) else Response(serialize_diff(outcome))


def render_job(request: Request, job: Job) -> dict[str, Any]:
    """Return a job's current state."""
    return render_fields(
        JobShape,
        job,
        id=str(job.pk),
        url=reverse("api:job", [job.pk], request=request),
        league=job.league.slug,
        progress=compute_progress(job),
        result=render_result(job),
        problem=None if job.problem is None else render_problem(job.problem),
    )


def render_result(job: Job) -> dict[str, Any] | None:
    """Return the result of a job; that of a dry run equals the 200 response to the same request."""
    diff = load_job_diff(job) if job.kind == Job.Kind.DRY_RUN else None
    return serialize_result(job) if diff is None else serialize_diff(diff)


def render_problem(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the problem document of a failed job."""
    problems = [Problem(**error) for error in stored["errors"]]
    return build_problem_document(
        stored["status"], stored["detail"], problems, code=stored["code"], title=stored["title"]
    )


class JobDetail(Endpoint):
    """One job."""

    @extend_schema(operation_id="get_job", responses={200: JobShape, **READ})
    def get(self, request: Request, job: str) -> Response:
        """Read the progress of a job; for users who may record in its league."""
        job_record = find_job(job, self.viewer)
        headers = {} if job_record.ended_at else {"Retry-After": "1"}
        return Response(render_job(request, job_record), headers=headers)
