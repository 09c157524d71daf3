"""The health of a league: what its ratings can be trusted for."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, query
from league.api.health.render import render_health
from league.api.health.schemas import HealthShape
from league.api.openapi.examples import READ, errors
from league.services.laboratory.health import health_now


class Health(Endpoint):
    """The health of a league."""

    @extend_schema(operation_id="get_health", responses={200: HealthShape, **READ, **errors(403, 422)})
    def get(self, request: Request, league: str) -> Response:
        """Tell who is connected, what games add, what seats are worth and who meets whom; for who organises the league.

        It is found from all rated games, and kept while the books stand as they do. Where no game is rated, or more
        than 150,000 were recorded, it is refused (422); while ratings are being replayed, ask again (503).
        """
        the_league = self.league(league, "organise")
        query(request, {})
        return Response(render_health(health_now(the_league)))
