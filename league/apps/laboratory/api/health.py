"""API of a league's health check."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.laboratory.services.health import CheckedHealth, load_health
from league.web.api.core.base import Endpoint
from league.web.api.core.schemas import Shape, render_fields
from league.web.api.openapi.examples import READ, build_error_responses

LOW_HELP = "Lower end of the 95 % interval (resampled by evenings); null: fewer than ten evenings."


class MeanShape(Shape):
    """A mean with its interval."""

    value = s.FloatField()
    low = s.FloatField(allow_null=True, help_text=LOW_HELP)
    high = s.FloatField(allow_null=True)
    count = s.IntegerField(help_text="Number of games, or of pairs for seats.")


class SeatShape(MeanShape):
    """A seat's share of the points at tables of the usual size; ½ if all seats are equal."""

    seat = s.IntegerField()


class OftenShape(Shape):
    """A player with 20 games or more who meets one opponent in at least half of them."""

    player = s.CharField()
    opponent = s.CharField()
    games = s.IntegerField(help_text="All games of the player.")
    together = s.IntegerField()
    gained = s.FloatField(help_text="Total rating gained by the player in the games together.")


class StretchShape(Shape):
    """The activity in a month or year, in the league's time zone."""

    games = s.IntegerField()
    players = s.IntegerField()
    newcomers = s.IntegerField()
    mean_rating = s.FloatField(help_text="Mean rating of the active players at its end.")
    added = s.FloatField(help_text="Total points that its games added to all ratings.")


class MonthShape(StretchShape):
    """A month with games, such as 2024-03, in the league's time zone."""

    month = s.CharField()


class YearShape(StretchShape):
    """A year with games, such as 2024, in the league's time zone."""

    year = s.CharField()


class HealthShape(Shape):
    """The health of a league's ratings."""

    games = s.IntegerField()
    players = s.IntegerField()
    groups = s.ListField(
        child=s.IntegerField(), help_text="Sizes of the groups that have never played each other, largest first."
    )
    apart = s.ListField(
        child=s.ListField(child=s.CharField()),
        help_text="Players of the groups except the largest; at most 100 groups.",
    )
    one_table = s.BooleanField(help_text="Every player took part in every game.")
    added_a_game = MeanShape(
        help_text="Points that a game adds to the sum of all ratings; 0 if players only win points from each other."
    )
    table = s.IntegerField(
        help_text="The usual number of players in games without sides, which seats refer to; 0: none."
    )
    seats = SeatShape(many=True)
    often = OftenShape(many=True, help_text="Most games together first; at most 500.")
    months = MonthShape(many=True)
    years = YearShape(many=True)


#: Maximum number of listed pairs, and of groups besides the largest.
MAX_HABITS, MAX_GROUPS = 500, 100


def _render_health(checked: CheckedHealth) -> dict[str, Any]:
    health = checked.health
    habits, groups = health.habits[:MAX_HABITS], health.apart[:MAX_GROUPS]
    handles = {place: player.handle for place, player in checked.load_players(habits, groups).items()}
    return {
        "games": health.games,
        "players": health.players,
        "groups": list(health.islands),
        "apart": [[handles[place] for place in group] for group in groups],
        "one_table": health.one_table,
        "added_a_game": render_fields(MeanShape, health.drift),
        "table": health.size,
        "seats": [
            {"seat": seat, **render_fields(MeanShape, share)} for seat, share in enumerate(health.seats, start=1)
        ],
        "often": [
            render_fields(OftenShape, entry, player=handles[entry.player], opponent=handles[entry.opponent])
            for entry in habits
        ],
        "months": [
            {"month": entry.name, **render_fields(StretchShape, entry, mean_rating=entry.mean)}
            for entry in health.months
        ],
        "years": [
            {"year": entry.name, **render_fields(StretchShape, entry, mean_rating=entry.mean)} for entry in health.years
        ],
    }


class LeagueHealth(Endpoint):
    """The health of a league."""

    @extend_schema(operation_id="get_health", responses={200: HealthShape, **READ, **build_error_responses(403, 422)})
    def get(self, request: Request, league: str) -> Response:
        """Return the groups, points added per game, seats and frequent opponents; for organisers of the league.

        The result is computed from all rated games and cached until the league's data change. The request is refused
        (422) if no game is rated or more than 150,000 games were recorded; while ratings are being replayed, retry
        later (503).
        """
        the_league = self.bare_league(league, "organise")
        return Response(_render_health(load_health(the_league)))
