"""The shapes of answers about adjustments; ``render`` builds them."""

from rest_framework import serializers as s

from league.api.core.schemas import Shape


class AdjustmentShape(Shape):
    """Points that a player was given or lost beside the games."""

    number = s.IntegerField()
    url = s.URLField()
    player = s.CharField()
    name = s.CharField()
    at = s.DateTimeField(help_text="It counts before every game that was played then or later.")
    amount = s.FloatField()
    reason = s.CharField()
    recorded_at = s.DateTimeField()
    recorded_by = s.CharField()
    void = s.BooleanField()
    voided_at = s.DateTimeField(allow_null=True)
    voided_by = s.CharField()
    void_reason = s.CharField()
    before = s.FloatField(allow_null=True, help_text="The rating before it; null where it moves nothing.")
    after = s.FloatField(allow_null=True)
