"""The nightly work: its parts are due at 3:30 UTC, each by itself, and looked for every minute until each was done."""

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from league.core.accounts.services import invitations, second_factor, sessions
from league.core.capabilities import load_mapping
from league.core.dispatch.nightly import request_verifications
from league.core.games.services import idempotency
from league.core.jobs import queue
from league.core.jobs.demo_load import find_demo_load
from league.core.jobs.services import work
from league.core.jobs.signs import claim_sign, list_done_for_day, record_sign
from league.core.log.services import heads
from league.models import League

logger = logging.getLogger(__name__)

#: Prefixes of the signs that a part was done, and begun.
DONE, BEGUN = "night.", "begun."
#: How long after midnight, UTC, the parts are due, and how long after its begin a part that did not end begins again.
DUE_AFTER_MIDNIGHT, RETRY_AFTER = timedelta(hours=3, minutes=30), timedelta(hours=1)


def enqueue_rating_updates() -> list[int]:
    """Enqueue an update of the current ratings of each league; a pending replay writes them anyway."""
    current = League.objects.filter(stale_from=None).order_by("pk").values_list("pk", flat=True)
    return queue.enqueue_each("league.standings", list(current))


#: The core's parts; apps declare theirs.
PARTS: Mapping[str, Callable[[], Any]] = {
    "jobs": work.delete_old_jobs,
    "keys": idempotency.delete_expired_keys,
    "sessions": sessions.delete_expired_sessions,
    "factors": second_factor.reencrypt_secrets,
    "invitations": invitations.delete_old_invitations,
    "ratings": enqueue_rating_updates,
    "verify": request_verifications,
    "heads": heads.publish_heads,
}


def load_due_parts() -> dict[str, Callable[[], Any]]:
    """Return the parts that were not done since they were due."""
    parts = {DONE + name: part for name, part in {**PARTS, **load_mapping(lambda app: app.work.nightly)}.items()}
    done = list_done_for_day(parts, timezone.now(), DUE_AFTER_MIDNIGHT)
    return {name.removeprefix(DONE): part for name, part in parts.items() if name not in done}


def do_due_parts() -> list[str]:
    """Do the due parts that no other worker has begun, and return their names; one that fails does not stop others.

    None is due while demo leagues are loaded, which needs the machine.
    """
    done: list[str] = []
    if find_demo_load() is not None:
        return done
    for name, part in load_due_parts().items():
        if not claim_sign(BEGUN + name, timezone.now(), RETRY_AFTER):
            continue
        try:
            part()
        except Exception:  # whatever it is: the other parts do not depend on it, and it is tried again
            logger.exception("The nightly work “%s” failed; it is tried again in an hour.", name)
        else:
            record_sign(DONE + name)
            done.append(name)
    return done
