"""The bodies about leagues that the API takes."""

from typing import Any

from rest_framework import serializers

from league.api.core.inputs import Figures, Strict, Text, Whole
from league.models import League


class RuleInput(Strict):
    """A league's choice of system and parameters from a day on."""

    from_ = serializers.DateField(required=False, help_text="Left out: the first rule always, later ones from today.")
    system = Text(max_length=40)
    parameters = Figures(required=False, default=dict)

    def get_fields(self) -> dict[str, Any]:
        """Call the field ``from``, which Python keeps for itself."""
        fields = super().get_fields()
        return {"from": fields.pop("from_"), **fields}


class LeagueChange(Strict):
    """Settings of a league."""

    title = Text(required=False, max_length=120)
    game = Text(required=False, allow_blank=True, max_length=80)
    description = Text(required=False, allow_blank=True, max_length=4000)
    time_zone = Text(required=False, max_length=64)
    visibility = serializers.ChoiceField(choices=League.Visibility.choices, required=False)
    min_games = Whole(required=False, min_value=1, max_value=10_000)
    inactive_after_days = Whole(required=False, allow_null=True, min_value=1, max_value=36_500)
    close_after_hours = Whole(required=False, min_value=0, max_value=8760)
    closing = serializers.ChoiceField(choices=League.Closing.choices, required=False)


class LeagueInput(LeagueChange):
    """A new league, with its first rule if wanted."""

    slug = Text(max_length=50)
    title = Text(max_length=120)
    rule = RuleInput(required=False)
