"""Cancels jobs: a waiting one ends immediately, a running one at its next step, without writing anything.

A job that writes games also ends, or stores its report, in the same transaction, and only if it was not cancelled. So
a job is either cancelled or its games are written, never both.
"""

from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.errors import Conflict, Refused
from league.core.jobs.selectors import explain_uncancellable
from league.core.jobs.services.work import make_cancelled_error, serialize_error
from league.core.locking import transactional
from league.models import Job

#: Longer names of users are cut.
MAX_NAME_LENGTH = Job.cancelled_by.field.max_length


def cancel_job(job: Job, *, username: str) -> bool:
    """Cancel a job; return whether it has ended already, because it was waiting, or will end at its next step.

    Raises Refused for jobs that cannot be cancelled, Conflict if it has ended meanwhile or its games are already
    written, Busy if the database is locked (on SQLite: while an import writes).
    """
    reason = explain_uncancellable(job)
    if reason:
        raise Refused(reason)
    name = (username or "the site")[:MAX_NAME_LENGTH]
    result = _cancel_job(job=job, name=name)
    if result is None:
        job.refresh_from_db()
        raise Conflict(explain_uncancellable(job) or _("The job has already ended."))
    return result


@transactional
def _cancel_job(*, job: Job, name: str) -> bool | None:
    matching = Job.objects.filter(pk=job.pk)
    ended = matching.filter(state=Job.State.WAITING).update(
        state=Job.State.FAILED,
        problem=serialize_error(make_cancelled_error(name)),
        cancelled_by=name,
        ended_at=timezone.now(),
    )
    if ended:
        job.parts.all().delete()
        return True
    # Ending a job, or storing that its games are written, checks the name first, with the row locked.
    runs = matching.filter(state=Job.State.RUNNING, result__isnull=True)
    return False if runs.update(cancelled_by=name) else None
