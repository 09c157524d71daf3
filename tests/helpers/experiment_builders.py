"""Leagues and questions for tests of the laboratory."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from league.apps.laboratory.services.questions import ExperimentQuestion, check_question
from league.core.dispatch.sweep import run_requested_job
from league.models import Job, League
from tests.helpers.builders import FOUR, make_league, record, sheet

#: Who meets whom, by their places among the four; the earlier one wins most often.
MEETINGS = ((0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2))


def question(*keys: str, **more: Any) -> ExperimentQuestion:
    """Return a question about systems as they are declared."""
    return check_question([{"system": key, "parameters": {}} for key in keys or ("elo",)], **more)


def club(games: int = 60, **settings: Any) -> League:
    """Return a league of four whose games are two an evening."""
    league = make_league(**settings)
    for number in range(games):
        first, second = MEETINGS[number % len(MEETINGS)]
        won = number % 5 != 4
        at = datetime(2024, 1, 1, 19, tzinfo=UTC) + timedelta(days=number // 2, hours=number % 2)
        record(league, sheet((FOUR[first], FOUR[second]), (int(won), int(not won)), played_at=at))
    return league


def made(one: ExperimentQuestion, league: League, name: UUID | None = None) -> Job:
    """Return the job of an experiment that a worker has made."""
    asked = {"league": league, "kind": "compare", "arguments": {"question": one.to_json()}, "asked_by": "olga"}
    job = Job.objects.create(pk=name or uuid4(), asked_at=timezone.now(), **asked)
    assert run_requested_job(job.pk)
    return Job.objects.get(pk=job.pk)


def question_fields(**more: Any) -> dict[str, Any]:
    """Return the form as it may be sent."""
    return {"system_1": "elo", "system_2": "glicko2", "warm_up": "20", "draws": "60", **more}
