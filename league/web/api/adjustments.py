"""Adjustments: points that an organiser gives or takes beside the games."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from league.core.dry_runs.services.run import preview_adjustment, preview_adjustment_void
from league.core.games.services.record import REASON_LENGTH
from league.core.leagues.selectors.adjustments import (
    AdjustmentLine,
    adjustments_of,
    find_adjustment,
    load_adjustment_lines,
)
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.text.names import HANDLE_LENGTH
from league.models import Adjustment, League
from league.models.facts import MAX_ADJUSTMENT
from league.web.api.core.base import DRY_RUN, Endpoint, is_dry_run, paged, total_of
from league.web.api.core.idempotency import keyed
from league.web.api.core.inputs import JsonNumberField, JsonTextField, Moment, StrictSerializer
from league.web.api.core.schemas import Shape, rendered
from league.web.api.dry_runs import DiffShape
from league.web.api.jobs import JobShape, answer_dry_run
from league.web.api.openapi.examples import READ, lists, request_example, writes


class AdjustmentInput(StrictSerializer):
    """Points for a player, up or down, and why."""

    player = JsonTextField(max_length=HANDLE_LENGTH, help_text="Handle or alias.")
    amount = JsonNumberField(
        min_value=-MAX_ADJUSTMENT,
        max_value=MAX_ADJUSTMENT,
        help_text="Points that the rating goes up by; below 0: down. Not 0.",
    )
    reason = JsonTextField(max_length=REASON_LENGTH)
    at = Moment(required=False, help_text="It counts before every game that was played then or later; left out: now.")


class AdjustmentVoidInput(StrictSerializer):
    """Why an adjustment is void."""

    reason = JsonTextField(max_length=REASON_LENGTH)


class AdjustmentShape(Shape):
    """Points that a player was given or lost beside the games."""

    number = s.IntegerField()
    url = s.URLField()
    player = s.CharField()
    name = s.CharField()
    at = s.DateTimeField(help_text="It counts before every game that was played then or later.")
    amount = s.FloatField()
    reason = s.CharField()
    recorded_at = s.DateTimeField()
    recorded_by = s.CharField()
    void = s.BooleanField()
    voided_at = s.DateTimeField(allow_null=True)
    voided_by = s.CharField()
    void_reason = s.CharField()
    before = s.FloatField(allow_null=True, help_text="The rating before it; null where it moves nothing.")
    after = s.FloatField(allow_null=True)


def render_adjustment(request: Request, slug: str, told: AdjustmentLine) -> dict[str, Any]:
    """Return an adjustment with what it moved."""
    one, line = told
    return rendered(
        AdjustmentShape,
        one,
        url=reverse("api:adjustment", [slug, one.number], request=request),
        player=one.player.handle,
        name=one.player.name,
        void=one.voided_at is not None,
        before=line and line.before,
        after=line and line.after,
    )


VOID_OR_DIFF = PolymorphicProxySerializer(
    "AdjustmentVoidOrDiff", serializers=[AdjustmentShape, DiffShape], resource_type_field_name=None
)


def render_stored(request: Request, league: League, adjustment: Adjustment) -> dict[str, Any]:
    """Return an adjustment as it stands."""
    (found,) = load_adjustment_lines(league, [adjustment])
    return render_adjustment(request, league.slug, found)


class Adjustments(Endpoint):
    """The adjustments of a league."""

    @lists("list_adjustments", AdjustmentShape, "Adjustment")
    def get(self, request: Request, league: str) -> Response:
        """List the adjustments of a league, void ones too, the last recorded first."""
        the_league = self.league(league)
        adjustments = adjustments_of(the_league)
        found, following = paged(request, adjustments)
        lines = [render_adjustment(request, the_league.slug, one) for one in load_adjustment_lines(the_league, found)]
        total = total_of(request, adjustments, found, following)
        return Response({"results": lines, "next": following, "total": total})

    @writes(
        "adjust_rating",
        AdjustmentInput,
        {201: AdjustmentShape, 200: DiffShape, 202: JobShape},
        request_example("Penalty", {"player": "pedja", "amount": -25, "reason": "Left the table."}),
        parameters=[DRY_RUN],
    )
    @keyed()
    def post(self, request: Request, league: str) -> HttpResponse:
        """Give a player points, or take some, with a reason; the games since are replayed. A dry run answers the diff.

        The player must have a rated game before that time: an initial rating says where somebody starts.
        """
        the_league = self.league(league, "organise")
        dry, data = is_dry_run(request), self.body(AdjustmentInput)
        player, points = self.player(data["player"]), AdjustmentData(data["amount"], data["reason"], data.get("at"))
        if dry:
            return answer_dry_run(self, preview_adjustment, the_league, player, points)

        body = render_stored(request, the_league, adjust(the_league.pk, player, points, by=self.viewer.name))
        return Response(body, status=201, headers={"Location": body["url"]})


class OneAdjustment(Endpoint):
    """An adjustment."""

    @extend_schema(operation_id="get_adjustment", responses={200: AdjustmentShape, **READ})
    def get(self, request: Request, league: str, number: int) -> Response:
        """Read an adjustment, and what it moved."""
        the_league = self.bare_league(league)
        return Response(render_stored(request, the_league, find_adjustment(the_league, number)))


class VoidAdjustment(Endpoint):
    """Voiding an adjustment."""

    @writes(
        "void_adjustment",
        AdjustmentVoidInput,
        {200: VOID_OR_DIFF, 202: JobShape},
        request_example("Unjust", {"reason": "They had told us."}),
        parameters=[DRY_RUN],
    )
    @keyed()
    def post(self, request: Request, league: str, number: int) -> HttpResponse:
        """Void an adjustment: it stays readable and moves nothing more. A dry run answers the diff."""
        the_league = self.league(league, "organise")
        dry, data = is_dry_run(request), self.body(AdjustmentVoidInput)
        if dry:
            return answer_dry_run(self, preview_adjustment_void, the_league, number, data["reason"])

        found = void_adjustment(the_league.pk, number, reason=data["reason"], by=self.viewer.name)
        return Response(render_stored(request, the_league, found))
