"""The shapes of answers about leagues and their rules; ``render`` builds them."""

from typing import Any

from rest_framework import serializers as s

from league.api.core.schemas import Shape, answered
from league.models.declared import SETTINGS, setting_field


class SeasonShape(Shape):
    """When seasons begin, and how far everybody is pulled to the start then."""

    days = s.ListField(child=s.CharField())
    pull = s.FloatField()


class RuleShape(Shape):
    """A dated rule; ``season`` is there where the rule knows seasons."""

    system = s.CharField()
    parameters = s.DictField()
    season = SeasonShape(required=False)

    def get_fields(self) -> dict[str, Any]:
        """Call the first field ``from``, which Python keeps for itself."""
        return {"from": s.DateField(), **super().get_fields()}


class LeagueShape(Shape):
    """A league with the rule in force."""

    slug = s.CharField()
    # The document names no list of its values: they were a text to clients from the first.
    visibility = s.CharField()
    rule = RuleShape(allow_null=True)
    url = s.URLField()

    def get_fields(self) -> dict[str, Any]:
        """Put the settings between the slug and the rule."""
        own = super().get_fields()
        settings = {name: own.get(name) or answered(setting_field(name)) for name in SETTINGS}
        return {"slug": own.pop("slug"), **settings, "rule": own["rule"], "url": own["url"]}
