"""The bracket of a knock-out or a double elimination."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import CompetitionEndpoint
from league.apps.competitions.selectors.brackets import ListedMatch, list_bracket_matches
from league.web.api.core.schemas import Shape
from league.web.api.openapi.examples import READ

STAGES = ("winners", "losers", "final", "third")


class BracketSeatShape(Shape):
    """A seat of a match: its entry, or who takes it; all null if nobody does."""

    entry = s.IntegerField(allow_null=True, help_text="The number of the entry.")
    winner_of = s.IntegerField(allow_null=True, help_text="The fixture whose winner takes the seat, once it is paired.")
    loser_of = s.IntegerField(allow_null=True, help_text="The fixture whose loser takes the seat, once it is paired.")
    match = s.IntegerField(allow_null=True, help_text="The match whose winner or loser takes the seat.")
    loses = s.BooleanField(help_text="Whether it is the loser of that match.")


class BracketMatchShape(Shape):
    """A match of a bracket."""

    number = s.IntegerField(allow_null=True, help_text="In the order of play; null for a bye.")
    stage = s.ChoiceField(choices=STAGES)
    round = s.IntegerField()
    fixtures = s.ListField(child=s.IntegerField(), help_text="Its games or its bye; empty before it is paired.")
    seats = BracketSeatShape(many=True, help_text="From top to bottom.")
    winner = s.IntegerField(allow_null=True, help_text="The number of the entry that goes on.")
    ended = s.BooleanField()


class BracketShape(Shape):
    """The matches of a bracket."""

    results = BracketMatchShape(many=True)


class CompetitionBracket(CompetitionEndpoint):
    """The bracket of a competition."""

    @extend_schema(operation_id="get_bracket", responses={200: BracketShape, **READ})
    def get(self, request: Request, league: str, competition: str) -> Response:
        """Return every match of a knock-out or double elimination, also those whose entries are not known yet.

        Other formats have none.
        """
        loaded = self.load(self.bare_competition(league, competition))
        return Response({"results": [_render_match(one) for one in list_bracket_matches(loaded)]})


def render_seats(listed: ListedMatch) -> list[dict[str, Any]]:
    """Return the seats of a match, from top to bottom."""
    return [
        {
            "entry": entry,
            "winner_of": awaited.fixture if awaited and not awaited.loses else None,
            "loser_of": awaited.fixture if awaited and awaited.loses else None,
            "match": awaited.match if awaited else None,
            "loses": awaited is not None and awaited.loses,
        }
        for entry, awaited in zip(listed.match.entries, listed.awaited, strict=True)
    ]


def _render_match(listed: ListedMatch) -> dict[str, Any]:
    return {
        "number": listed.number or None,
        "stage": listed.stage,
        "round": listed.round,
        "fixtures": list(listed.fixtures),
        "seats": render_seats(listed),
        "winner": listed.match.winner,
        "ended": listed.match.ended,
    }
