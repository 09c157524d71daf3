"""Ladders: methods, ladders, their rules, and what is decided about closed periods."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, paged, query
from league.api.core.problems import Failed
from league.api.core.schemas import page_of
from league.api.ladders.inputs import DecisionInput, LadderChange, LadderInput, RankingInput
from league.api.ladders.render import render_ladder, render_period, render_ranking
from league.api.ladders.schemas import LadderShape, MethodShape, PeriodShape, RankingShape
from league.api.openapi.examples import DECISION, LADDER, LIST, PAGED, READ, WRITE, request_example
from league.db.isolation import postgresql_snapshot
from league.selectors.ladders.ladders import find_ladder, ladders_of, rules_of_ladder
from league.selectors.ladders.standings import awaiting
from league.services.ladders.decisions import decide_all
from league.services.ladders.ladders import change_ladder, change_ranking, create_ladder
from ratings.describe.methods import describe_method
from ratings.registry import UnknownMethod, all_methods, get_method


class Methods(Endpoint):
    """All ladder methods."""

    open = True

    @extend_schema(
        operation_id="list_methods",
        parameters=PAGED,
        responses={200: page_of(MethodShape, "Method"), **LIST},
    )
    def get(self, request: Request) -> Response:
        """List every way to rank a period, with its parameters, columns, rulings and examples."""
        methods, following = paged(request, list(all_methods().values()))
        return Response({"results": [describe_method(method) for method in methods], "next": following})


class OneMethod(Endpoint):
    """One ladder method."""

    open = True

    @extend_schema(operation_id="get_method", responses={200: MethodShape, **READ})
    def get(self, request: Request, key: str) -> Response:
        """Describe a way to rank a period."""
        query(request, {})
        try:
            return Response(describe_method(get_method(key)))
        except UnknownMethod as error:
            raise Failed(404, str(error.args[0])) from None


class Ladders(Endpoint):
    """The ladders of a league."""

    @extend_schema(
        operation_id="list_ladders", parameters=PAGED, responses={200: page_of(LadderShape, "Ladder"), **READ}
    )
    def get(self, request: Request, league: str) -> Response:
        """List the ladders of a league."""
        the_league = self.league(league)
        now = timezone.now()
        with postgresql_snapshot():
            ladders, following = paged(request, ladders_of(the_league))
            listed = [render_ladder(request, the_league, ladder, now) for ladder in ladders]
        return Response({"results": listed, "next": following})

    @extend_schema(
        operation_id="create_ladder",
        request=LadderInput,
        responses={201: LadderShape, **WRITE},
        examples=[request_example("Month", LADDER)],
    )
    def post(self, request: Request, league: str) -> Response:
        """Make a ladder; the games played so far are ranked at once."""
        the_league = self.league(league, "organise")
        query(request, {})
        data = self.body(LadderInput)
        ladder = create_ladder(
            the_league.pk, data["slug"], data["title"], LadderInput.ranking(data), by=self.viewer.name
        )
        body = render_ladder(request, the_league, ladder, timezone.now())
        return Response(body, status=201, headers={"Location": body["url"]})


class OneLadder(Endpoint):
    """A ladder."""

    @extend_schema(operation_id="get_ladder", responses={200: LadderShape, **READ})
    def get(self, request: Request, league: str, ladder: str) -> Response:
        """Read a ladder and all its rules."""
        the_league = self.league(league)
        query(request, {})
        return Response(render_ladder(request, the_league, find_ladder(the_league, ladder), timezone.now()))

    @extend_schema(operation_id="change_ladder", request=LadderChange, responses={200: LadderShape, **WRITE})
    def patch(self, request: Request, league: str, ladder: str) -> Response:
        """Change the title, or end the ladder."""
        the_league = self.league(league, "organise")
        query(request, {})
        change_ladder(the_league.pk, ladder, self.body(LadderChange), by=self.viewer.name)
        return Response(render_ladder(request, the_league, find_ladder(the_league, ladder), timezone.now()))


class LadderRules(Endpoint):
    """The dated rules of a ladder."""

    @extend_schema(
        operation_id="list_ladder_rules", parameters=PAGED, responses={200: page_of(RankingShape, "Ranking"), **READ}
    )
    def get(self, request: Request, league: str, ladder: str) -> Response:
        """List how the ladder ranks, and since when; the earliest first."""
        the_league = self.league(league)
        rules, following = paged(request, list(rules_of_ladder(find_ladder(the_league, ladder))))
        return Response({"results": [render_ranking(rule) for rule in rules], "next": following})

    @extend_schema(
        operation_id="change_ranking",
        request=RankingInput,
        responses={201: RankingShape, **WRITE},
        examples=[
            request_example(
                "Erf from June 2005",
                {"from": "2005-06-01", "method": "erf_mean", "cadence": "month", "parameters": {"factor": "erf"}},
            )
        ],
    )
    def post(self, request: Request, league: str, ladder: str) -> Response:
        """Rank otherwise from a day on: the first day of a period, after every published one."""
        the_league = self.league(league, "organise")
        query(request, {})
        data = self.body(RankingInput)
        rule = change_ranking(the_league.pk, ladder, RankingInput.ranking(data), by=self.viewer.name)
        return Response(render_ranking(rule), status=201)


class Decisions(Endpoint):
    """Closed periods about which the organiser has to decide."""

    @extend_schema(
        operation_id="list_decisions", parameters=PAGED, responses={200: page_of(PeriodShape, "AwaitingPeriod"), **READ}
    )
    def get(self, request: Request, league: str) -> Response:
        """List the closed periods whose games say something else now, the earliest first."""
        the_league = self.league(league)
        periods, following = paged(request, list(awaiting(the_league)))
        return Response({"results": self.rendered(request, the_league, periods), "next": following})

    @extend_schema(
        operation_id="decide",
        request=DecisionInput,
        responses={200: page_of(PeriodShape, "DecidedPeriod"), **WRITE},
        examples=[request_example("Carry", DECISION)],
    )
    def post(self, request: Request, league: str) -> Response:
        """Decide about all of them at once: carry, or publish a next edition of each with a reason."""
        the_league = self.league(league, "organise")
        query(request, {})
        data = self.body(DecisionInput)
        decided = decide_all(the_league.pk, data["decision"], reason=data["reason"], by=self.viewer.name)
        return Response({"results": self.rendered(request, the_league, decided), "next": None})

    def rendered(self, request: Request, league: Any, periods: Any) -> list[dict[str, Any]]:
        """Return the periods."""
        return [render_period(request, league, period.ladder, period) for period in periods]
