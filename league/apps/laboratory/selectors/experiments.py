"""Experiments of a league: for everyone who may see it, finished or not."""

from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from league.core.errors import NotFound
from league.models import Job, League


def experiments_of(league: League) -> QuerySet[Job]:
    """Return the experiments of a league without their reports, the newest first."""
    found = Job.objects.filter(league=league, kind=Job.Kind.COMPARE).defer("result")
    return found.order_by("-asked_at", "pk")


def find_experiment(league: League, name: str) -> Job:
    """Return an experiment of a league; raises NotFound."""
    try:
        job = Job.objects.filter(league=league, kind=Job.Kind.COMPARE, pk=UUID(name)).first()
    except ValueError:
        job = None
    if job is None:
        raise NotFound(_("{league} has no experiment “{name}”.").format(league=league.title, name=name[:40]))
    job.league = league
    return job
