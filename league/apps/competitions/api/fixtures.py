"""Fixtures of a competition: list, change, add, and their results."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers as s
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import (
    ENTRY_NUMBER,
    IF_MATCH,
    ROUND_NUMBER,
    CompetitionEndpoint,
    build_confirm_field,
)
from league.apps.competitions.api.brackets import STAGES, BracketSeatShape, render_seats
from league.apps.competitions.api.shapes import FIXTURE_STATUSES, FixtureRenderer, FixtureShape
from league.apps.competitions.files.fixture_plan import FixturePlan, get_outside_name
from league.apps.competitions.models import MAX_NUMBER, MAX_ROUNDS, MAX_SIDE, MAX_SQUAD, Competition, Fixture
from league.apps.competitions.selectors.brackets import list_matches_to_come
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competition
from league.apps.competitions.selectors.exporting import REPORTED
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import EnteredResult, enter_forfeit, enter_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.apps.competitions.services.team_matches import BoardResult, enter_match
from league.core.errors import NotFound
from league.core.games.services.record import RecordedGame
from league.models.facts import MAX_SEATS
from league.models.recorded import MAX_REASON_LENGTH
from league.web.api.core.base import (
    make_choice_parser,
    make_cursor_parser,
    paginate_by_offset,
    parse_integer,
    parse_limit,
    parse_query,
)
from league.web.api.core.idempotency import idempotent, run_once
from league.web.api.core.inputs import (
    Flag,
    JsonNumberField,
    JsonTextField,
    StrictSerializer,
    WholeNumberField,
    build_input_field,
)
from league.web.api.core.responses import compute_etag
from league.web.api.core.schemas import Shape, build_page_shape
from league.web.api.games.serializers import (
    GameInput,
    GameShape,
    ResultInput,
    SheetInput,
)
from league.web.api.games.views import answer_recorded, read_game
from league.web.api.openapi.examples import (
    READ,
    build_error_responses,
    build_paging_parameters,
    build_query_parameter,
    describe_write,
    request_example,
)

MAX_NEW = 1000
ENTRIES = "Numbers of the entries in seat order; the first has White."


def _build_entries_field(**options: Any) -> s.ListField:
    number = WholeNumberField(min_value=1, max_value=MAX_NUMBER)
    return s.ListField(child=number, min_length=1, max_length=MAX_SEATS, help_text=ENTRIES, **options)


def _build_plan_fields(*, with_defaults: bool = False) -> dict[str, s.Field[Any, Any, Any, Any]]:
    """Return the fields that people plan; without ``with_defaults``, omitted ones are missing from the data."""
    fields = {}
    for name, default in FixturePlan().__dict__.items():
        field = build_input_field(Fixture._meta.get_field(name), default=default if with_defaults else empty)
        field.source = None if get_outside_name(name) == name else name
        fields[get_outside_name(name)] = field
    return fields


class FixtureChange(StrictSerializer):
    """Changes of a fixture; omitted fields are unchanged. Once it was played, only times, venue and points change."""

    entries = _build_entries_field(required=False)
    status = s.ChoiceField(choices=["planned", "cancelled"], required=False)
    points = s.ListField(
        child=JsonNumberField(allow_null=True),
        min_length=1,
        max_length=MAX_SEATS,
        required=False,
        help_text="The points that the arbiter decides, in seat order; null: as the result has them.",
    )
    adjourned = Flag(required=False, help_text="It has begun and ends another day: until then a draw for the pairing.")
    reported = s.ChoiceField(
        choices=["", *REPORTED], required=False, help_text="Another result in the tournament report alone; empty: none."
    )
    reason = JsonTextField(max_length=MAX_REASON_LENGTH, required=False, allow_blank=True, default="")
    confirm = build_confirm_field()

    def get_fields(self) -> dict[str, Any]:
        """Return the fields, with those of the plan after the entries."""
        fields = super().get_fields()
        return {"entries": fields.pop("entries"), **_build_plan_fields(), **fields}


class FixtureInput(StrictSerializer):
    """A new fixture."""

    entries = _build_entries_field()
    round = WholeNumberField(min_value=1, max_value=MAX_ROUNDS, required=False, allow_null=True, default=None)
    kind = s.ChoiceField(choices=Fixture.Kind.choices, required=False, default=Fixture.Kind.GAME.value)

    def get_fields(self) -> dict[str, Any]:
        """Return the fields, with those of the plan."""
        return {**super().get_fields(), **_build_plan_fields(with_defaults=True)}


class NewFixtureInput(FixtureInput):
    """One new fixture; or several in `fixtures`."""

    confirm = build_confirm_field()


class FixturesInput(StrictSerializer):
    """Several fixtures; all are added, or none."""

    fixtures = FixtureInput(many=True, allow_empty=False)
    confirm = build_confirm_field()

    def run_validation(self, data: Any = empty) -> Any:
        """Check the number of fixtures before validating each."""
        lines = data.get("fixtures") if isinstance(data, dict) else None
        if isinstance(lines, list) and len(lines) > MAX_NEW:
            message = f"has at most {MAX_NEW:,} items; {len(lines):,} were sent."
            raise s.ValidationError({"fixtures": [s.ErrorDetail(message, "too_many")]})
        return super().run_validation(data)


class ComingMatchShape(Shape):
    """A match of a bracket whose fixtures do not exist yet."""

    match = s.IntegerField(help_text="Its number in the bracket, in the order of play; it stays.")
    stage = s.ChoiceField(choices=STAGES)
    round = s.IntegerField()
    seats = BracketSeatShape(many=True, help_text="From top to bottom.")


FIXTURES = build_page_shape(
    FixtureShape,
    "Fixture",
    awaited=ComingMatchShape(
        many=True,
        help_text="On the last page: the matches of a running bracket that are not paired yet. They have no fixture.",
    ),
)


class AddedFixturesShape(Shape):
    """The fixtures that were added, in the order sent."""

    fixtures = FixtureShape(many=True)


NEW_FIXTURES = PolymorphicProxySerializer(
    "NewFixtures", serializers=[NewFixtureInput, FixturesInput], resource_type_field_name=None
)
ADDED_FIXTURES = PolymorphicProxySerializer(
    "AddedFixtures", serializers=[FixtureShape, AddedFixturesShape], resource_type_field_name=None
)


class SeatResultInput(ResultInput):
    """The result of a seat."""

    def get_fields(self) -> dict[str, Any]:
        """Leave out what the fixture decides."""
        return {name: field for name, field in super().get_fields().items() if name not in ("player", "side")}


class FixtureResultInput(GameInput):
    """A game without its players: the results are in seat order."""

    results = SeatResultInput(many=True, allow_empty=False, help_text="In seat order.")
    confirm = build_confirm_field()

    def get_fields(self) -> dict[str, Any]:
        """Leave out what the fixture decides."""
        decided = ("kind", "create_players", "players", "fixture")
        return {name: field for name, field in super().get_fields().items() if name not in decided}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Complete the fields of a game; the service sets the players."""
        results = [{"player": "", "side": None, **line} for line in attrs["results"]]
        decided: dict[str, Any] = {"kind": "played", "fixture": None, "create_players": False, "players": []}
        return {**attrs, **decided, "results": results}


class FixtureForfeitInput(SheetInput):
    """A forfeit: who loses without play, and why."""

    forfeit = s.ListField(
        child=WholeNumberField(min_value=1, max_value=MAX_NUMBER),
        min_length=1,
        max_length=MAX_SEATS,
        help_text="Numbers of the entries that lose; all: nobody wins.",
    )
    reason = s.ChoiceField(choices=Fixture.Reason.choices)


RESULT = PolymorphicProxySerializer(
    "FixtureOutcome", serializers=[FixtureResultInput, FixtureForfeitInput], resource_type_field_name=None
)


class FixtureEndpoint(CompetitionEndpoint):
    """Base of the views of fixtures."""

    def find(self, competition: Competition, number: int) -> tuple[LoadedCompetition, FixtureState]:
        """Return a fixture that the viewer may see; raises NotFound."""
        loaded = self.load(competition)
        fixture = loaded.find_fixture(number)
        if fixture is None:
            message = _("The competition {title} has no fixture {number}.")
            raise NotFound(message.format(title=competition.title, number=number))
        return loaded, fixture

    def read(self, competition: Competition, number: int) -> dict[str, Any]:
        """Return a stored fixture as it is rendered."""
        loaded, fixture = self.find(competition, number)
        return FixtureRenderer(self.request, loaded).render(fixture)

    def answer_noted(self, competition: Competition, number: int) -> Response:
        """Return the response for a result that does not count yet."""
        return Response(self.read(competition, number), status=202)


class Fixtures(FixtureEndpoint):
    """The fixtures of a competition."""

    @extend_schema(
        operation_id="list_fixtures",
        parameters=[
            build_query_parameter("round", ROUND_NUMBER, "Only fixtures of this round."),
            build_query_parameter("entry", ENTRY_NUMBER, "Only fixtures of this entry."),
            build_query_parameter("status", str, "Only fixtures of this status.", enum=FIXTURE_STATUSES),
            *build_paging_parameters("Fixtures"),
        ],
        responses={200: FIXTURES, **READ},
    )
    def get(self, request: Request, league: str, competition: str) -> Response:
        """List the fixtures by round and table, then those without a round.

        Of a knock-out or double elimination, `awaited` has the matches to come, with "winner of" and "loser of" as
        seats. They get fixtures, with numbers of the league, when their round is paired.
        """
        found = self.competition(league, competition)
        parsers = {
            "round": lambda text: parse_integer(text, 1, MAX_ROUNDS),
            "entry": lambda text: parse_integer(text, 1, MAX_NUMBER),
            "status": make_choice_parser(*FIXTURE_STATUSES),
            "limit": parse_limit,
            "cursor": make_cursor_parser(int),
        }
        query: dict[str, Any] = parse_query(request, parsers)
        loaded = self.load(found)
        fixtures = [
            fixture
            for fixture in loaded.fixtures
            if query.get("round") in (None, fixture.round)
            and query.get("status") in (None, fixture.status)
            and ("entry" not in query or query["entry"] in fixture.entries)
        ]
        page, following = paginate_by_offset(request, fixtures, query)
        renderer = FixtureRenderer(request, loaded)
        awaited = [] if following or query.get("status", "planned") != "planned" else list_matches_to_come(loaded)
        return Response(
            {
                "results": [renderer.render(fixture) for fixture in page],
                "next": following,
                "awaited": [
                    {"match": one.number, "stage": one.stage, "round": one.round, "seats": render_seats(one)}
                    for one in awaited
                    if query.get("round") in (None, one.round)
                    and ("entry" not in query or query["entry"] in one.match.entries)
                ],
            }
        )

    @describe_write(
        "add_fixtures",
        NEW_FIXTURES,
        {201: ADDED_FIXTURES},
        request_example("One", {"entries": [1, 2, 3], "deadline": "2024-04-30T22:00:00Z"}),
        request_example("Several", {"fixtures": [{"entries": [1, 2, 3]}, {"entries": [2, 3, 1]}]}),
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Add one fixture, or several in `fixtures`: all or none. The body may also be a JSON array of fixtures."""
        found = self.bare_competition(league, competition, "arbitrate")
        sent: Any = request.data
        several = isinstance(sent, list) or (isinstance(sent, dict) and "fixtures" in sent)
        if isinstance(sent, list):
            data = FixturesInput().run_validation({"fixtures": sent})
        else:
            data = self.body(FixturesInput if several else NewFixtureInput)
        confirmed = data.pop("confirm")
        new = [NewFixture(**one) for one in (data["fixtures"] if several else [data])]

        def add() -> list[int]:
            added = add_fixtures(found.league_id, found.slug, new, by=self.viewer.name, confirmed=confirmed)
            return [one.number for one in added]

        def show(numbers: list[int]) -> Response:
            loaded = load_competition(found)
            states = {fixture.number: fixture for fixture in loaded.fixtures}
            renderer = FixtureRenderer(request, loaded)
            results = [
                renderer.render(states[number]) if number in states else self.read(found, number) for number in numbers
            ]
            return Response({"fixtures": results} if several else results[0], status=201)

        return run_once(request, add, render=show)


class OneFixture(FixtureEndpoint):
    """A fixture of a competition."""

    @extend_schema(operation_id="get_fixture", responses={200: FixtureShape, **READ})
    def get(self, request: Request, league: str, competition: str, number: int) -> Response:
        """Read a fixture; its ETag goes into If-Match of a change."""
        return self.answer(self.read(self.bare_competition(league, competition), number))

    @describe_write(
        "change_fixture",
        FixtureChange,
        {200: FixtureShape, **build_error_responses(412)},
        request_example("Other colours", {"entries": [2, 1], "reason": "Black twice before."}),
        parameters=[IF_MATCH],
    )
    def patch(self, request: Request, league: str, competition: str, number: int) -> Response:
        """Change who meets whom, table, times or venue, or cancel it; once its round is published with a reason.

        `points` are a decision of the arbiter about a result, with a reason. They count in the standings, in tie-breaks
        and for pairings instead of those of the points table; ratings stay.

        An entry of another fixture of the round changes places with the one it replaces.
        """
        found = self.bare_competition(league, competition, "arbitrate")
        self.find(found, number)
        changes = self.body(FixtureChange)
        reason, confirmed = changes.pop("reason"), changes.pop("confirm")
        if "status" in changes:
            changes["cancelled"] = changes.pop("status") == "cancelled"
        self.change(
            found,
            lambda: self.read(found, number),
            lambda: change_fixture(
                found.league_id, number, changes, by=self.viewer.name, reason=reason, confirmed=confirmed
            ),
        )
        return self.answer(self.read(found, number))

    def answer(self, body: dict[str, Any]) -> Response:
        """Return the response for a rendered fixture, with its ETag."""
        return Response(body, headers={"ETag": compute_etag(body)})


class BoardResultInput(StrictSerializer):
    """The result of a board, in the order of the teams of the match."""

    scores = s.ListField(
        child=JsonNumberField(), min_length=2, max_length=2, required=False, allow_null=True, default=None
    )
    forfeit = s.ListField(
        child=WholeNumberField(min_value=1, max_value=MAX_NUMBER),
        max_length=2,
        required=False,
        default=list,
        help_text="Numbers of the teams that lose without play.",
    )


class BoardsInput(StrictSerializer):
    """The line-ups of a match of teams, and results of its boards."""

    line_ups = s.ListField(
        child=s.ListField(child=WholeNumberField(min_value=0, max_value=MAX_SQUAD), max_length=MAX_SIDE),
        min_length=2,
        max_length=2,
        help_text="Of each team of the match: places in its squad, board by board; 0: nobody. Empty: as it is.",
    )
    results = s.ListField(
        child=BoardResultInput(),
        max_length=MAX_SIDE,
        required=False,
        default=list,
        help_text="Board by board; {}: none yet.",
    )


class MatchBoards(FixtureEndpoint):
    """The boards of a match of teams."""

    @describe_write(
        "enter_match",
        BoardsInput,
        {200: FixtureShape},
        request_example("Two boards", {"line_ups": [[1, 2], [1, 3]], "results": [{"scores": [1, 0]}, {}]}),
    )
    def put(self, request: Request, league: str, competition: str, number: int) -> HttpResponse:
        """Enter line-ups, and results of boards: all or nothing.

        Players sit in the order of their squads. A board that has a result keeps its players; its game is corrected
        like others.
        """
        found = self.bare_competition(league, competition, "arbitrate")
        _loaded, fixture = self.find(found, number)
        data = self.body(BoardsInput)
        line_ups = {team: members for team, members in zip(fixture.entries, data["line_ups"], strict=False) if members}
        results = {
            board: BoardResult(None if one["scores"] is None else tuple(one["scores"]), tuple(one["forfeit"]))
            for board, one in enumerate(data["results"], 1)
            if one["scores"] is not None or one["forfeit"]
        }

        def enter() -> int:
            enter_match(found.league_id, number, line_ups, results, by=self.viewer.name)
            return number

        return run_once(request, enter, render=lambda entered: Response(self.read(found, entered)))


class FixtureResult(FixtureEndpoint):
    """The result of a fixture."""

    @describe_write(
        "record_fixture_result",
        RESULT,
        {201: GameShape, 200: GameShape, 202: FixtureShape},
        request_example("A win", {"external_id": "server-7/4712", "results": [{"score": 1}, {"score": 0}]}),
        OpenApiExample("A decision", value={"results": [{"score": 0.5}, {"score": 0}]}, request_only=True),
        OpenApiExample("A forfeit", value={"forfeit": [2], "reason": "no_show"}, request_only=True),
    )
    @idempotent()
    def post(self, request: Request, league: str, competition: str, number: int) -> HttpResponse:
        """Record the game of a fixture, or its forfeit. 200 if the external_id is known with the same content.

        Scores of a game of two that are points: 1–0, ½–½ and 0–1 are rated. ½–0, 0–½ and 0–0 are decisions of an
        arbiter: they count in the standings, and the game is a `friendly` one, which is not rated. Others are refused.

        Where results are entered twice, the first one gets 202: it is in `entered`, and counts when another says the
        same.
        """
        found = self.bare_competition(league, competition, "record")
        self.find(found, number)
        if isinstance(request.data, dict) and "forfeit" in request.data:
            data = self.body(FixtureForfeitInput)
            outcome: RecordedGame | EnteredResult = enter_forfeit(
                found.league_id, number, data["forfeit"], data["reason"], by=self.viewer
            )
        else:
            sent = self.body(FixtureResultInput)
            confirmed = sent.pop("confirm")
            new = GameInput.game(sent, self.viewer)
            outcome = enter_result(found.league_id, number, new, by=self.viewer, confirmed=confirmed)
        if isinstance(outcome, EnteredResult):
            return self.answer_noted(found, number)
        view = outcome.shown or read_game(found.league, outcome.game)
        return answer_recorded(self, found.league, outcome, view)
