"""The body by which an experiment is asked for. It checks form; what systems and leagues take, the service knows."""

from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty

from league.api.core.inputs import Figures, Number, Strict, Text, Whole, Words
from league.services.laboratory.questions import (
    DRAWS,
    FEWEST_DRAWS,
    LARGEST_SHARE,
    LEAST_EARLIER,
    MOST_CANDIDATES,
    MOST_DRAWS,
    MOST_EARLIER,
    MOST_FITTED,
    MOST_GAMES,
    SHARE,
    UNTIL,
    Question,
    checked_question,
)


class CandidateInput(Strict):
    """A rating system with parameters; those left out are as declared."""

    system = Text(max_length=40)
    parameters = Figures(required=False, default=dict)
    fit = Words(
        most=MOST_FITTED,
        required=False,
        default=list,
        help_text="Names of parameters that are sought on the earlier games; the system then counts twice.",
    )


class ExperimentInput(Strict):
    """What to compare, over which games."""

    candidates = CandidateInput(
        many=True,
        allow_empty=False,
        help_text=f"1 to {MOST_CANDIDATES} systems; the first is what others are compared with.",
    )
    from_ = serializers.DateField(
        required=False, allow_null=True, default=None, help_text="Games from this day of the league on; null: all."
    )
    to = serializers.DateField(
        required=False, allow_null=True, default=None, help_text="Games before this day of the league; null: all."
    )
    warm_up_games = Whole(
        min_value=0,
        max_value=MOST_GAMES,
        required=False,
        allow_null=True,
        default=None,
        help_text="So many games first find the ratings their places and are not judged.",
    )
    warm_up_share = Number(
        min_value=0,
        max_value=LARGEST_SHARE,
        required=False,
        allow_null=True,
        default=None,
        help_text=f"The same as a share of the games; where neither is said, {SHARE}.",
    )
    draws = Whole(
        min_value=FEWEST_DRAWS,
        max_value=MOST_DRAWS,
        required=False,
        default=DRAWS,
        help_text="How often the evenings are drawn anew for the intervals.",
    )

    until = serializers.DateField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Where anything is fitted: the games before this day are the earlier ones, on which it is sought.",
    )
    until_share = Number(
        min_value=LEAST_EARLIER,
        max_value=MOST_EARLIER,
        required=False,
        allow_null=True,
        default=None,
        help_text=f"The same as a share of the games; where neither is said, {UNTIL}. The warm-up is then theirs.",
    )

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``from``, which Python keeps for itself."""
        fields = super().get_fields()
        return {("from" if name == "from_" else name): field for name, field in fields.items()}

    def run_validation(self, data: Any = empty) -> Any:
        """Look at how many candidates there are before looking into each."""
        given = data.get("candidates") if isinstance(data, dict) else None
        if isinstance(given, list) and len(given) > MOST_CANDIDATES:
            sentence = f"1 to {MOST_CANDIDATES} systems make an experiment; these are {len(given):,}."
            raise serializers.ValidationError({"candidates": [serializers.ErrorDetail(sentence, "too_many")]})
        return super().run_validation(data)

    @staticmethod
    def question(data: dict[str, Any]) -> Question:
        """Return the question as the service takes it; raises Invalid."""
        names = ("warm_up_games", "warm_up_share", "draws", "until", "until_share")
        return checked_question(
            data["candidates"], first=data["from"], before=data["to"], **{name: data[name] for name in names}
        )
