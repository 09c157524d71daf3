"""The shape of a job, with an example; ``render`` builds it."""

from rest_framework import serializers as s

from league.api.core.schemas import ProblemShape, Shape
from league.models import Job

NAME = "0e3f7a52-6f0d-4f1c-9d3b-5b8d2f6f9a10"


EXAMPLE = {
    "id": NAME,
    "url": f"https://rungs.example/api/v1/jobs/{NAME}/",
    "league": "preferans",
    "kind": "replay",
    "state": "running",
    "phase": "writing the history",
    "progress": 0.62,
    "result": None,
    "problem": None,
    "asked_by": "server-7",
    "asked_at": "2024-03-05T19:30:00Z",
    "started_at": "2024-03-05T19:30:01Z",
    "ended_at": None,
}


class JobShape(Shape):
    """A piece of work: ``progress`` from 0 to 1, then a ``result`` or a ``problem``."""

    id = s.UUIDField()
    url = s.URLField()
    league = s.CharField()
    kind = s.ChoiceField(choices=Job.Kind.choices)
    state = s.ChoiceField(choices=Job.State.choices)
    phase = s.CharField()
    progress = s.FloatField()
    result = s.DictField(allow_null=True)
    problem = ProblemShape(allow_null=True)
    asked_by = s.CharField()
    asked_at = s.DateTimeField()
    started_at = s.DateTimeField(allow_null=True)
    ended_at = s.DateTimeField(allow_null=True)
