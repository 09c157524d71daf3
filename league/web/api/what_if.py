"""Previews of games that have not been played."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.games.services.what_if import WhatIf, compute_what_if
from league.web.api.core.base import Endpoint, parse_query
from league.web.api.core.idempotency import idempotent
from league.web.api.core.schemas import PersonShape, Shape
from league.web.api.games.serializers import GameInput, PairShape, ValueShape
from league.web.api.leagues.render import RuleShape, render_rule
from league.web.api.openapi.examples import ASK, GAME, request_example
from league.web.api.scopes import CONTEXT, take_scope
from ratings.describe.explaining import ExplainedValue, Explanation, explain


class ProspectPlayerShape(PersonShape):
    """A player before the game; ``figures`` are the values common to all outcomes."""

    seat = s.IntegerField()
    side = s.IntegerField(allow_null=True, help_text="The number of the player's side; null without sides.")
    games = s.IntegerField()
    before = s.DictField(child=s.FloatField())
    rating_before = s.FloatField()
    figures = ValueShape(many=True)


class OutcomePlayerShape(Shape):
    """A player's change in one outcome; the values of ``parts``, added in order, give ``change``."""

    player = s.CharField()
    seat = s.IntegerField()
    score = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    change = s.FloatField()
    after = s.DictField(child=s.FloatField())
    rating_after = s.FloatField()
    performance = s.FloatField(allow_null=True)
    figures = ValueShape(many=True)
    parts = ValueShape(many=True)
    words = s.CharField()


class OutcomeShape(Shape):
    """One outcome; ``shift`` is added to every rating of the league."""

    players = OutcomePlayerShape(many=True)
    pairs = PairShape(many=True)
    shift = s.FloatField()


class ProspectShape(Shape):
    """A preview: the outcome that was sent, or all outcomes (without ties if there are more than two sides)."""

    played_at = s.DateTimeField()
    system = s.CharField()
    rule = RuleShape()
    formula = s.CharField()
    weight = s.FloatField(help_text="How much it counts; normally 1.")
    players = ProspectPlayerShape(many=True)
    pairs = PairShape(many=True)
    outcomes = OutcomeShape(many=True)


def render_what_if(question: WhatIf) -> dict[str, Any]:
    """Return the state before the game and every outcome; values common to all outcomes are listed once."""
    outcomes = [explain(question.system, sheet, rated) for sheet, rated in question.outcomes]
    seats = [
        _find_common_values([outcome["seats"][seat]["figures"] for outcome in outcomes])
        for seat in range(len(question.handles))
    ]
    pairs = [
        _find_common_values([outcome["pairs"][index]["figures"] for outcome in outcomes])
        for index in range(len(outcomes[0]["pairs"]))
    ]
    players = zip(question.handles, question.names, outcomes[0]["seats"], seats, strict=True)
    return {
        "played_at": question.played_at,
        "system": question.rule.system,
        "rule": render_rule(question.rule),
        "formula": question.system.wording().formula,
        "weight": question.outcomes[0][0].weight,
        "players": [
            {
                "player": handle,
                "name": name,
                **{
                    key: value
                    for key, value in seat.items()
                    if key in ("seat", "side", "games", "before", "rating_before")
                },
                "figures": figures,
            }
            for handle, name, seat, figures in players
        ],
        "pairs": [
            render_pair(question, pair["seats"], figures)
            for pair, figures in zip(outcomes[0]["pairs"], pairs, strict=True)
        ],
        "outcomes": [render_outcome(question, outcome, seats, pairs) for outcome in outcomes],
    }


def _find_common_values(outcomes: Sequence[Sequence[ExplainedValue]]) -> list[ExplainedValue]:
    """Return the values that are equal in every outcome."""
    return [
        value for value, *other_values in zip(*outcomes, strict=True) if all(value == other for other in other_values)
    ]


def render_pair(question: WhatIf, seats: list[int], figures: Sequence[ExplainedValue]) -> dict[str, Any]:
    """Return the values of a pair of players."""
    return {"seats": seats, "players": [question.handles[seat - 1] for seat in seats], "figures": list(figures)}


def render_outcome(
    question: WhatIf,
    outcome: Explanation,
    seats: Sequence[Sequence[ExplainedValue]],
    pairs: Sequence[Sequence[ExplainedValue]],
) -> dict[str, Any]:
    """Return one outcome with every player's change and the values that are not common to all outcomes."""
    names = ("seat", "score", "place", "change", "after", "rating_after", "performance", "parts", "words")
    return {
        "players": [
            {
                "player": handle,
                **{key: value for key, value in seat.items() if key in names},
                "figures": [figure for figure in seat["figures"] if figure not in common],
            }
            for handle, seat, common in zip(question.handles, outcome["seats"], seats, strict=True)
        ],
        "pairs": [
            render_pair(question, pair["seats"], remaining_figures)
            for pair, common in zip(outcome["pairs"], pairs, strict=True)
            if (remaining_figures := [figure for figure in pair["figures"] if figure not in common])
        ],
        "shift": outcome["shift"],
    }


TABLE = {"played_at": "2024-03-05T19:30:00Z", "results": [{"player": "anna"}, {"player": "ben"}]}


class Preview(Endpoint):
    """Previews of a game."""

    @extend_schema(
        operation_id="preview_game",
        parameters=[CONTEXT],
        request=GameInput,
        responses={200: ProspectShape, **ASK},
        examples=[request_example("With its outcome", GAME), request_example("Every outcome", TABLE)],
    )
    @idempotent(reads=True)
    def post(self, request: Request, league: str) -> Response:
        """Preview the effect of a game; nothing is saved, and a public league needs no token.

        With scores or places: that outcome, bit-identical to recording it. Without: every outcome for up to four
        sides (or players without sides) in systems that rate places. Two sides: win, draw, loss; three or four: every
        order without ties.
        """
        the_league = self.league(league)
        scope = take_scope(the_league, parse_query(request, {"context": str}), "")
        new = GameInput.game(self.body(GameInput), self.viewer)
        with postgresql_snapshot():
            return Response(render_what_if(compute_what_if(scope, new)))
