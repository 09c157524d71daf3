"""Leagues and their rules."""

from dataclasses import replace
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.dry_runs.services.run import preview_rule
from league.core.errors import Problem, RungsError
from league.core.leaderboard.selectors.boards import load_league_summaries
from league.core.leagues.services.delete import delete_league
from league.core.leagues.services.leagues import adopt_rule, change_league, create_league
from league.core.leagues.services.seasons import DAY, MAX_DAYS, MIN_PULL
from league.core.permissions import Viewer, find_visible_leagues
from league.core.rules.selectors.rules import find_rule_at, load_rules
from league.models import League, Rule
from league.models.leagues import SETTINGS, build_setting_field
from league.web.api.core.base import DRY_RUN, Endpoint, count_all, is_dry_run, paginate, parse_query, refuse_token
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import Figures, JsonNumberField, StrictSerializer, build_input_field
from league.web.api.core.responses import ApiProblem
from league.web.api.dry_runs import DiffShape
from league.web.api.jobs import JobShape, answer_dry_run
from league.web.api.leagues.render import EMBLEM, LeagueShape, RuleShape, build_set_field, render_league, render_rule
from league.web.api.openapi.examples import LEAGUE, LIST, READ, describe_list, describe_write, request_example
from ratings.contract.set_scores import SetRule


class SeasonInput(StrictSerializer):
    """When seasons begin, and how far ratings then move towards the starting rating."""

    days = serializers.ListField(
        child=serializers.RegexField(DAY),
        min_length=1,
        max_length=MAX_DAYS,
        help_text="Days of the year on which a season begins: 09-01 is 1 September.",
    )
    pull = JsonNumberField(
        min_value=MIN_PULL, max_value=1, help_text="How far towards the starting rating, as a share."
    )


class SetsInput(StrictSerializer):
    """How the sets of a match count: when a set is won, and how many win the match; omitted values are the usual ones.

    For table tennis: `{"best_of": 5, "to": 11}`; badminton: `{"best_of": 3, "to": 21, "cap": 30}`; tennis with a
    super tie-break: `{"best_of": 3, "to": 6, "tie_break": 7, "last_to": 10}`.
    """

    def get_fields(self) -> dict[str, Any]:
        """Return a field for each parameter; the service checks the values."""
        return {name: build_set_field(name, required=False) for name in SetRule.parameters()}


class RuleInput(StrictSerializer):
    """A league's choice of system and parameters from a day on."""

    from_ = serializers.DateField(required=False, help_text="Defaults to all time for the first rule, else to today.")
    system = build_input_field(Rule.system.field, required=True)
    parameters = Figures(required=False, default=dict)
    season = SeasonInput(required=False, allow_null=True, default=None, help_text="If omitted or null: no seasons.")
    start = serializers.ChoiceField(
        choices=Rule.Start.values,
        default=Rule.Start.REPLAYED.value,
        help_text="Where ratings start under another system: as if all earlier games had been rated by it, or from "
        "scratch.",
    )
    sets = SetsInput(required=False, allow_null=True, default=None, help_text="If omitted or null: games have no sets.")


class EmblemInput(StrictSerializer):
    """The emblem; omitted fields are unchanged, auto is derived from the slug.

    Omit the league's own `division`, `charge` and `colour`, or give them the same values.
    """

    field = build_input_field(League.division.field)
    symbol = build_input_field(League.charge.field)
    colour = build_input_field(League.colour.field)


@extend_schema_serializer(deprecate_fields=["division", "charge"])
class LeagueChange(StrictSerializer):
    """Settings of a league."""

    emblem = EmblemInput(required=False)

    def get_fields(self) -> dict[str, Any]:
        """Insert the settings before the other fields."""
        return {**{name: build_input_field(build_setting_field(name)) for name in SETTINGS}, **super().get_fields()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Merge the emblem into the settings; refuse a setting and its emblem field with different values."""
        emblem, settings = attrs.pop("emblem", {}), dict(attrs)
        faults: dict[str, list[serializers.ErrorDetail]] = {}
        for name, value in emblem.items():
            if settings.setdefault(EMBLEM[name], value) != value:
                message = f"contradicts {EMBLEM[name]}; leave {EMBLEM[name]} out."
                faults[name] = [serializers.ErrorDetail(message, "contradiction")]
        if faults:
            raise serializers.ValidationError({"emblem": faults})
        return settings


class LeagueInput(LeagueChange):
    """A new league, with its first rule if wanted."""

    slug = build_input_field(League.slug.field, required=True)
    title = build_input_field(League.title.field, required=True)
    rule = RuleInput(required=False)


class LeagueList(Endpoint):
    """The leagues of the site."""

    def is_public(self) -> bool:
        """Return whether the request is anonymous: other clients may also see private leagues."""
        return not self.viewer.name

    @describe_list("list_leagues", LeagueShape, "League", LIST)
    def get(self, request: Request) -> Response:
        """List the leagues that you can see."""
        with postgresql_snapshot():
            all_leagues = find_visible_leagues(self.viewer)
            leagues, following = paginate(request, all_leagues)
            total = count_all(request, all_leagues, leagues, following)
            summaries = load_league_summaries(leagues, timezone.now())
        results = [render_league(request, entry["league"], entry["rule"]) for entry in summaries]
        return Response({"results": results, "next": following, "total": total})

    @describe_write("create_league", LeagueInput, {201: LeagueShape}, request_example("Preferans", LEAGUE))
    @idempotent()
    def post(self, request: Request) -> Response:
        """Create a league, with its first rule if you name one; you become its owner."""
        viewer = self.founder()
        parse_query(request, {})
        data = self.body(LeagueInput)
        rule = data.pop("rule", {})
        try:
            league = create_league(
                data.pop("slug"),
                data.pop("title"),
                settings=data,
                system=rule.get("system"),
                parameters=rule.get("parameters"),
                from_date=rule.get("from"),
                season=rule.get("season"),
                set_rule=rule.get("sets"),
                by=viewer.name,
                owner=viewer.user,
            )
        except RungsError as error:
            raise type(error)(error.detail, [_move_under_rule(problem) for problem in error.problems]) from None
        body = render_league(request, league, find_rule_at(load_rules(league), timezone.now()))
        return Response(body, status=201, headers={"Location": body["url"]})

    def founder(self) -> Viewer:
        """Return the viewer; raises 401 or 403 if they may not create leagues."""
        if self.viewer.may_found():
            return self.viewer
        self.demand("organise")
        raise ApiProblem(403, f"Only the site's staff can create leagues; “{self.viewer.name}” cannot.")


def _move_under_rule(problem: Problem) -> Problem:
    """Return a problem of a rule with its pointer moved under ``/rule``."""
    inside = problem.pointer.startswith(tuple(f"/{name}" for name in RuleInput().fields))
    return replace(problem, pointer=f"/rule{problem.pointer}") if inside else problem


class LeagueDetail(Endpoint):
    """A league."""

    @extend_schema(operation_id="get_league", responses={200: LeagueShape, **READ})
    def get(self, request: Request, league: str) -> Response:
        """Read a league and the rule in force."""
        the_league = self.bare_league(league)
        return Response(render_league(request, the_league, find_rule_at(load_rules(the_league), timezone.now())))

    @describe_write("change_league", LeagueChange, {200: LeagueShape})
    def patch(self, request: Request, league: str) -> Response:
        """Change settings of a league; rules have their own endpoint.

        Changing the visibility needs an owner's session; a token gets 403.
        """
        the_league = self.bare_league(league, "own")
        changes = self.body(LeagueChange)
        if changes.get("visibility", the_league.visibility) != the_league.visibility:
            refuse_token(request, "Only an owner who is signed in can change who sees a league; a token cannot.")
        changed = change_league(the_league.pk, changes, username=self.viewer.name)
        return Response(render_league(request, changed, find_rule_at(load_rules(changed), timezone.now())))

    @describe_write("delete_league", None, {204: None})
    def delete(self, request: Request, league: str) -> Response:
        """Delete a league created by mistake; 422 if it has games or other data about players.

        Its settings, rules, ladders, members and log are deleted too; the slug can be used again.
        """
        the_league = self.bare_league(league, "own")
        delete_league(the_league.pk, username=self.viewer.name, user=self.viewer.user)
        return Response(status=204)


class Rules(Endpoint):
    """The dated rules of a league."""

    @describe_list("list_rules", RuleShape, "Rule")
    def get(self, request: Request, league: str) -> Response:
        """List the rules, earliest first."""
        the_league = self.league(league)
        return self.paginate(load_rules(the_league), render_rule)

    @describe_write(
        "adopt_rule",
        RuleInput,
        {201: RuleShape, 200: DiffShape, 202: JobShape},
        request_example("Barbu", {"from": "2013-01-01", "system": "barbu", "parameters": {}}),
        parameters=[DRY_RUN],
    )
    @idempotent()
    def post(self, request: Request, league: str) -> Response:
        """Adopt a rule from a day on; the games since then are replayed. A dry run returns the diff.

        If the `system` differs from the previous rule's, `start` determines the initial ratings. Nothing before that
        day changes. A dry run for a future day returns the diff as if it were that day.
        """
        the_league = self.league(league, "organise")
        dry = is_dry_run(request)
        data = self.body(RuleInput)
        choice = data["system"], data["parameters"], data.get("from"), data["season"], data["start"], data["sets"]
        if dry:
            return answer_dry_run(self, preview_rule, the_league, *choice)
        rule = adopt_rule(the_league.pk, *choice, username=self.viewer.name)
        return Response(render_rule(rule), status=201)
