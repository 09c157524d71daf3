"""The shapes of answers about experiments; ``render`` builds them."""

from typing import Any

from rest_framework import serializers as s

from league.api.core.schemas import ProblemShape, Shape
from league.models import Job

NAME = "7a1d4c1e-52b0-4a3f-8a55-0d6f2f2c9b44"


class CandidateShape(Shape):
    """A rating system with all of its parameters."""

    system = s.CharField()
    parameters = s.DictField()
    fit = s.ListField(child=s.CharField(), help_text="Parameters that are sought on the earlier games.")

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``label``, which fields keep for themselves."""
        label = s.CharField(help_text="The system's title, with the parameters that are not as declared.")
        return {"label": label, **super().get_fields()}


class ExperimentShape(Shape):
    """An experiment: what it compares over which games, and how far it is (``progress`` from 0 to 1)."""

    id = s.UUIDField(help_text="Of its job, too.")
    url = s.URLField()
    league = s.CharField()
    state = s.ChoiceField(choices=Job.State.choices)
    phase = s.CharField()
    progress = s.FloatField()
    candidates = CandidateShape(many=True)
    to = s.DateField(allow_null=True, help_text="Games before this day; null: up to when it was made.")
    warm_up_games = s.IntegerField(allow_null=True)
    warm_up_share = s.FloatField(allow_null=True)
    draws = s.IntegerField()
    until = s.DateField(allow_null=True, help_text="Where anything is fitted: the earlier games are before this day.")
    until_share = s.FloatField(allow_null=True, help_text="Or the share of the games that is earlier.")
    asked_at = s.DateTimeField()
    started_at = s.DateTimeField(allow_null=True)
    ended_at = s.DateTimeField(allow_null=True)
    problem = ProblemShape(allow_null=True, help_text="Why nothing came of it.")

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``from``, which Python keeps for itself."""
        first = s.DateField(allow_null=True, help_text="Games from this day on; null: from the first one.")
        return {**super().get_fields(), "from": first}


class ExperimentReportShape(ExperimentShape):
    """An experiment with its report, once it is done."""

    report = s.DictField(
        allow_null=True,
        help_text="What each system foretold, and what was fitted (fits); docs/laboratory.md says what is what.",
    )
