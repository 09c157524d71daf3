"""Jobs: what takes its time, and how far it is."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint
from league.api.jobs.render import render_job
from league.api.jobs.schemas import EXAMPLE, JobShape
from league.api.openapi.examples import READ
from league.selectors.jobs import find_job


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
        return Response(render_job(request, found), headers=headers)
