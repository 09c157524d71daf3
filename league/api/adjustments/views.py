"""Adjustments: points that an organiser gives or takes beside the games."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.adjustments.inputs import AdjustmentInput, AdjustmentVoidInput
from league.api.adjustments.render import render_adjustment
from league.api.adjustments.schemas import AdjustmentShape
from league.api.core.base import DRY_RUN, Endpoint, paged, query
from league.api.core.idempotency import PARAMETER, is_plain_dry_run, once
from league.api.core.schemas import page_of
from league.api.dry_runs.schemas import DiffShape
from league.api.jobs.answers import answer_dry_run
from league.api.jobs.schemas import JobShape
from league.api.openapi.examples import PAGED, READ, WRITE, request_example
from league.models import Adjustment, League
from league.selectors.adjustments import adjustments_of, find_adjustment, told
from league.services.dry_runs.adjusting import preview_adjustment, preview_adjustment_void
from league.services.recording.adjusting import Points, adjust, void_adjustment

VOID_OR_DIFF = PolymorphicProxySerializer(
    "AdjustmentVoidOrDiff", serializers=[AdjustmentShape, DiffShape], resource_type_field_name=None
)


def rendered(request: Request, league: League, adjustment: Adjustment) -> dict[str, Any]:
    """Return an adjustment as it stands."""
    (found,) = told(league, [adjustment])
    return render_adjustment(request, league.slug, found)


class Adjustments(Endpoint):
    """The adjustments of a league."""

    @extend_schema(
        operation_id="list_adjustments",
        parameters=PAGED,
        responses={200: page_of(AdjustmentShape, "Adjustment"), **READ},
    )
    def get(self, request: Request, league: str) -> Response:
        """List the adjustments of a league, void ones too, the last recorded first."""
        the_league = self.league(league)
        found, following = paged(request, adjustments_of(the_league))
        lines = [render_adjustment(request, the_league.slug, one) for one in told(the_league, found)]
        return Response({"results": lines, "next": following})

    @extend_schema(
        operation_id="adjust_rating",
        request=AdjustmentInput,
        parameters=[PARAMETER, DRY_RUN],
        responses={201: AdjustmentShape, 200: DiffShape, 202: JobShape, **WRITE},
        examples=[request_example("Penalty", {"player": "pedja", "amount": -25, "reason": "Left the table."})],
    )
    def post(self, request: Request, league: str) -> HttpResponse:
        """Give a player points, or take some, with a reason; the games since are replayed. A dry run answers the diff.

        The player must have a rated game before that time: an initial rating says where somebody starts.
        """
        the_league = self.league(league, "organise")
        dry, data = is_plain_dry_run(request), self.body(AdjustmentInput)
        player, points = self.player(data["player"]), Points(data["amount"], data["reason"], data.get("at"))
        if dry:
            return answer_dry_run(request, self.viewer, preview_adjustment, the_league, player, points)

        def work() -> Response:
            body = rendered(request, the_league, adjust(the_league.pk, player, points, by=self.viewer.name))
            return Response(body, status=201, headers={"Location": body["url"]})

        return once(request, work)


class OneAdjustment(Endpoint):
    """An adjustment."""

    @extend_schema(operation_id="get_adjustment", responses={200: AdjustmentShape, **READ})
    def get(self, request: Request, league: str, number: int) -> Response:
        """Read an adjustment, and what it moved."""
        the_league = self.league(league)
        query(request, {})
        return Response(rendered(request, the_league, find_adjustment(the_league, number)))


class VoidAdjustment(Endpoint):
    """Voiding an adjustment."""

    @extend_schema(
        operation_id="void_adjustment",
        request=AdjustmentVoidInput,
        parameters=[PARAMETER, DRY_RUN],
        responses={200: VOID_OR_DIFF, 202: JobShape, **WRITE},
        examples=[request_example("Unjust", {"reason": "They had told us."})],
    )
    def post(self, request: Request, league: str, number: int) -> HttpResponse:
        """Void an adjustment: it stays readable and moves nothing more. A dry run answers the diff."""
        the_league = self.league(league, "organise")
        dry, data = is_plain_dry_run(request), self.body(AdjustmentVoidInput)
        if dry:
            given = the_league, number, data["reason"]
            return answer_dry_run(request, self.viewer, preview_adjustment_void, *given)

        def work() -> Response:
            found = void_adjustment(the_league.pk, number, reason=data["reason"], by=self.viewer.name)
            return Response(rendered(request, the_league, found))

        return once(request, work)
