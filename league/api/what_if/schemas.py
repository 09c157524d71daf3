"""The shape of the answer about a game that has not been played; ``render`` builds it."""

from rest_framework import serializers as s

from league.api.core.schemas import Shape
from league.api.games.schemas import PairShape, ValueShape
from league.api.leagues.schemas import RuleShape


class ProspectPlayerShape(Shape):
    """A player before the game; ``figures`` are those that are the same in every outcome below."""

    player = s.CharField()
    name = s.CharField()
    seat = s.IntegerField()
    side = s.IntegerField(allow_null=True, help_text="Who plays together; null where everyone plays alone.")
    games = s.IntegerField()
    before = s.DictField(child=s.FloatField())
    rating_before = s.FloatField()
    figures = ValueShape(many=True)


class OutcomePlayerShape(Shape):
    """A player's change in one outcome; the values of ``parts``, added in order, are ``change``."""

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
    """One outcome; ``shift`` is what it adds to everybody's rating."""

    players = OutcomePlayerShape(many=True)
    pairs = PairShape(many=True)
    shift = s.FloatField()


class ProspectShape(Shape):
    """A game that has not been played: the outcome that was sent, or all (of more than two: all without ties)."""

    played_at = s.DateTimeField()
    system = s.CharField()
    rule = RuleShape()
    formula = s.CharField()
    weight = s.FloatField(help_text="How much it counts; 1 is usual.")
    players = ProspectPlayerShape(many=True)
    pairs = PairShape(many=True)
    outcomes = OutcomeShape(many=True)
