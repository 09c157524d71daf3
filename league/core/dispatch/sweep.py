"""The work of Celery tasks, and the sweep that finds due work without a message. All of it is idempotent."""

import logging
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from league.core.capabilities import load_mapping
from league.core.dispatch.nightly import verify_job
from league.core.dry_runs.services.run import run_dry_run_job
from league.core.errors import UnknownZone
from league.core.jobs import queue
from league.core.jobs.services.progress import Progress, ignore_progress
from league.core.jobs.services.work import OPEN, Work, run_job
from league.core.ladders.services.decisions import is_due
from league.core.ladders.services.periods import rank_due
from league.core.locking import locked
from league.core.replay.services.background import ReplayResult, run_long_replay
from league.core.replay.services.inline import find_first_position, mark_stale
from league.models import Context, Job, League

logger = logging.getLogger(__name__)

#: Seconds before a failed replay is started again.
RETRY_SECONDS = 300


def build_replay_condition() -> Q:
    """Return the condition that a league has a due replay: its own, or that of a context."""
    return Q(stale_from__isnull=False) | Q(pk__in=Context.objects.filter(pending=True).values("league"))


def run_due_replay(league_id: int) -> int:
    """Run the due replay of a league and its contexts as a job, and rank its waiting periods.

    Returns the number of replayed games of the league itself: 0 if it is current, or another worker is replaying.
    """
    games = 0
    if league := League.objects.filter(build_replay_condition(), pk=league_id).first():
        job = find_or_create_job(league, Job.Kind.REPLAY)
        if run_job(job.pk, JOB_FUNCTIONS):
            job.refresh_from_db()
            games = job.result["games"] if job.result else 0
    rank_due(league_id)
    return games


def find_or_create_job(league: League, kind: str, *, username: str = "") -> Job:
    """Return the waiting or running job of a kind in a league, or create one."""
    open_jobs = Job.objects.filter(league=league, kind=kind, state__in=OPEN)
    try:
        with transaction.atomic():
            return open_jobs.first() or Job.objects.create(
                league=league, kind=kind, asked_by=username, asked_at=timezone.now()
            )
    except IntegrityError:  # another worker has just created it
        return open_jobs.get()


def replay_league(league_id: int, progress: Progress = ignore_progress) -> ReplayResult:
    """Replay a league from its first game, at once; recording can continue."""
    _mark_all_stale(league_id)
    return run_long_replay(league_id, progress)


@locked
def _mark_all_stale(league: League, now: datetime) -> None:
    if league.games.exists():
        mark_stale(league, find_first_position(league))


def enqueue_due() -> list[int]:
    """Enqueue every due replay and ranking; return the leagues' ids.

    Leagues whose replay has just failed, or which have a running import, are skipped.
    """
    importing = Job.objects.filter(kind=Job.Kind.IMPORT, state=Job.State.RUNNING)
    due_leagues = League.objects.filter(build_replay_condition() | Q(unranked_from__isnull=False)).exclude(
        pk__in=importing.values("league")
    )
    failed_recently = Job.objects.filter(
        kind=Job.Kind.REPLAY, state=Job.State.FAILED, ended_at__gt=timezone.now() - timedelta(seconds=RETRY_SECONDS)
    )
    ids = list(due_leagues.exclude(pk__in=failed_recently.values("league")).order_by("pk").values_list("pk", flat=True))
    return queue.enqueue_each("league.replay", ids)


def enqueue_calendar(now: datetime | None = None) -> list[int]:
    """Enqueue the calendar of every league in which a period must open or close; return the leagues' ids."""
    league_ids = []
    for league in League.objects.filter(ladders__isnull=False).distinct().order_by("pk"):
        try:
            is_calendar_due = is_due(league, now or timezone.now())
        except UnknownZone as error:
            logger.error("The periods of the league %s stand still: %s", league.slug, error.detail)
            continue
        if is_calendar_due:
            league_ids.append(league.pk)
    return queue.enqueue_each("league.calendar", league_ids)


@locked
def request_replay(league: League, now: datetime, *, by: str = "") -> Job | None:
    """Request a replay of a whole league: mark it stale, enqueue a task, and return the job.

    A running job includes the request. Returns None if the league has no games.
    """
    if not league.games.exists():
        return None
    mark_stale(league, find_first_position(league))
    queue.enqueue("league.replay", league.pk)
    return find_or_create_job(league, Job.Kind.REPLAY, username=by)


#: The functions for the core's kinds of jobs; apps declare theirs.
JOB_FUNCTIONS: Mapping[str, Work] = {
    Job.Kind.REPLAY: lambda job, progress: asdict(run_long_replay(job.league_id, progress)),
    Job.Kind.VERIFY: verify_job,
    Job.Kind.DRY_RUN: run_dry_run_job,
}


def run_requested_job(job_id: UUID) -> bool:
    """Run a job if it is due; return whether it was."""
    return run_job(job_id, {**load_mapping(lambda app: app.work.jobs), **JOB_FUNCTIONS})
