"""The nightly backup: due at 2:30 UTC, requested by the sweep until one has ended."""

import logging
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from league.apps.operations.selectors.backups import BAD, GOOD
from league.apps.operations.services.backup import Backup, BackupProblem, BackupRunning, make_backup
from league.core.jobs import queue
from league.core.jobs.signs import claim_sign, list_done_for_day, record_sign

logger = logging.getLogger(__name__)

TASK, REQUESTED = "league.backup", "backup.asked"
#: How long after midnight, UTC, a night's backup is due, and how long until a worker is asked again.
DUE_AFTER_MIDNIGHT, RETRY_AFTER = timedelta(hours=2, minutes=30), timedelta(hours=1)


def is_due(now: datetime) -> bool:
    """Return whether no backup has ended since the night's was due."""
    return bool(settings.RUNGS_BACKUP_DIR) and not list_done_for_day((GOOD, BAD), now, DUE_AFTER_MIDNIGHT)


def enqueue_backup() -> list[str]:
    """Ask a worker for the night's backup if it is due."""
    now = timezone.now()
    if not is_due(now) or not claim_sign(REQUESTED, now, RETRY_AFTER):
        return []
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
        logger.error("The nightly backup failed: %s", error)
        return False
    return True


def back_up() -> Backup:
    """Make a backup in RUNGS_BACKUP_DIR and note whether it was proved; raises BackupProblem."""
    try:
        backup = make_backup(Path(settings.RUNGS_BACKUP_DIR), keep=settings.RUNGS_BACKUP_KEEP)
    except BackupRunning:
        raise
    except BackupProblem:
        record_sign(BAD)
        raise
    record_sign(GOOD)
    logger.info("The backup %s was restored and verified.", backup.path)
    return backup
