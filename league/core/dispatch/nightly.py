"""What is done every night: each league is verified by a job, its ratings are rebuilt, old jobs are forgotten.

The sweep asks for the backup of a night from 2:30 UTC until one ended.
"""

import logging
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from league.apps.operations.selectors.backups import BAD, GOOD
from league.apps.operations.selectors.gauges import VERIFIED
from league.apps.operations.services.backup import Backup, BackupProblem, BackupRunning, make_backup
from league.core.jobs import queue
from league.core.jobs.selectors import STORED_MESSAGES
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, ask
from league.core.monitoring.meters import METERS
from league.core.text.stored_messages import stored_form
from league.core.verify.run import verify_league
from league.models import Job, League, Sign

logger = logging.getLogger(__name__)

#: Maximum number of differences a job describes; all are counted.
MAX_DIFFERENCES = 100
TASK, ASKED = "league.backup", "backup.asked"
#: How long after midnight, UTC, a night's backup is due, and how long until a worker is asked again.
DUE, AGAIN = timedelta(hours=2, minutes=30), timedelta(hours=1)


def verify_books(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Verify a league as a job; a difference is an error in the log, whoever looks at the job or not."""
    start = time.monotonic()
    verdict = verify_league(job.league_id, progress)
    seconds = max(time.monotonic() - start, 0.001)
    found = verdict.differences
    outcome = "differs" if found else "waits" if verdict.waits else "equal"
    METERS.count("rungs_verifications_total", outcome)
    hear(f"{VERIFIED}{outcome}")
    if found:
        logger.error("The books of %s differ in %s points; the first: %s", job.league.slug, len(found), found[0])
    made_of = {
        name: [stored_form(one) for one in sentences]
        for name, sentences in (("differences", found[:MAX_DIFFERENCES]), ("notes", verdict.notes))
        if sentences
    }
    return {
        "games": verdict.games,
        "rows": verdict.rows,
        "editions": verdict.editions,
        "entries": verdict.entries,
        "games_per_second": round(verdict.games / seconds, 3),
        "found": len(found),
        "differences": found[:MAX_DIFFERENCES],
        "notes": verdict.notes,
        "waits": verdict.waits,
        "at": timezone.now().isoformat(),
        **({STORED_MESSAGES: made_of} if made_of else {}),
    }


def ask_verifications() -> list[str]:
    """Ask for a verification of every league that does not wait for one already; returns the jobs' ids.

    Nobody has asked for them: a name for the site would be the name of whoever signs up with it.
    """
    asked = [ask_verification(league) for league in League.objects.order_by("pk")]
    return [str(job.pk) for job in asked if job is not None]


def ask_verification(league: League, *, by: str = "") -> Job | None:
    """Ask for a verification of one league; returns None if one waits or runs already."""
    if Job.objects.filter(league=league, kind=Job.Kind.VERIFY, state__in=OPEN).exists():
        return None
    try:
        with transaction.atomic():
            return ask(league, Job.Kind.VERIFY, by=by)
    except IntegrityError:
        logger.info("A verification of %s was asked for by somebody else in the same moment.", league.slug)
        return None


def hear(name: str) -> None:
    """Note that something was heard now."""
    Sign.objects.bulk_create(
        [Sign(name=name, at=timezone.now())], update_conflicts=True, unique_fields=["name"], update_fields=["at"]
    )


def is_due(now: datetime) -> bool:
    """Return whether no backup has ended since the night's was due."""
    since = (now - DUE).replace(hour=0, minute=0, second=0, microsecond=0) + DUE
    return bool(settings.RUNGS_BACKUP_DIR) and not Sign.objects.filter(name__in=(GOOD, BAD), at__gte=since).exists()


def enqueue_backup() -> list[str]:
    """Ask a worker for the night's backup if it is due."""
    now = timezone.now()
    if not is_due(now) or Sign.objects.filter(name=ASKED, at__gt=now - AGAIN).exists():
        return []
    hear(ASKED)
    queue.enqueue(TASK)
    return [TASK]


def back_up_if_due() -> bool:
    """Make the night's backup if it is due; returns whether a good one was made."""
    if not is_due(timezone.now()):
        return False
    try:
        back_up()
    except BackupRunning:
        return False
    except BackupProblem as error:
        logger.error("The backup of tonight is bad: %s", error)
        return False
    return True


def back_up() -> Backup:
    """Make a backup in RUNGS_BACKUP_DIR and note whether it was proved; raises BackupProblem."""
    try:
        made = make_backup(Path(settings.RUNGS_BACKUP_DIR), keep=settings.RUNGS_BACKUP_KEEP)
    except BackupRunning:
        raise
    except BackupProblem:
        hear(BAD)
        raise
    hear(GOOD)
    logger.info("The backup %s was restored and verified.", made.path)
    return made
