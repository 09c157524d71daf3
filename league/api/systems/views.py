"""Rating systems."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, paged, query
from league.api.core.problems import Failed
from league.api.core.schemas import page_of
from league.api.openapi.examples import LIST, PAGED, READ
from league.api.systems.schemas import SystemShape
from ratings.describe.describing import describe
from ratings.registry import UnknownSystem, all_systems, get_system


class Systems(Endpoint):
    """All rating systems."""

    open = True

    @extend_schema(
        operation_id="list_systems",
        parameters=PAGED,
        responses={200: page_of(SystemShape, "System"), **LIST},
    )
    def get(self, request: Request) -> Response:
        """List every rating system with its parameters, fields, rulings and worked examples."""
        systems, following = paged(request, list(all_systems().values()))
        return Response({"results": [describe(system) for system in systems], "next": following})


class System(Endpoint):
    """One rating system."""

    open = True

    @extend_schema(operation_id="get_system", responses={200: SystemShape, **READ})
    def get(self, request: Request, key: str) -> Response:
        """Describe a rating system: what it is, what a sheet must hold, how the sums go."""
        query(request, {})
        try:
            return Response(describe(get_system(key)))
        except UnknownSystem as error:
            raise Failed(404, str(error.args[0])) from None
