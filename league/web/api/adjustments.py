"""Adjustments: points that an organiser adds or deducts outside games."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from league.core.dry_runs.services.run import preview_adjustment, preview_adjustment_void
from league.core.leagues.selectors.adjustments import (
    AdjustmentLine,
    find_adjustment,
    find_adjustments,
    load_adjustment_lines,
)
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.text.names import HANDLE_LENGTH
from league.models import Adjustment, League
from league.models.facts import MAX_ADJUSTMENT
from league.models.recorded import MAX_REASON_LENGTH
from league.web.api.core.base import DRY_RUN, Endpoint, count_all, is_dry_run, paginate
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import JsonNumberField, JsonTextField, Moment, StrictSerializer, build_input_field
from league.web.api.core.schemas import Shape, render_fields
from league.web.api.dry_runs import DiffShape
from league.web.api.jobs import JobShape, answer_dry_run
from league.web.api.openapi.examples import READ, describe_list, describe_write, request_example


class AdjustmentInput(StrictSerializer):
    """Points to add to or deduct from a player, with a reason."""

    player = JsonTextField(max_length=HANDLE_LENGTH, help_text="Handle or alias.")
    amount = JsonNumberField(
        min_value=-MAX_ADJUSTMENT,
        max_value=MAX_ADJUSTMENT,
        help_text="Points added to the rating; negative to deduct. Not 0.",
    )
    reason = build_input_field(Adjustment.reason.field, required=True)
    at = Moment(required=False, help_text="Applied before games played at this time or later; defaults to now.")


class AdjustmentVoidInput(StrictSerializer):
    """The reason for voiding an adjustment."""

    reason = JsonTextField(max_length=MAX_REASON_LENGTH)


class AdjustmentShape(Shape):
    """Points added to or deducted from a player outside games."""

    number = s.IntegerField()
    url = s.URLField()
    player = s.CharField()
    name = s.CharField()
    at = s.DateTimeField(help_text="Applied before games played at this time or later.")
    amount = s.FloatField()
    reason = s.CharField()
    recorded_at = s.DateTimeField()
    recorded_by = s.CharField()
    void = s.BooleanField()
    voided_at = s.DateTimeField(allow_null=True)
    voided_by = s.CharField()
    void_reason = s.CharField()
    before = s.FloatField(allow_null=True, help_text="The rating before it; null if it has no effect.")
    after = s.FloatField(allow_null=True)


def render_adjustment(request: Request, slug: str, line: AdjustmentLine) -> dict[str, Any]:
    """Return an adjustment with its effect on the rating."""
    adjustment, effect = line
    return render_fields(
        AdjustmentShape,
        adjustment,
        url=reverse("api:adjustment", [slug, adjustment.number], request=request),
        player=adjustment.player.handle,
        name=adjustment.player.name,
        void=adjustment.voided_at is not None,
        before=effect and effect.before,
        after=effect and effect.after,
    )


VOID_OR_DIFF = PolymorphicProxySerializer(
    "AdjustmentVoidOrDiff", serializers=[AdjustmentShape, DiffShape], resource_type_field_name=None
)


def render_stored(request: Request, league: League, adjustment: Adjustment) -> dict[str, Any]:
    """Return an adjustment as it is stored."""
    (line,) = load_adjustment_lines(league, [adjustment])
    return render_adjustment(request, league.slug, line)


class Adjustments(Endpoint):
    """The adjustments of a league."""

    @describe_list("list_adjustments", AdjustmentShape, "Adjustment")
    def get(self, request: Request, league: str) -> Response:
        """List the adjustments of a league, including void ones, last recorded first."""
        the_league = self.league(league)
        adjustments = find_adjustments(the_league)
        page, following = paginate(request, adjustments)
        lines = load_adjustment_lines(the_league, page)
        results = [render_adjustment(request, the_league.slug, line) for line in lines]
        total = count_all(request, adjustments, page, following)
        return Response({"results": results, "next": following, "total": total})

    @describe_write(
        "adjust_rating",
        AdjustmentInput,
        {201: AdjustmentShape, 200: DiffShape, 202: JobShape},
        request_example("Penalty", {"player": "pedja", "amount": -25, "reason": "Left the table."}),
        parameters=[DRY_RUN],
    )
    @idempotent()
    def post(self, request: Request, league: str) -> HttpResponse:
        """Add or deduct points of a player, with a reason; later games are replayed. A dry run returns the diff.

        The player must have a rated game before that time; otherwise set an initial rating.
        """
        the_league = self.league(league, "organise")
        dry, data = is_dry_run(request), self.body(AdjustmentInput)
        player, points = self.player(data["player"]), AdjustmentData(data["amount"], data["reason"], data.get("at"))
        if dry:
            return answer_dry_run(self, preview_adjustment, the_league, player, points)

        body = render_stored(request, the_league, adjust(the_league.pk, player, points, username=self.viewer.name))
        return Response(body, status=201, headers={"Location": body["url"]})


class OneAdjustment(Endpoint):
    """An adjustment."""

    @extend_schema(operation_id="get_adjustment", responses={200: AdjustmentShape, **READ})
    def get(self, request: Request, league: str, number: int) -> Response:
        """Read an adjustment and its effect."""
        the_league = self.bare_league(league)
        return Response(render_stored(request, the_league, find_adjustment(the_league, number)))


class VoidAdjustment(Endpoint):
    """Voiding an adjustment."""

    @describe_write(
        "void_adjustment",
        AdjustmentVoidInput,
        {200: VOID_OR_DIFF, 202: JobShape},
        request_example("Unjust", {"reason": "They had told us."}),
        parameters=[DRY_RUN],
    )
    @idempotent()
    def post(self, request: Request, league: str, number: int) -> HttpResponse:
        """Void an adjustment: it stays readable and has no effect. A dry run returns the diff."""
        the_league = self.league(league, "organise")
        dry, data = is_dry_run(request), self.body(AdjustmentVoidInput)
        if dry:
            return answer_dry_run(self, preview_adjustment_void, the_league, number, data["reason"])

        adjustment = void_adjustment(the_league.pk, number, reason=data["reason"], username=self.viewer.name)
        return Response(render_stored(request, the_league, adjustment))
