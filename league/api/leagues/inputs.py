"""The bodies about leagues that the API takes."""

from typing import Any

from rest_framework import serializers

from league.api.core.inputs import Figures, Number, Strict, Text, sent
from league.models.declared import SETTINGS, setting_field
from league.services.leagues.seasons import DAY, LEAST_PULL, MOST_DAYS


class SeasonInput(Strict):
    """When seasons begin, and how far everybody is pulled to the start then."""

    days = serializers.ListField(
        child=serializers.RegexField(DAY),
        min_length=1,
        max_length=MOST_DAYS,
        help_text="Days of every year on which one begins: 09-01 is 1 September.",
    )
    pull = Number(min_value=LEAST_PULL, max_value=1, help_text="The share of the way to the start.")


class RuleInput(Strict):
    """A league's choice of system and parameters from a day on."""

    from_ = serializers.DateField(required=False, help_text="Left out: the first rule always, later ones from today.")
    system = Text(max_length=40)
    parameters = Figures(required=False, default=dict)
    season = SeasonInput(required=False, allow_null=True, default=None, help_text="Left out or null: no seasons.")

    def get_fields(self) -> dict[str, Any]:
        """Call the field ``from``, which Python keeps for itself."""
        fields = super().get_fields()
        return {"from": fields.pop("from_"), **fields}


class LeagueChange(Strict):
    """Settings of a league."""

    def get_fields(self) -> dict[str, Any]:
        """Put the settings before what else there is."""
        return {**{name: sent(setting_field(name)) for name in SETTINGS}, **super().get_fields()}


class LeagueInput(LeagueChange):
    """A new league, with its first rule if wanted."""

    slug = Text(max_length=50)
    title = Text(max_length=120)
    rule = RuleInput(required=False)
