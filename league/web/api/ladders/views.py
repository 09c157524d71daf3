"""Ladders: methods, ladders, their rules, and decisions about closed periods."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.ladders.selectors.ladders import (
    find_ladder,
    load_ladder_rules,
    load_ladders,
    load_periods_awaiting_decision,
)
from league.core.ladders.services.decisions import decide_all
from league.core.ladders.services.ladders import RankingRule, change_ladder, change_ranking, create_ladder
from league.models import Ladder, LadderRule
from league.models.recorded import MAX_REASON_LENGTH
from league.web.api.core.base import Endpoint, parse_query
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import JsonTextField, StrictSerializer, build_input_field
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import build_page_shape
from league.web.api.ladders.render import (
    LadderShape,
    MethodShape,
    PeriodShape,
    RankingShape,
    render_ladder,
    render_period,
    render_ranking,
)
from league.web.api.openapi.examples import DECISION, LADDER, LIST, READ, describe_list, describe_write, request_example
from ratings.describe.methods import describe_method
from ratings.registry import UnknownMethod, get_method, load_methods


class RankingInput(StrictSerializer):
    """A ladder's ranking rule from a day on."""

    from_ = serializers.DateField(required=False, help_text="The first day of a period; defaults to all time.")
    to = serializers.DateField(required=False, help_text="The last day; only for the cadence dated.")
    method = build_input_field(LadderRule.method.field, required=True)
    cadence = build_input_field(LadderRule.cadence.field, required=True)
    parameters = serializers.DictField(required=False, default=dict)

    @staticmethod
    def ranking(data: dict[str, Any]) -> RankingRule:
        """Return the ranking rule for the services."""
        return RankingRule(data["method"], data["cadence"], data["parameters"], data.get("from"), data.get("to"))


class LadderInput(RankingInput):
    """A new ladder."""

    slug = build_input_field(Ladder.slug.field, required=True)
    title = build_input_field(Ladder.title.field, required=True)


class LadderChange(StrictSerializer):
    """The changeable fields of a ladder; its ranking is changed by a rule."""

    title = build_input_field(Ladder.title.field)
    ended_on = serializers.DateField(
        required=False, allow_null=True, help_text="No period begins on or after this day."
    )


class ReasonInput(StrictSerializer):
    """A reason, if one is required."""

    reason = JsonTextField(required=False, default="", allow_blank=True, max_length=MAX_REASON_LENGTH)


class DecisionInput(ReasonInput):
    """What to do about closed periods whose ranking has changed."""

    decision = serializers.ChoiceField(
        choices=["carry", "publish"], help_text="carry: keep the editions; publish: publish a new edition of each."
    )


class Methods(Endpoint):
    """All ladder methods."""

    open = True

    @describe_list("list_methods", MethodShape, "Method", LIST)
    def get(self, request: Request) -> Response:
        """List every way to rank a period, with its parameters, columns, rulings and examples."""
        return self.paginate(list(load_methods().values()), describe_method)


class OneMethod(Endpoint):
    """One ladder method."""

    open = True

    @extend_schema(operation_id="get_method", responses={200: MethodShape, **READ})
    def get(self, request: Request, key: str) -> Response:
        """Describe a way to rank a period."""
        parse_query(request, {})
        try:
            return Response(describe_method(get_method(key)))
        except UnknownMethod as error:
            raise ApiProblem(404, str(error.args[0])) from None


class LadderList(Endpoint):
    """The ladders of a league."""

    @describe_list("list_ladders", LadderShape, "Ladder")
    def get(self, request: Request, league: str) -> Response:
        """List the ladders of a league."""
        the_league = self.league(league)
        now = timezone.now()
        with postgresql_snapshot():
            return self.paginate(
                load_ladders(the_league), lambda ladder: render_ladder(request, the_league, ladder, now)
            )

    @describe_write("create_ladder", LadderInput, {201: LadderShape}, request_example("Month", LADDER))
    @idempotent()
    def post(self, request: Request, league: str) -> Response:
        """Create a ladder; the games played so far are ranked at once."""
        the_league = self.bare_league(league, "organise")
        data = self.body(LadderInput)
        ladder = create_ladder(
            the_league.pk, data["slug"], data["title"], LadderInput.ranking(data), username=self.viewer.name
        )
        body = render_ladder(request, the_league, ladder, timezone.now())
        return Response(body, status=201, headers={"Location": body["url"]})


class OneLadder(Endpoint):
    """A ladder."""

    @extend_schema(operation_id="get_ladder", responses={200: LadderShape, **READ})
    def get(self, request: Request, league: str, ladder: str) -> Response:
        """Read a ladder and all its rules."""
        the_league = self.bare_league(league)
        return Response(render_ladder(request, the_league, find_ladder(the_league, ladder), timezone.now()))

    @describe_write("change_ladder", LadderChange, {200: LadderShape})
    def patch(self, request: Request, league: str, ladder: str) -> Response:
        """Change the title, or end the ladder."""
        the_league = self.bare_league(league, "organise")
        change_ladder(the_league.pk, ladder, self.body(LadderChange), username=self.viewer.name)
        return Response(render_ladder(request, the_league, find_ladder(the_league, ladder), timezone.now()))


class LadderRules(Endpoint):
    """The dated rules of a ladder."""

    @describe_list("list_ladder_rules", RankingShape, "Ranking")
    def get(self, request: Request, league: str, ladder: str) -> Response:
        """List the ladder's rules, earliest first."""
        the_league = self.league(league)
        return self.paginate(list(load_ladder_rules(find_ladder(the_league, ladder))), render_ranking)

    @describe_write(
        "change_ranking",
        RankingInput,
        {201: RankingShape},
        request_example(
            "Erf from June 2005",
            {"from": "2005-06-01", "method": "erf_mean", "cadence": "month", "parameters": {"factor": "erf"}},
        ),
    )
    @idempotent()
    def post(self, request: Request, league: str, ladder: str) -> Response:
        """Change the ranking rule from a day on: the first day of a period after all published ones."""
        the_league = self.bare_league(league, "organise")
        data = self.body(RankingInput)
        rule = change_ranking(the_league.pk, ladder, RankingInput.ranking(data), username=self.viewer.name)
        return Response(render_ranking(rule), status=201)


class Decisions(Endpoint):
    """Closed periods about which the organiser has to decide."""

    @describe_list("list_decisions", PeriodShape, "AwaitingPeriod")
    def get(self, request: Request, league: str) -> Response:
        """List the closed periods whose ranking has changed, earliest first."""
        the_league = self.league(league)
        return self.paginate(
            list(load_periods_awaiting_decision(the_league)),
            lambda period: render_period(request, the_league, period.ladder, period),
        )

    @describe_write(
        "decide",
        DecisionInput,
        {200: build_page_shape(PeriodShape, "DecidedPeriod")},
        request_example("Carry", DECISION),
    )
    @idempotent()
    def post(self, request: Request, league: str) -> Response:
        """Decide about all of them at once: carry, or publish a new edition of each with a reason."""
        the_league = self.bare_league(league, "organise")
        data = self.body(DecisionInput)
        decided = decide_all(the_league.pk, data["decision"], reason=data["reason"], username=self.viewer.name)
        periods = [render_period(request, the_league, period.ladder, period) for period in decided]
        return Response({"results": periods, "next": None})
