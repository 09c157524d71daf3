"""Jobs: long tasks that are stored in the database, claimed by one worker, and report their progress.

A worker writes a heartbeat while it works. If it is killed, the sweep lets another worker restart the job
after LEASE seconds. Jobs are idempotent and write in one transaction, so that killing a worker at any time leaves no
partial results.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from types import TracebackType
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, connections
from django.db.models import F, Q
from django.utils import timezone, translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from league.core.errors import Cancelled, Refused, RungsError, serialize_problem
from league.core.jobs import queue
from league.core.jobs.services.progress import Progress
from league.core.monitoring.telemetry import METERS
from league.core.permissions import find_viewers, load_viewer, refuse_lost_permission, serialize_viewer
from league.models import Job, JobPart, League
from league.models.record import ATTEMPTS, BROKEN, GAVE_UP

logger = logging.getLogger(__name__)

#: Seconds between heartbeats, and without one after which a worker counts as dead.
BEAT, LEASE = 2.0, 30.0
#: How long a dry run's file is stored for its import, and its result.
FILE_LIFETIME = timedelta(days=1)
JOB_DAYS, COMPARED_DAYS = settings.RUNGS_DAYS["jobs"], settings.RUNGS_DAYS["experiments"]
#: The name of the task that runs a job.
TASK = "league.job"
OPEN = (Job.State.WAITING, Job.State.RUNNING)

#: What those who ask for a job must still be permitted to do when it runs. Replays and other boards belong to the
#: league, which runs them by itself too; imports and dry runs know themselves what they need.
NEEDED: dict[str, str] = {Job.Kind.PAIR: "arbitrate", Job.Kind.VERIFY: "organise", Job.Kind.COMPARE: "organise"}
#: The argument of a job with whoever had the name that asked for it; a token may be named like a user.
ASKERS = "askers"

Work = Callable[[Job, Progress], Mapping[str, Any]]


class WorkerNeeded(Exception):
    """The rest of a request must be done by a worker. ``leagues``: the ids of the affected leagues."""

    def __init__(self, leagues: Collection[int]) -> None:
        super().__init__("this takes the time of a worker")
        self.leagues = sorted(leagues)


class Heartbeat:
    """Writes the progress of a job, in a thread with its own connection.

    So it is visible while the job's transaction is open, and the heartbeat continues during long
    calculations and statements. The thread also checks whether the job was cancelled: the
    job then ends at its next step with an exception that rolls back its transaction.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.phase, self.done, self.total = job, "", 0, 0
        self.cancelled_by = ""
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.beat, name=f"job {job.pk}", daemon=True)

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Store the phase and the number of steps done; raises Cancelled if the job was cancelled."""
        self.phase, self.done, self.total = phase, done, total
        if self.cancelled_by:
            raise make_cancelled_error(self.cancelled_by)

    def __enter__(self) -> "Heartbeat":
        """Start the heartbeat."""
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the heartbeat."""
        self.stop.set()
        self.thread.join()

    def beat(self) -> None:
        """Write the progress every BEAT seconds until the job ends."""
        try:
            while not self.stop.wait(BEAT):
                self.write()
                self.look()
        finally:
            connections.close_all()

    def write(self) -> None:
        """Write the progress; after a database error the next attempt may succeed."""
        try:
            Job.objects.filter(pk=self.job.pk, state=Job.State.RUNNING, attempts=self.job.attempts).update(
                phase=self.phase, done=self.done, total=self.total, beat_at=timezone.now()
            )
        except DatabaseError as error:
            logger.warning("Job %s could not say how far it is: %s", self.job.pk, error)

    def look(self) -> None:
        """Check whether the job was cancelled; after a database error the next attempt may succeed."""
        try:
            names = Job.objects.filter(pk=self.job.pk, result__isnull=True).values_list("cancelled_by", flat=True)
            self.cancelled_by = names.first() or ""
        except DatabaseError as error:
            logger.warning("Job %s could not see whether it is cancelled: %s", self.job.pk, error)


def make_cancelled_error(username: str) -> Cancelled:
    """Return the exception that ends a cancelled job."""
    return Cancelled(f"Cancelled by {username}. Nothing was written.")


def refuse_cancelled(job: Job) -> None:
    """Raise Cancelled if a job was cancelled; afterwards its row is locked, so it can no longer be."""
    username = (
        Job.objects.select_for_update(of=("self",)).filter(pk=job.pk).values_list("cancelled_by", flat=True).first()
    )
    if username:
        raise make_cancelled_error(username)


def refuse_lost_asker(job: Job) -> None:
    """Raise Forbidden if who asked for a job may not ask for it any more; whoever is deleted may not either."""
    viewers = list(map(load_viewer, job.arguments.get(ASKERS, [])))
    if viewers and not any(viewer.may(NEEDED[job.kind], job.league) for viewer in viewers):
        refuse_lost_permission(viewers[0], job.league, NEEDED[job.kind])


def request_job(league: League, kind: str, *, by: str = "", arguments: Mapping[str, Any] | None = None) -> Job:
    """Create a job and notify a worker after the commit; it uses the language of the current user."""
    # Arguments copied from another job may contain another user's language.
    stored_arguments = {
        name: value for name, value in (arguments or {}).items() if name != "language"
    } | _get_language_argument()
    if by and kind in NEEDED:
        stored_arguments[ASKERS] = list(map(serialize_viewer, find_viewers(by)))
    job = Job.objects.create(league=league, kind=kind, arguments=stored_arguments, asked_by=by, asked_at=timezone.now())
    queue.enqueue(TASK, str(job.pk))
    return job


def _get_language_argument() -> dict[str, str]:
    """Return the current language as an argument of a job; empty for the default language."""
    language = get_language() or settings.LANGUAGE_CODE
    return {} if language == settings.LANGUAGE_CODE else {"language": language}


def _build_due_condition() -> Q:
    """Return the condition for jobs to start: waiting ones, and those whose worker is dead."""
    dead = timezone.now() - timedelta(seconds=LEASE)
    return Q(state=Job.State.WAITING) | Q(state=Job.State.RUNNING, beat_at__lt=dead)


def claim(job_id: UUID) -> Job | None:
    """Claim a job for this worker; None if it is not due. Only one worker can claim it."""
    now = timezone.now()
    claimed = Job.objects.filter(_build_due_condition(), pk=job_id).update(
        state=Job.State.RUNNING,
        attempts=F("attempts") + 1,
        started_at=now,
        beat_at=now,
        phase="",
        done=0,
        total=0,
    )
    return Job.objects.select_related("league").get(pk=job_id) if claimed else None


def run_job(job_id: UUID, handlers: Mapping[str, Work]) -> bool:
    """Run a due job by its kind; return whether it was due.

    A RungsError ends the job with that problem. WorkerNeeded puts it back into the queue. If the database becomes
    unavailable, the sweep restarts it later. Any other error ends it, and is raised.
    """
    job = claim(job_id)
    if job is None:
        return False
    if job.attempts > ATTEMPTS:
        finish_job(job, problem=build_problem("gave_up", GAVE_UP.format(attempts=ATTEMPTS)))
        return True
    try:
        if job.cancelled_by:  # its worker died before noticing
            raise make_cancelled_error(job.cancelled_by)
        language = job.arguments.get("language", settings.LANGUAGE_CODE)
        with translation.override(language), Heartbeat(job) as progress:
            if job.kind not in handlers:
                raise Refused(_("This site has left out the capability that does this job."))
            refuse_lost_asker(job)
            result = handlers[job.kind](job, progress)
    except RungsError as error:
        finish_job(job, problem=serialize_error(error))
    except WorkerNeeded:
        reset_fields = {"state": Job.State.WAITING, "attempts": job.attempts - 1}
        Job.objects.filter(pk=job.pk, attempts=job.attempts).update(**reset_fields)
        queue.enqueue(TASK, str(job.pk))
    except (OperationalError, InterfaceError):
        connection.close()
        raise
    except Exception:  # a bug: the job must end, and the error be logged
        finish_job(job, problem=build_problem("error", BROKEN))
        raise
    else:
        # The job was cancelled before it wrote anything.
        unfinished = Job.objects.filter(pk=job.pk, ended_at=None, result__isnull=True)
        name = unfinished.values_list("cancelled_by", flat=True).first()
        finish_job(
            job, result=None if name else result, problem=serialize_error(make_cancelled_error(name)) if name else None
        )
    return True


def finish_job(job: Job, *, result: Mapping[str, Any] | None = None, problem: Mapping[str, Any] | None = None) -> None:
    """Store the result of a job, unless another worker has claimed it meanwhile."""
    state = Job.State.DONE if problem is None else Job.State.FAILED
    ended = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, attempts=job.attempts).update(
        state=state, result=result, problem=problem, ended_at=timezone.now(), phase="", done=F("total")
    )
    METERS.count("rungs_jobs_total", job.kind, state.value, by=ended)


def build_problem(code: str, detail: str) -> dict[str, Any]:
    """Return a problem for storing in a job."""
    return {"status": 500, "code": code, "title": "The job failed.", "detail": detail, "errors": []}


def serialize_error(error: RungsError) -> dict[str, Any]:
    """Return an error for storing in a job, as a problem document."""
    return {
        "status": error.status,
        "code": error.code,
        "title": _(error.title),
        "detail": error.detail,
        "errors": list(map(serialize_problem, error.problems)),
    }


def enqueue_jobs() -> list[str]:
    """Enqueue every due job; return their ids."""
    jobs = Job.objects.filter(_build_due_condition()).order_by("asked_at").values_list("pk", flat=True)
    return queue.enqueue_each(TASK, [str(job) for job in jobs])


def delete_old_jobs() -> int:
    """Delete old jobs, and files of ended ones; return the number of jobs.

    Files of dry runs, which may be imported, and results of dry runs stay for a day; results of comparisons for
    COMPARED_DAYS.
    """
    now = timezone.now()
    dry_runs = Job.objects.filter(arguments__keep=True, ended_at__gt=now - FILE_LIFETIME).values("pk")
    JobPart.objects.filter(job__ended_at__isnull=False).exclude(job__in=dry_runs).delete()
    recent_comparisons = Q(
        kind=Job.Kind.COMPARE, state=Job.State.DONE, ended_at__gt=now - timedelta(days=COMPARED_DAYS)
    )
    large = Q(kind=Job.Kind.DRY_RUN, ended_at__lt=now - FILE_LIFETIME)
    ended = Job.objects.filter(large | ~recent_comparisons & Q(ended_at__lt=now - timedelta(days=JOB_DAYS)))
    return ended.delete()[0]
