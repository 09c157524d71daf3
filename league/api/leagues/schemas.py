"""The shapes of answers about leagues and their rules; ``render`` builds them."""

from typing import Any

from rest_framework import serializers as s

from league.api.core.schemas import Shape
from league.models import League


class RuleShape(Shape):
    """A dated rule."""

    system = s.CharField()
    parameters = s.DictField()

    def get_fields(self) -> dict[str, Any]:
        """Call the first field ``from``, which Python keeps for itself."""
        return {"from": s.DateField(), **super().get_fields()}


class LeagueShape(Shape):
    """A league with the rule in force."""

    slug = s.CharField()
    title = s.CharField()
    game = s.CharField()
    description = s.CharField()
    time_zone = s.CharField()
    visibility = s.CharField()
    min_games = s.IntegerField()
    inactive_after_days = s.IntegerField(allow_null=True)
    close_after_hours = s.IntegerField()
    closing = s.ChoiceField(choices=League.Closing.choices)
    rule = RuleShape(allow_null=True)
    url = s.URLField()
