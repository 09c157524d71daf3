"""Work that takes its time: jobs that are in the database, are claimed by one worker, and show how far they are.

A worker shows signs of life while it works. One that is killed shows none, and after LEASE the
sweep has another take the job up. What a job does is idempotent and writes in one transaction, so
that being killed at any moment leaves nothing half done.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
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

from league.core.errors import Cancelled, Refused, RungsError
from league.core.jobs import queue
from league.core.jobs.services.progress import Progress
from league.core.monitoring.meters import METERS
from league.models import Job, JobPart, League
from league.models.record import ATTEMPTS, BROKEN, GAVE_UP

logger = logging.getLogger(__name__)

#: Seconds between two signs of life, and without one after which a worker counts as dead.
BEAT, LEASE = 2.0, 30.0
#: How long a dry run's file is stored for its import, and its result.
FILE_LIFETIME = timedelta(days=1)
JOB_DAYS, REPORT_DAYS = settings.RUNGS_DAYS["jobs"], settings.RUNGS_DAYS["experiments"]
#: The name of the task that looks at a job.
TASK = "league.job"
OPEN = (Job.State.WAITING, Job.State.RUNNING)

Work = Callable[[Job, Progress], Mapping[str, Any]]


class WorkerNeeded(Exception):
    """A request ends here: what is left takes the time of a worker. ``leagues``: the ids of those concerned."""

    def __init__(self, leagues: Collection[int]) -> None:
        super().__init__("this takes the time of a worker")
        self.leagues = sorted(leagues)


class Heartbeat:
    """How far a job is. What is noted here is written by a thread with a connection of its own.

    So it is seen while the work's own transaction is open, and the worker shows that it lives
    during long sums and long statements. The thread also sees that someone has the job stop: the
    work then ends at its next step, by an exception that takes back what its transaction wrote.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.phase, self.done, self.total = job, "", 0, 0
        self.cancelled_by = ""
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.beat, name=f"job {job.pk}", daemon=True)

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Note what is done now, and how many steps of the whole job are; raises Cancelled where it is to stop."""
        self.phase, self.done, self.total = phase, done, total
        if self.cancelled_by:
            raise cancelled(self.cancelled_by)

    def __enter__(self) -> "Heartbeat":
        """Begin to show signs of life."""
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Show no more of them."""
        self.stop.set()
        self.thread.join()

    def beat(self) -> None:
        """Write how far the job is every BEAT seconds, until it ends."""
        try:
            while not self.stop.wait(BEAT):
                self.write()
                self.look()
        finally:
            connections.close_all()

    def write(self) -> None:
        """Write how far the job is; a database that does not take it now will take the next one."""
        try:
            Job.objects.filter(pk=self.job.pk, state=Job.State.RUNNING, attempts=self.job.attempts).update(
                phase=self.phase, done=self.done, total=self.total, beat_at=timezone.now()
            )
        except DatabaseError as error:
            logger.warning("Job %s could not say how far it is: %s", self.job.pk, error)

    def look(self) -> None:
        """See whether someone has the job stop; what is not seen now is seen the next time."""
        try:
            names = Job.objects.filter(pk=self.job.pk, result__isnull=True).values_list("cancelled_by", flat=True)
            self.cancelled_by = names.first() or ""
        except DatabaseError as error:
            logger.warning("Job %s could not see whether it is cancelled: %s", self.job.pk, error)


def cancelled(by: str) -> Cancelled:
    """Return what ends a job that someone has stop."""
    return Cancelled(f"Cancelled by {by}. Nothing was written.")


def refuse_cancelled(job: Job) -> None:
    """Raise Cancelled where someone had a job stop; from here on no one can, as its row is locked."""
    by = Job.objects.select_for_update(of=("self",)).filter(pk=job.pk).values_list("cancelled_by", flat=True).first()
    if by:
        raise cancelled(by)


def ask(league: League, kind: str, *, by: str = "", arguments: Mapping[str, Any] | None = None) -> Job:
    """Write a job down and send a worker a message after the commit; it will speak the language of who asks."""
    # What another job was asked with may name the language of someone else.
    given = {name: value for name, value in (arguments or {}).items() if name != "language"} | current_language()
    job = Job.objects.create(league=league, kind=kind, arguments=given, asked_by=by, asked_at=timezone.now())
    queue.enqueue(TASK, str(job.pk))
    return job


def current_language() -> dict[str, str]:
    """Return the language of who asks now, as a job keeps it; nothing if it is that of the data."""
    language = get_language() or settings.LANGUAGE_CODE
    return {} if language == settings.LANGUAGE_CODE else {"language": language}


def due() -> Q:
    """Return the condition for jobs that a worker is to take up: those waiting, and those whose worker is dead."""
    dead = timezone.now() - timedelta(seconds=LEASE)
    return Q(state=Job.State.WAITING) | Q(state=Job.State.RUNNING, beat_at__lt=dead)


def claim(job_id: UUID) -> Job | None:
    """Note that a worker has a job now; None if it is not due. Two workers never have it both."""
    now = timezone.now()
    taken = Job.objects.filter(due(), pk=job_id).update(
        state=Job.State.RUNNING,
        attempts=F("attempts") + 1,
        started_at=now,
        beat_at=now,
        phase="",
        done=0,
        total=0,
    )
    return Job.objects.select_related("league").get(pk=job_id) if taken else None


def carry_out(job_id: UUID, work: Mapping[str, Work]) -> bool:
    """Do a job that is due, by its kind; returns whether it was there to be done.

    An error that tells someone what to do ends the job with that problem. A request that needs a worker gives it
    back. A database that went away leaves it as it is: the sweep takes it up. Any other error ends it, and is raised.
    """
    job = claim(job_id)
    if job is None:
        return False
    if job.attempts > ATTEMPTS:
        end(job, problem=problem("gave_up", GAVE_UP.format(attempts=ATTEMPTS)))
        return True
    try:
        if job.cancelled_by:  # its worker had died before it saw that
            raise cancelled(job.cancelled_by)
        language = job.arguments.get("language", settings.LANGUAGE_CODE)
        with translation.override(language), Heartbeat(job) as progress:
            if job.kind not in work:
                raise Refused(_("This site has left out the capability that does this job."))
            result = work[job.kind](job, progress)
    except RungsError as error:
        end(job, problem=problem_of(error))
    except WorkerNeeded:
        waiting = {"state": Job.State.WAITING, "attempts": job.attempts - 1}
        Job.objects.filter(pk=job.pk, attempts=job.attempts).update(**waiting)
        queue.enqueue(TASK, str(job.pk))
    except (OperationalError, InterfaceError):
        connection.close()
        raise
    except Exception:  # a fault of ours, whatever it is: whoever waits for the job must hear, and the log why
        end(job, problem=problem("error", BROKEN))
        raise
    else:
        # Who has a job stop that has written nothing and ended nothing itself.
        waits = Job.objects.filter(pk=job.pk, ended_at=None, result__isnull=True)
        name = waits.values_list("cancelled_by", flat=True).first()
        end(job, result=None if name else result, problem=problem_of(cancelled(name)) if name else None)
    return True


def end(job: Job, *, result: Mapping[str, Any] | None = None, problem: Mapping[str, Any] | None = None) -> None:
    """Write how a job ended, unless another worker has taken it up meanwhile."""
    state = Job.State.DONE if problem is None else Job.State.FAILED
    ended = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, attempts=job.attempts).update(
        state=state, result=result, problem=problem, ended_at=timezone.now(), phase="", done=F("total")
    )
    METERS.count("rungs_jobs_total", job.kind, state.value, by=ended)


def problem(code: str, detail: str, status: int = 500) -> dict[str, Any]:
    """Return a problem as a job keeps it."""
    return {"status": status, "code": code, "title": "The job failed.", "detail": detail, "errors": []}


def problem_of(error: RungsError) -> dict[str, Any]:
    """Return an error as a job keeps it: with the words of a problem document."""
    errors = [{name: value for name, value in asdict(one).items() if value is not None} for one in error.problems]
    return {
        "status": error.status,
        "code": error.code,
        "title": _(error.title),
        "detail": error.detail,
        "errors": errors,
    }


def enqueue_jobs() -> list[str]:
    """Enqueue every job that is due; returns their ids."""
    jobs = Job.objects.filter(due()).order_by("asked_at").values_list("pk", flat=True)
    return queue.enqueue_each(TASK, [str(job) for job in jobs])


def forget_old() -> int:
    """Delete jobs that ended long ago, and files of those that ended; returns how many jobs.

    A file that was tried and may be imported, and what a dry run has found, stay for a day; the report of an experiment
    for a year and a month.
    """
    now = timezone.now()
    tried = Job.objects.filter(arguments__keep=True, ended_at__gt=now - FILE_LIFETIME).values("pk")
    JobPart.objects.filter(job__ended_at__isnull=False).exclude(job__in=tried).delete()
    read = Q(kind=Job.Kind.COMPARE, state=Job.State.DONE, ended_at__gt=now - timedelta(days=REPORT_DAYS))
    large = Q(kind=Job.Kind.DRY_RUN, ended_at__lt=now - FILE_LIFETIME)
    ended = Job.objects.filter(large | ~read & Q(ended_at__lt=now - timedelta(days=JOB_DAYS)))
    return ended.delete()[0]
