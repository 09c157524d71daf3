"""Rating systems."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.web.api.core.base import Endpoint, parse_query
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import Shape
from league.web.api.ladders.render import CheckShape, PresetShape, RulingShape
from league.web.api.openapi.examples import LIST, READ, describe_list
from ratings.describe.describing import describe
from ratings.registry import UnknownSystem, get_system, load_systems


class PlayersShape(Shape):
    """The number of players in a game."""

    min = s.IntegerField()
    max = s.IntegerField(allow_null=True, help_text="null: any number.")
    words = s.CharField()


class ResultFieldsShape(Shape):
    """The fields of a result: `required`, `optional` or `forbidden`."""

    score = s.CharField()
    place = s.CharField()
    ties = s.BooleanField(help_text="Whether places and scores may be equal.")
    lowest_score = s.FloatField()


class NamedNumberShape(Shape):
    """A value of the calculation, with its symbol in the source."""

    key = s.CharField()
    symbol = s.CharField()
    label_ = s.CharField()


class PartShape(NamedNumberShape):
    """A part of a rating change; the parts sum to the change."""

    help = s.CharField()


class StateFieldShape(PartShape):
    """A number stored for each player, with its bounds."""

    low = s.FloatField()
    high = s.FloatField()
    decimals = s.IntegerField()


class WorksheetFieldShape(Shape):
    """A column of a worksheet; if not required, it is computed from the others."""

    key = s.CharField()
    help = s.CharField()
    required_ = s.BooleanField()
    label_ = s.CharField()


class WorksheetShape(Shape):
    """The worksheet from which a score is computed."""

    formula = s.CharField()
    fields_ = WorksheetFieldShape(many=True)


class LawShape(Shape):
    """A statement that is true of every game."""

    key = s.CharField()
    sentence = s.CharField()


class PerformanceShape(Shape):
    """The system's performance measure for a game."""

    key = s.CharField()
    label_ = s.CharField()


class SystemScoreShape(Shape):
    """The score by which the leaderboard ranks."""

    help = s.CharField()
    difference = s.CharField()
    label_ = s.CharField()


class SystemShape(Shape):
    """A rating system."""

    key = s.CharField()
    title = s.CharField()
    summary = s.CharField()
    formula = s.CharField()
    players = PlayersShape()
    result_fields = ResultFieldsShape()
    game_fields = s.DictField(help_text="A JSON Schema of a game's details.")
    worksheet = WorksheetShape(allow_null=True)
    state = StateFieldShape(many=True, help_text="The rating first.")
    parts = PartShape(many=True, help_text="The parts that sum to a change.")
    figures = NamedNumberShape(many=True, help_text="Intermediate values for each player.")
    pairs = NamedNumberShape(many=True, help_text="Intermediate values for each pair of players.")
    parameters = s.DictField(help_text="A JSON Schema.")
    presets = PresetShape(many=True, help_text="Published sets of parameters.")
    rulings = RulingShape(many=True)
    examples = s.ListField(child=s.DictField())
    checks = CheckShape(many=True)
    laws = LawShape(many=True)
    performance = PerformanceShape()
    score = SystemScoreShape()
    lowest_rating = s.FloatField()
    highest_rating = s.FloatField()
    decimals = s.IntegerField(help_text="Digits after the point that pages show; the API never rounds.")
    seat_order_matters = s.CharField(help_text="Why the order of seats matters; empty if it does not.")
    source_ = s.CharField()


class Systems(Endpoint):
    """All rating systems."""

    open = True

    @describe_list("list_systems", SystemShape, "System", LIST)
    def get(self, request: Request) -> Response:
        """List every rating system with its parameters, fields, rulings and worked examples."""
        return self.paginate(list(load_systems().values()), describe)


class System(Endpoint):
    """One rating system."""

    open = True

    @extend_schema(operation_id="get_system", responses={200: SystemShape, **READ})
    def get(self, request: Request, key: str) -> Response:
        """Describe a rating system: parameters, required fields and formula."""
        parse_query(request, {})
        try:
            return Response(describe(get_system(key)))
        except UnknownSystem as error:
            raise ApiProblem(404, str(error.args[0])) from None
