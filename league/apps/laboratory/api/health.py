"""The health of a league: what its ratings can be trusted for."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.laboratory.services.health import CheckedHealth, health_now
from league.web.api.core.base import Endpoint
from league.web.api.core.schemas import Shape, rendered
from league.web.api.openapi.examples import READ, errors

LOW = "The lower end of its interval (95 %, drawn by evenings); null: fewer than ten evenings."


class MeanShape(Shape):
    """A mean with its interval."""

    value = s.FloatField()
    low = s.FloatField(allow_null=True, help_text=LOW)
    high = s.FloatField(allow_null=True)
    count = s.IntegerField(help_text="Of so many: games, for seats pairs.")


class SeatShape(MeanShape):
    """What a seat takes of the points at tables of the usual size, ½ where seats are alike."""

    seat = s.IntegerField()


class OftenShape(Shape):
    """Somebody with 20 games or more who meets one opponent in half of them or more."""

    player = s.CharField()
    opponent = s.CharField()
    games = s.IntegerField(help_text="All games of the player.")
    together = s.IntegerField()
    gained = s.FloatField(help_text="What the games together brought the player in all.")


class StretchShape(Shape):
    """What was played in some time of the league's clock."""

    games = s.IntegerField()
    players = s.IntegerField()
    newcomers = s.IntegerField()
    mean_rating = s.FloatField(help_text="Of those who played, after it.")
    added = s.FloatField(help_text="What its games added to all ratings together.")


class MonthShape(StretchShape):
    """A month of the league's clock in which somebody played, such as 2024-03."""

    month = s.CharField()


class YearShape(StretchShape):
    """A year of the league's clock in which somebody played, such as 2024."""

    year = s.CharField()


class HealthShape(Shape):
    """What a league's ratings can be trusted for."""

    games = s.IntegerField()
    players = s.IntegerField()
    groups = s.ListField(
        child=s.IntegerField(), help_text="Sizes of the groups between which nobody has played, the largest first."
    )
    apart = s.ListField(
        child=s.ListField(child=s.CharField()), help_text="Who is in the groups but the largest; 100 groups at most."
    )
    one_table = s.BooleanField(help_text="Every player took part in every game.")
    added_a_game = MeanShape(help_text="What a game adds to all ratings together; 0 where points only change hands.")
    table = s.IntegerField(help_text="The usual number of players without sides, to whose games seats belong; 0: none.")
    seats = SeatShape(many=True)
    often = OftenShape(many=True, help_text="Those with the most games together first; 500 at most.")
    months = MonthShape(many=True)
    years = YearShape(many=True)


#: Maximum number of players listed who keep meeting one opponent, and of groups besides the largest.
MAX_HABITS, MAX_GROUPS = 500, 100


def render_health(checked: CheckedHealth) -> dict[str, Any]:
    """Return what was found of a league's health, with handles where it names players."""
    found = checked.health
    habits, groups = found.habits[:MAX_HABITS], found.apart[:MAX_GROUPS]
    handles = {place: player.handle for place, player in checked.people(habits, groups).items()}
    return {
        "games": found.games,
        "players": found.players,
        "groups": list(found.islands),
        "apart": [[handles[place] for place in group] for group in groups],
        "one_table": found.one_table,
        "added_a_game": rendered(MeanShape, found.drift),
        "table": found.size,
        "seats": [{"seat": seat, **rendered(MeanShape, share)} for seat, share in enumerate(found.seats, start=1)],
        "often": [
            rendered(OftenShape, one, player=handles[one.player], opponent=handles[one.opponent]) for one in habits
        ],
        "months": [{"month": one.name, **rendered(StretchShape, one, mean_rating=one.mean)} for one in found.months],
        "years": [{"year": one.name, **rendered(StretchShape, one, mean_rating=one.mean)} for one in found.years],
    }


class LeagueHealth(Endpoint):
    """The health of a league."""

    @extend_schema(operation_id="get_health", responses={200: HealthShape, **READ, **errors(403, 422)})
    def get(self, request: Request, league: str) -> Response:
        """Analyse connected groups, inflation, seats and frequent opponents; for organisers.

        It is found from all rated games, and kept while the books stand as they do. Where no game is rated, or more
        than 150,000 were recorded, it is refused (422); while ratings are being replayed, ask again (503).
        """
        the_league = self.bare_league(league, "organise")
        return Response(render_health(health_now(the_league)))
