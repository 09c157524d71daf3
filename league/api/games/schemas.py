"""The shapes of answers about games; ``render`` builds them."""

from typing import Any

from rest_framework import serializers as s

from league.api.core.schemas import Shape, answered
from league.api.leagues.schemas import RuleShape
from league.models import Result
from league.models.declared import RESULT


class ResultShape(Shape):
    """One player's line of a game; the last five are null where the game is not rated."""

    seat = s.IntegerField()
    player = s.CharField()
    name = s.CharField()
    worksheet = s.DictField(
        child=s.FloatField(), required=False, help_text="The paper of which the score was made, if any."
    )
    rating_before = s.FloatField(allow_null=True)
    rating_after = s.FloatField(allow_null=True)
    change = s.FloatField(allow_null=True)
    games = s.IntegerField(allow_null=True)
    performance = s.FloatField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """Put what a result says of itself behind its player."""
        own = super().get_fields()
        head = {name: own.pop(name) for name in ("seat", "player", "name")}
        return {**head, **{name: answered(Result._meta.get_field(name)) for name in RESULT}, **own}


class GameShape(Shape):
    """A game as it stands."""

    id = s.IntegerField()
    league = s.CharField()
    url = s.URLField()
    external_id = s.CharField(allow_null=True)
    played_at = s.DateTimeField()
    recorded_at = s.DateTimeField()
    recorded_by = s.CharField()
    kind = s.CharField()
    status = s.ChoiceField(choices=["rated", "pending", "unrated", "void"])
    results = ResultShape(many=True)
    details = s.DictField()
    note = s.CharField()
    weight = s.FloatField(help_text="How much it counts; 1 is usual.")
    void_reason = s.CharField()
    replaces = s.IntegerField(allow_null=True)
    replaced_by = s.IntegerField(allow_null=True)


class ResultLineShape(ResultShape):
    """A result with what its game says of itself: a line of the games as CSV."""

    id = s.IntegerField()
    external_id = s.CharField(allow_null=True)
    played_at = s.DateTimeField()
    kind = s.CharField()
    status = s.CharField()
    note = s.CharField()


class ValueShape(Shape):
    """A number of the sum under its symbol in the source."""

    key = s.CharField()
    symbol = s.CharField()
    value = s.FloatField()

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``label``, which fields keep for themselves."""
        return {**super().get_fields(), "label": s.CharField()}


class ExplainedPlayerShape(Shape):
    """One player's change; the values of ``parts``, added in order, are ``change``."""

    player = s.CharField()
    name = s.CharField()
    seat = s.IntegerField()
    score = s.FloatField(allow_null=True)
    place = s.IntegerField(allow_null=True)
    side = s.IntegerField(allow_null=True)
    games = s.IntegerField()
    before = s.DictField(child=s.FloatField())
    after = s.DictField(child=s.FloatField())
    rating_before = s.FloatField()
    rating_after = s.FloatField()
    change = s.FloatField()
    performance = s.FloatField(allow_null=True)
    figures = ValueShape(many=True)
    parts = ValueShape(many=True)
    words = s.CharField()


class PairShape(Shape):
    """What two players have between them."""

    seats = s.ListField(child=s.IntegerField())
    players = s.ListField(child=s.CharField())
    figures = ValueShape(many=True)


class ExplanationShape(Shape):
    """Why the ratings changed."""

    game = s.IntegerField()
    system = s.CharField()
    rule = RuleShape()
    formula = s.CharField()
    inputs = s.DictField()
    players = ExplainedPlayerShape(many=True)
    pairs = PairShape(many=True)
    shift = s.FloatField()
