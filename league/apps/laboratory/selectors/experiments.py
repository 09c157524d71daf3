"""Queries of a league's experiments."""

from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from league.core.errors import NotFound
from league.models import Job, League


def list_experiments(league: League) -> QuerySet[Job]:
    """Return the experiments of a league without their reports, newest first."""
    jobs = Job.objects.filter(league=league, kind=Job.Kind.COMPARE).defer("result")
    return jobs.order_by("-asked_at", "pk")


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
