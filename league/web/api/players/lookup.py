"""Many players of a league in one request, by any names: what a game site's server asks before a round of games."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.players.selectors.cards import PlayerCard, load_cards
from league.core.players.selectors.resolve import resolve_players
from league.models import League
from league.web.api.core.base import Endpoint
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import StrictSerializer, TextListField
from league.web.api.core.schemas import PersonShape, Shape
from league.web.api.openapi.examples import ASK, request_example

#: Maximum number of texts in one request.
MAX_TEXTS = 1_000
FIELDS = ("rating", "rank", "games", "deviation")


class LookupInput(StrictSerializer):
    """Whom to look up, and what of them."""

    players = TextListField(most=MAX_TEXTS, min_length=1, help_text="External ids (`provider:id`), handles or names.")
    fields_ = s.MultipleChoiceField(
        choices=FIELDS, required=False, allow_empty=False, help_text="What to answer of each player; all by default."
    )


class FoundPlayerShape(PersonShape):
    """A player who was looked up."""

    asked = s.CharField(help_text="The text of the request.")
    rating = s.FloatField(allow_null=True, required=False, help_text="Null: has neither played nor a start.")
    rank = s.IntegerField(allow_null=True, required=False, help_text="Null: not on the leaderboard.")
    games = s.IntegerField(required=False)
    deviation = s.FloatField(
        allow_null=True, required=False, help_text="Null: the system has none, or the player has not played."
    )


class FoundPlayersShape(Shape):
    """The players of a league whom texts name, in the order of the texts."""

    results = FoundPlayerShape(many=True)
    unknown = s.ListField(child=s.CharField(), help_text="Texts that name nobody whom you may see.")
    ambiguous = s.ListField(child=s.CharField(), help_text="Texts that are the name of several players.")
    as_of = s.IntegerField(help_text="The position in the league's log to which the figures belong; also the ETag.")


def _render_found(asked: str, card: PlayerCard, fields: set[str]) -> dict[str, Any]:
    """Return a player's figures; an uncertainty is called ``sigma`` where a rating is a mean."""
    deviation = card.state.get("deviation", card.state.get("sigma"))
    figures = {"rating": card.rating, "rank": card.rank, "games": card.games, "deviation": deviation}
    chosen = {name: value for name, value in figures.items() if name in fields}
    return {"asked": asked, "player": card.player.handle, "name": card.player.name, **chosen}


class LookupPlayers(Endpoint):
    """Players by any names."""

    @extend_schema(
        operation_id="lookup_players",
        request=LookupInput,
        responses={200: FoundPlayersShape, **ASK},
        examples=[request_example("By any name", {"players": ["fide:1503014", "anna", "Ben"], "fields": ["rating"]})],
    )
    @idempotent(reads=True)
    def post(self, request: Request, league: str) -> Response:
        """Look up to 1,000 players by external ids, handles or names; nothing is saved.

        One row for each text that names one player, in the order of the texts. A public league needs no token, but an
        external id or a player of other leagues is found only by who may see them.
        """
        the_league = self.bare_league(league)
        data = self.body(LookupInput)
        fields = set(data.get("fields", FIELDS))
        with postgresql_snapshot():
            as_of = League.objects.values_list("log_length", flat=True).get(pk=the_league.pk)
            resolutions = resolve_players(data["players"], the_league, self.viewer)
            found = [(text, one.player) for text in data["players"] if (one := resolutions[text].one) is not None]
            cards = load_cards(the_league, [player for _, player in found], timezone.now())
        body = {
            "results": [_render_found(text, card, fields) for (text, _), card in zip(found, cards, strict=True)],
            "unknown": [text for text in data["players"] if not resolutions[text].found],
            "ambiguous": [text for text in data["players"] if resolutions[text].is_ambiguous],
            "as_of": as_of,
        }
        return Response(body, headers={"ETag": f'"{as_of}"'})
