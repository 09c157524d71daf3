"""What a request answers that a worker takes over, and a dry run, which may be one."""

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from league.api.jobs.render import render_job
from league.models import Job
from league.selectors.permissions import Viewer
from league.services.dispatch.dry_runs import Asker, try_out
from league.services.dry_runs.diff import Diff, LeagueDiffs, serialize


def answer_job(request: Request, job: Job) -> Response:
    """Return 202 with a job and its address."""
    body = render_job(request, job)
    return Response(body, status=202, headers={"Location": body["url"]})


def answer_dry_run(
    request: Request, viewer: Viewer, preview: Callable[..., Diff | LeagueDiffs], *given: Any, **checks: Any
) -> Response:
    """Return 200 with what a change would do, or 202 with the job that works it out."""
    found = try_out(Asker(viewer.name), preview, *given, **checks)
    return answer_job(request, found) if isinstance(found, Job) else Response(serialize(found))
