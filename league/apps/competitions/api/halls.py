"""Halls of a league: create, change, plan an evening, and call a match to a table."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from league.apps.competitions.api.base import CompetitionEndpoint
from league.apps.competitions.models import MAX_MINUTES, MAX_ROUNDS, MAX_SEATS_OF_TABLE, MAX_TABLE, Hall
from league.apps.competitions.selectors.hall_texts import describe_conflict, describe_left_out, describe_plan
from league.apps.competitions.selectors.halls import HallEvening, HallGame, find_hall, list_halls, load_evening
from league.apps.competitions.services.evenings import call_match, plan_hall
from league.apps.competitions.services.hall_checks import MAX_COMPETITIONS, MAX_ROOM_TITLE
from league.apps.competitions.services.halls import change_hall, create_hall, remove_hall
from league.models import League
from league.web.api.core.base import parse_query
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import (
    JsonTextField,
    Moment,
    StrictSerializer,
    TextListField,
    WholeNumberField,
    build_input_field,
)
from league.web.api.core.schemas import Shape, render_fields
from league.web.api.openapi.examples import READ, describe_list, describe_write, request_example
from ratings.halls.evening import EveningPlan

HALL = {"title": "Town hall", "rooms": [{"title": "Great hall", "first": 1, "last": 8}]}
EVENING = {
    "starts": "2031-03-06T18:00:00Z",
    "ends": "2031-03-06T22:00:00Z",
    "minutes": 30,
    "parts": [{"competition": "spring", "round": None}],
}
TABLE: dict[str, Any] = {"min_value": 1, "max_value": MAX_TABLE}


class RoomInput(StrictSerializer):
    """A room with its tables."""

    title = JsonTextField(max_length=MAX_ROOM_TITLE, required=False, allow_blank=True, default="")
    first = WholeNumberField(**TABLE, help_text="The number of its first table.")
    last = WholeNumberField(**TABLE, help_text="The number of its last table.")
    seats = WholeNumberField(
        min_value=0, max_value=MAX_SEATS_OF_TABLE, required=False, default=0, help_text="Of a table; 0: any number."
    )
    competitions = TextListField(
        most=MAX_COMPETITIONS, required=False, default=list, help_text="Whom it is for, by slug; empty: for all."
    )


class HallChange(StrictSerializer):
    """Changes of a hall; omitted fields are unchanged."""

    title = build_input_field(Hall._meta.get_field("title"))
    rooms = RoomInput(many=True, required=False, allow_empty=False)


class HallInput(StrictSerializer):
    """A new hall."""

    slug = build_input_field(Hall._meta.get_field("slug"), default="", help_text="Defaults to the title's letters.")
    title = build_input_field(Hall._meta.get_field("title"), required=True)
    rooms = RoomInput(many=True, allow_empty=False)


class EveningPartInput(StrictSerializer):
    """A competition of the evening."""

    competition = JsonTextField(max_length=50, help_text="Its slug.")
    round = WholeNumberField(
        min_value=1, max_value=MAX_ROUNDS, required=False, allow_null=True, default=None,
        help_text="Null: all that has no result.",
    )  # fmt: skip


class EveningInput(StrictSerializer):
    """The evening to plan; omitted fields are as before."""

    starts = Moment(required=False, source="starts_at")
    ends = Moment(required=False, source="ends_at")
    minutes = WholeNumberField(min_value=1, max_value=MAX_MINUTES, required=False, help_text="Of a match.")
    rest = WholeNumberField(
        min_value=0, max_value=MAX_MINUTES, required=False, help_text="Minutes of a person between two matches."
    )
    parts = EveningPartInput(many=True, required=False, allow_empty=False)


class CallInput(StrictSerializer):
    """A match that begins now."""

    fixture = WholeNumberField(min_value=1, max_value=2**31 - 1, help_text="The id of the fixture.")
    table = WholeNumberField(**TABLE)


class RoomShape(Shape):
    """A room with its tables."""

    title = s.CharField()
    first = s.IntegerField()
    last = s.IntegerField()
    seats = s.IntegerField(help_text="Of a table; 0: any number.")
    competitions = s.ListField(child=s.CharField(), help_text="Whom it is for; empty: for all.")


class EveningPartShape(Shape):
    """A competition of the evening."""

    competition = s.CharField()
    round = s.IntegerField(allow_null=True, help_text="Null: all that has no result.")


class HallShape(Shape):
    """A hall with its evening."""

    slug = s.CharField()
    title = s.CharField()
    league = s.CharField()
    rooms = RoomShape(many=True)
    starts = s.DateTimeField(source="starts_at", allow_null=True, help_text="Of the evening; null: none is planned.")
    ends = s.DateTimeField(source="ends_at", allow_null=True)
    minutes = s.IntegerField(help_text="Of a match.")
    rest = s.IntegerField(help_text="Minutes of a person between two matches.")
    parts = EveningPartShape(many=True)
    created_at = s.DateTimeField()
    created_by = s.CharField()
    url = s.URLField()


class HallGameShape(Shape):
    """A match of the evening."""

    fixture = s.IntegerField()
    competition = s.CharField()
    round = s.IntegerField(allow_null=True)
    names = s.CharField()
    table = s.IntegerField(allow_null=True, help_text="Null: it has no place.")
    room = s.CharField()
    starts = s.DateTimeField(allow_null=True)
    status = s.ChoiceField(choices=["played", "under_way", "waiting"])


class HallConflictShape(Shape):
    """What is wrong with the places as they stand."""

    kind = s.ChoiceField(choices=["table", "person", "rest", "unknown_table", "unsuitable"])
    fixtures = s.ListField(child=s.IntegerField())
    text = s.CharField()


class NextGameShape(Shape):
    """A match that can begin now, and its table."""

    table = s.IntegerField()
    fixture = s.IntegerField()


class LeftOutShape(Shape):
    """A match that got no place."""

    fixture = s.IntegerField()
    reason = s.ChoiceField(choices=["no_table", "person", "tables", "none_found"])
    text = s.CharField()


class EveningShape(Shape):
    """The evening as it stands."""

    hall = s.CharField()
    starts = s.DateTimeField(allow_null=True)
    ends = s.DateTimeField(allow_null=True)
    games = HallGameShape(many=True, help_text="By time and table; those without a place last.")
    conflicts = HallConflictShape(many=True)
    next = NextGameShape(many=True, help_text="During the evening: what can begin at the free tables.")


class PlannedEveningShape(EveningShape):
    """A plan that was made now."""

    last_ends = s.DateTimeField(help_text="When the last planned match ends.")
    bound = s.DateTimeField(help_text="No plan of these matches ends before.")
    text = s.CharField()
    left_out = LeftOutShape(many=True)


def _render_game(game: HallGame, evening: HallEvening) -> dict[str, Any]:
    status = "under_way" if game.is_under_way else "waiting" if game.is_open else "played"
    rooms = {table.number: table.room for table in evening.tables}
    return {
        "fixture": game.state.number,
        "competition": game.match.group,
        "round": game.state.round,
        "names": game.names,
        "table": game.booking and game.booking.table,
        "room": rooms.get(game.booking.table, "") if game.booking else "",
        "starts": game.booking and game.state.starts_at,
        "status": status,
    }


def render_evening(evening: HallEvening) -> dict[str, Any]:
    """Return the evening as it stands."""
    return {
        "hall": evening.hall.slug,
        "starts": evening.hall.starts_at,
        "ends": evening.hall.ends_at,
        "games": [_render_game(game, evening) for game in evening.games],
        "conflicts": [
            {
                "kind": one.kind,
                "fixtures": [booking.match.key for booking in one.bookings],
                "text": describe_conflict(evening, one),
            }
            for one in evening.conflicts
        ],
        "next": [{"table": table.number, "fixture": game.state.number} for table, game in evening.next_games],
    }


def render_plan(evening: HallEvening, plan: EveningPlan) -> dict[str, Any]:
    """Return an evening with the plan that was made for it."""
    return {
        **render_evening(evening),
        "last_ends": evening.find_time(plan.ends),
        "bound": evening.find_time(plan.bound),
        "text": describe_plan(evening, plan),
        "left_out": [
            {"fixture": one.match.key, "reason": one.reason, "text": describe_left_out(evening, one)}
            for one in plan.left_out
        ],
    }


class HallEndpoint(CompetitionEndpoint):
    """Base of the views of halls, which are for arbiters: places of unpublished rounds are planned, too."""

    def hall(self, league: str, slug: str) -> Hall:
        """Return a hall; raises 401, 403 or 404, and 400 for query parameters."""
        found = find_hall(self.league(league, "arbitrate"), slug)
        parse_query(self.request, {})
        return found

    def render(self, hall: Hall) -> dict[str, Any]:
        """Return a hall."""
        url = reverse("api:hall", [hall.league.slug, hall.slug], request=self.request)
        return render_fields(HallShape, hall, league=hall.league.slug, url=url)

    def show(self, league: League, slug: str, status: int = 200) -> Response:
        """Return the response for a stored hall."""
        body = self.render(find_hall(league, slug))
        return Response(body, status=status, headers={"Location": body["url"]} if status == 201 else {})


class Halls(HallEndpoint):
    """The halls of a league."""

    @describe_list("list_halls", HallShape, "Hall")
    def get(self, request: Request, league: str) -> Response:
        """List the halls; for arbiters."""
        the_league = self.league(league, "arbitrate")
        return self.paginate(list_halls(the_league).select_related("league"), self.render)

    @describe_write("create_hall", HallInput, {201: HallShape}, request_example("Eight tables", HALL))
    @idempotent()
    def post(self, request: Request, league: str) -> Response:
        """Create a hall: rooms with the numbers of their tables."""
        the_league = self.bare_league(league, "arbitrate")
        data = self.body(HallInput)
        slug = data.pop("slug")
        return self.show(the_league, create_hall(the_league.pk, slug, data, by=self.viewer.name).slug, 201)


class OneHall(HallEndpoint):
    """A hall."""

    @extend_schema(operation_id="get_hall", responses={200: HallShape, **READ})
    def get(self, request: Request, league: str, hall: str) -> Response:
        """Read a hall; for arbiters."""
        return Response(self.render(self.hall(league, hall)))

    @describe_write("change_hall", HallChange, {200: HallShape}, request_example("Name", {"title": "School"}))
    def patch(self, request: Request, league: str, hall: str) -> Response:
        """Change the name and the rooms. Planned places stay; the evening shows what no longer fits."""
        found = self.hall(league, hall)
        change_hall(found.league_id, found.slug, self.body(HallChange), by=self.viewer.name)
        return self.show(found.league, found.slug)

    @describe_write("remove_hall", None, {204: None})
    def delete(self, request: Request, league: str, hall: str) -> Response:
        """Remove a hall; its fixtures keep their tables and times."""
        found = self.hall(league, hall)
        remove_hall(found.league_id, found.slug, by=self.viewer.name)
        return Response(status=204)


class HallPlan(HallEndpoint):
    """The evening in a hall."""

    @extend_schema(operation_id="get_hall_plan", responses={200: EveningShape, **READ})
    def get(self, request: Request, league: str, hall: str) -> Response:
        """Read the evening as it stands: places, conflicts, and what comes to the free tables next."""
        return Response(render_evening(load_evening(self.hall(league, hall))))

    @describe_write("plan_hall", EveningInput, {200: PlannedEveningShape}, request_example("Evening", EVENING))
    @idempotent()
    def post(self, request: Request, league: str, hall: str) -> HttpResponse:
        """Plan the evening from now on: each match gets a table and a time; played ones and those under way stay.

        Matches that got no place are listed with the reason, and lose the place that they had.
        """
        found = self.hall(league, hall)
        plan = plan_hall(found.league_id, found.slug, self.body(EveningInput), by=self.viewer.name)
        return Response(render_plan(load_evening(find_hall(found.league, found.slug)), plan))


class HallCall(HallEndpoint):
    """A match that is called to a table."""

    @describe_write("call_match", CallInput, {200: EveningShape}, request_example("Next", {"fixture": 2, "table": 3}))
    @idempotent()
    def post(self, request: Request, league: str, hall: str) -> HttpResponse:
        """Let a waiting match begin at a table now; 409 if the table or one of the people is not free."""
        found = self.hall(league, hall)
        data = self.body(CallInput)
        call_match(found.league_id, found.slug, data["fixture"], data["table"], by=self.viewer.name)
        return Response(render_evening(load_evening(find_hall(found.league, found.slug))))
