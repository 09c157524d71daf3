"""What Celery does when a message comes, and what the sweep finds due without one. All idempotent."""

import logging
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from league.core.capabilities import load_mapping
from league.core.dispatch.nightly import verify_books
from league.core.dry_runs.services.requests import dry_run_job
from league.core.errors import UnknownZone
from league.core.jobs import queue
from league.core.jobs.services.progress import Progress, silent
from league.core.jobs.services.work import OPEN, Work, run_job
from league.core.ladders.services.decisions import is_due
from league.core.ladders.services.periods import rank_due
from league.core.locking import with_league_lock
from league.core.replay.services.background import ReplayResult, long_replay
from league.core.replay.services.inline import first_position, mark_stale
from league.models import Job, League

logger = logging.getLogger(__name__)

#: Seconds for which a league whose replay failed is left alone.
PAUSE = 300


def replay_due(league_id: int) -> int:
    """Replay what is marked stale in a league, as a job, and rank the periods that wait; returns the games replayed.

    0 if nothing is due, or where another worker is at it.
    """
    games = 0
    if league := League.objects.filter(pk=league_id, stale_from__isnull=False).first():
        job = open_job(league, Job.Kind.REPLAY)
        if run_job(job.pk, WORKS):
            job.refresh_from_db()
            games = job.result["games"] if job.result else 0
    rank_due(league_id)
    return games


def open_job(league: League, kind: str, *, by: str = "") -> Job:
    """Return the job of a kind that waits or runs in a league; made if there is none, never a second."""
    there = Job.objects.filter(league=league, kind=kind, state__in=OPEN)
    try:
        with transaction.atomic():
            return there.first() or Job.objects.create(league=league, kind=kind, asked_by=by, asked_at=timezone.now())
    except IntegrityError:  # another worker was quicker
        return there.get()


def replay_everything(league_id: int, progress: Progress = silent) -> ReplayResult:
    """Replay a whole league from nothing, here and now; recording goes on meanwhile."""

    def work(league: League, now: datetime) -> None:
        if league.games.exists():
            mark_stale(league, first_position(league))

    with_league_lock(league_id, work)
    return long_replay(league_id, progress)


def enqueue_due() -> list[int]:
    """Enqueue the replay of every league that waits for one or for a ranking; returns their ids.

    A league whose replay failed a moment ago waits a while. Imports that run rate their games themselves.
    """
    importing = Job.objects.filter(kind=Job.Kind.IMPORT, state=Job.State.RUNNING)
    due = Q(stale_from__isnull=False) | Q(unranked_from__isnull=False)
    waits = League.objects.filter(due).exclude(pk__in=importing.values("league"))
    lately = Job.objects.filter(
        kind=Job.Kind.REPLAY, state=Job.State.FAILED, ended_at__gt=timezone.now() - timedelta(seconds=PAUSE)
    )
    ids = list(waits.exclude(pk__in=lately.values("league")).order_by("pk").values_list("pk", flat=True))
    return queue.enqueue_each("league.replay", ids)


def enqueue_calendar(now: datetime | None = None) -> list[int]:
    """Enqueue the calendar of every league in which a period is due to open or close; returns their ids."""
    due = []
    for league in League.objects.filter(ladders__isnull=False).distinct().order_by("pk"):
        try:
            wanted = is_due(league, now or timezone.now())
        except UnknownZone as error:
            logger.error("The periods of the league %s stand still: %s", league.slug, error.detail)
            continue
        if wanted:
            due.append(league.pk)
    return queue.enqueue_each("league.calendar", due)


def request_replay(league_id: int, *, by: str = "") -> Job | None:
    """Ask for a replay of a whole league: mark it stale from its first game and enqueue a task; returns its job.

    None if no game was played: there is nothing to replay. A job that is under way takes up what is asked.
    """

    def work(league: League, now: datetime) -> Job | None:
        if not league.games.exists():
            return None
        mark_stale(league, first_position(league))
        queue.enqueue("league.replay", league.pk)
        return open_job(league, Job.Kind.REPLAY, by=by)

    return with_league_lock(league_id, work)


#: What is done for each kind of job of the core; capabilities declare theirs.
WORKS: Mapping[str, Work] = {
    Job.Kind.REPLAY: lambda job, progress: asdict(long_replay(job.league_id, progress)),
    Job.Kind.VERIFY: verify_books,
    Job.Kind.DRY_RUN: dry_run_job,
}


def do_job(job_id: UUID) -> bool:
    """Do a job if it is due; returns whether it was there to be done."""
    return run_job(job_id, {**load_mapping("job_kinds"), **WORKS})
