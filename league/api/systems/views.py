"""Rating systems."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, query
from league.api.core.problems import Failed
from league.api.core.schemas import Shape
from league.api.openapi.examples import LIST, READ, lists
from ratings.describe.describing import describe
from ratings.registry import UnknownSystem, all_systems, get_system


class SystemShape(Shape):
    """A rating system, as its file describes it."""

    key = s.CharField()
    title = s.CharField()
    summary = s.CharField()
    formula = s.CharField()
    players = s.DictField()
    result_fields = s.DictField()
    game_fields = s.JSONField()
    worksheet = s.DictField(allow_null=True, help_text="The paper of which a score is made: fields, formula.")
    state = s.ListField(child=s.DictField(), help_text="What is kept of a player, the rating first.")
    parts = s.ListField(child=s.DictField(), help_text="What a change is the sum of.")
    figures = s.ListField(child=s.DictField(), help_text="Intermediates of the sum, of each player.")
    pairs = s.ListField(child=s.DictField(), help_text="Intermediates of the sum, of each two players.")
    parameters = s.DictField()
    presets = s.ListField(child=s.DictField(), help_text="Published sets of parameters.")
    rulings = s.ListField(child=s.DictField())
    examples = s.ListField(child=s.DictField())
    checks = s.ListField(child=s.DictField(), help_text="Single figures that the source prints.")
    laws = s.ListField(child=s.DictField(), help_text="What holds for every game.")
    performance = s.DictField(help_text="The system's own figure for a game.")
    score = s.DictField(help_text="What the leaderboard ranks by.")
    lowest_rating = s.FloatField()
    highest_rating = s.FloatField()
    decimals = s.IntegerField(help_text="Digits after the point that pages show; the API never rounds.")
    seat_order_matters = s.CharField(help_text="Why the order of seats changes the sums, where it does.")
    source_ = s.CharField()


class Systems(Endpoint):
    """All rating systems."""

    open = True

    @lists("list_systems", SystemShape, "System", LIST)
    def get(self, request: Request) -> Response:
        """List every rating system with its parameters, fields, rulings and worked examples."""
        return self.listed(list(all_systems().values()), describe)


class System(Endpoint):
    """One rating system."""

    open = True

    @extend_schema(operation_id="get_system", responses={200: SystemShape, **READ})
    def get(self, request: Request, key: str) -> Response:
        """Describe a rating system: what it is, what a sheet must hold, how the sums go."""
        query(request, {})
        try:
            return Response(describe(get_system(key)))
        except UnknownSystem as error:
            raise Failed(404, str(error.args[0])) from None
