"""Rings a task by name after the commit. A doorbell, not a ledger: what is due stands in the database.

A lost ring does no harm (the sweep finds what is due), so a broker that is down must never turn a
saved game into an error: one try, then a line in the log.
"""

import logging
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

#: A ring that nobody heard for so many seconds is stale; the sweep has long done the work.
RING_EXPIRES = 300


def ring(task: str, *arguments: int | str) -> None:
    """Send the task with ids as arguments once the current transaction has committed."""
    transaction.on_commit(partial(send, task, arguments), robust=True)


def send(task: str, arguments: tuple[int | str, ...]) -> None:
    """Send the task now; a broker that does not answer is logged, not raised."""
    try:
        current_app.send_task(task, args=arguments, retry=False, expires=RING_EXPIRES)
    except (OperationalError, OSError) as error:
        logger.warning("The broker did not take %s%s (%s); the sweep will do it.", task, arguments, error)
