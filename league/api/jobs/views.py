"""Jobs: what takes its time, and how far it is."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from league.api.core.base import Endpoint
from league.api.core.problems import document
from league.api.core.schemas import ProblemShape, Shape
from league.api.openapi.examples import READ
from league.errors import Problem
from league.models import Job
from league.selectors.jobs import find_job, progress_of

NAME = "0e3f7a52-6f0d-4f1c-9d3b-5b8d2f6f9a10"
EXAMPLE = {
    "id": NAME,
    "url": f"https://rungs.example/api/v1/jobs/{NAME}/",
    "league": "preferans",
    "kind": "replay",
    "state": "running",
    "phase": "writing the history",
    "progress": 0.62,
    "result": None,
    "problem": None,
    "asked_by": "server-7",
    "asked_at": "2024-03-05T19:30:00Z",
    "started_at": "2024-03-05T19:30:01Z",
    "ended_at": None,
}


class JobShape(Shape):
    """A piece of work: ``progress`` from 0 to 1, then a ``result`` or a ``problem``."""

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


def job_shape(request: Request, job: Job) -> dict[str, Any]:
    """Return a job as it stands."""
    return {
        "id": str(job.pk),
        "url": reverse("api:job", [job.pk], request=request),
        "league": job.league.slug,
        "kind": job.kind,
        "state": job.state,
        "phase": job.phase,
        "progress": progress_of(job),
        "result": job.result,
        "problem": None if job.problem is None else problem_shape(job.problem),
        "asked_by": job.asked_by,
        "asked_at": job.asked_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
    }


def problem_shape(kept: dict[str, Any]) -> dict[str, Any]:
    """Return the problem document of a job that failed."""
    problems = [Problem(**one) for one in kept["errors"]]
    return document(kept["status"], kept["detail"], problems, code=kept["code"], title=kept["title"])


class OneJob(Endpoint):
    """One job."""

    @extend_schema(
        operation_id="get_job",
        parameters=[OpenApiParameter("job", OpenApiTypes.UUID, OpenApiParameter.PATH)],
        responses={200: JobShape, **READ},
        examples=[OpenApiExample("job", value=EXAMPLE, response_only=True)],
    )
    def get(self, request: Request, job: str) -> Response:
        """Tell how far a job is; it is for those who may record in its league."""
        found = find_job(job, self.viewer)
        headers = {} if found.ended_at else {"Retry-After": "1"}
        return Response(job_shape(request, found), headers=headers)
