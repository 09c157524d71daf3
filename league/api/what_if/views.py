"""A game that has not been played: what it would change."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, query
from league.api.games.inputs import GameInput
from league.api.openapi.examples import ASK, GAME, request_example
from league.api.what_if.render import render_what_if
from league.api.what_if.schemas import ProspectShape
from league.db.isolation import postgresql_snapshot
from league.services.recording.what_if import what_if

TABLE = {"played_at": "2024-03-05T19:30:00Z", "results": [{"player": "anna"}, {"player": "ben"}]}


class Preview(Endpoint):
    """What a game would change, before it is played."""

    @extend_schema(
        operation_id="preview_game",
        request=GameInput,
        responses={200: ProspectShape, **ASK},
        examples=[request_example("With its outcome", GAME), request_example("Every outcome", TABLE)],
    )
    def post(self, request: Request, league: str) -> Response:
        """Tell what a game would change; nothing is written, and a public league needs no token.

        With scores or places: that outcome, to the same bits as recording it. Without: every outcome, for
        up to four sides, a player alone being one, in systems that go by places (two: win, draw, loss; three and
        four: every order without ties, which are left out).
        """
        the_league = self.league(league)
        query(request, {})
        new = GameInput.game(self.body(GameInput), self.viewer)
        with postgresql_snapshot():
            return Response(render_what_if(what_if(the_league, new)))
