"""The bodies about ladders that the API takes."""

from typing import Any

from rest_framework import serializers

from league.api.core.inputs import Strict, Text
from league.models import LadderRule
from league.services.ladders.ladders import Ranking


class RankingInput(Strict):
    """How a ladder ranks from a day on."""

    from_ = serializers.DateField(required=False, help_text="Left out: since ever. Else the first day of a period.")
    to = serializers.DateField(required=False, help_text="The last day, of the cadence dated only.")
    method = Text(max_length=40)
    cadence = serializers.ChoiceField(choices=LadderRule.Cadence.choices)
    parameters = serializers.DictField(required=False, default=dict)

    @staticmethod
    def ranking(data: dict[str, Any]) -> Ranking:
        """Return the ranking as services take it."""
        return Ranking(data["method"], data["cadence"], data["parameters"], data.get("from"), data.get("to"))


class LadderInput(RankingInput):
    """A new ladder."""

    slug = Text(max_length=50)
    title = Text(max_length=120)


class LadderChange(Strict):
    """What may be changed of a ladder; how it ranks is changed by a rule."""

    title = Text(required=False, max_length=120)
    ended_on = serializers.DateField(required=False, allow_null=True, help_text="No period begins then or later.")


class ReasonInput(Strict):
    """Why, where a reason is wanted."""

    reason = Text(required=False, default="", allow_blank=True, max_length=500)


class DecisionInput(ReasonInput):
    """What to do about closed periods whose games say something else now."""

    decision = serializers.ChoiceField(
        choices=["carry", "publish"], help_text="carry: the editions stand; publish: a next edition of each."
    )
