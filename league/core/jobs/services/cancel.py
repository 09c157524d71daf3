"""Having a job stop: one that waits ends at once, one that runs at its next step; either has written nothing.

Who writes games ends the job, or notes its report, in the transaction that writes them, and only while no one has it
stop: so a job is either cancelled, or its games stand, and never both.
"""

from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.errors import Conflict, Refused
from league.core.jobs.selectors import why_it_stays
from league.core.jobs.services.work import cancelled, problem_of
from league.core.locking import in_transaction
from league.models import Job

#: Job.cancelled_by holds so many letters.
MAX_NAME_LENGTH = 200


def cancel_job(job: Job, *, by: str) -> bool:
    """Have a job stop; returns whether it has ended already (it waited), or ends at its next step.

    Raises Refused with a message where the books need it, Conflict if it has ended meanwhile or its games are
    written already, Busy if the database takes nothing now (on SQLite: while an import writes).
    """
    why = why_it_stays(job)
    if why:
        raise Refused(why)
    name = (by or "the site")[:MAX_NAME_LENGTH]

    def work() -> bool | None:
        there = Job.objects.filter(pk=job.pk)
        ended = there.filter(state=Job.State.WAITING).update(
            state=Job.State.FAILED, problem=problem_of(cancelled(name)), cancelled_by=name, ended_at=timezone.now()
        )
        if ended:
            job.parts.all().delete()
            return True
        # What ends a job, or notes that its games are written, looks at the name first, with the row locked.
        runs = there.filter(state=Job.State.RUNNING, result__isnull=True)
        return False if runs.update(cancelled_by=name) else None

    done = in_transaction(work)
    if done is None:
        job.refresh_from_db()
        raise Conflict(why_it_stays(job) or _("The job has ended meanwhile. There is nothing to cancel."))
    return done
