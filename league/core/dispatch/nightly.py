"""The nightly verification: one job per league."""

import logging
import time
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from league.core.jobs.selectors import STORED_MESSAGES
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, request_job
from league.core.jobs.signs import VERIFIED, record_sign
from league.core.monitoring.telemetry import METERS
from league.core.text.stored_messages import serialize_message
from league.core.verify.run import verify_league
from league.models import Job, League

logger = logging.getLogger(__name__)

#: Maximum number of differences a job describes; all are counted.
MAX_DIFFERENCES = 100


def verify_job(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Verify a league as a job, and log differences as an error."""
    start = time.monotonic()
    verdict = verify_league(job.league_id, progress)
    seconds = max(time.monotonic() - start, 0.001)
    differences = verdict.differences
    outcome = "differs" if differences else "waits" if verdict.waits else "equal"
    METERS.count("rungs_verifications_total", outcome)
    record_sign(f"{VERIFIED}{outcome}")
    if differences:
        logger.error(
            "The data of %s differ from the log in %s points; the first: %s",
            job.league.slug,
            len(differences),
            differences[0],
        )
    stored = {
        name: [serialize_message(message) for message in messages]
        for name, messages in (("differences", differences[:MAX_DIFFERENCES]), ("notes", verdict.notes))
        if messages
    }
    return {
        "games": verdict.games,
        "rows": verdict.rows,
        "editions": verdict.editions,
        "entries": verdict.entries,
        "games_per_second": round(verdict.games / seconds, 3),
        "found": len(differences),
        "differences": differences[:MAX_DIFFERENCES],
        "notes": verdict.notes,
        "waits": verdict.waits,
        "at": timezone.now().isoformat(),
        **({STORED_MESSAGES: stored} if stored else {}),
    }


def request_verifications() -> list[str]:
    """Request a verification of every league without an open one; return the jobs' ids.

    The jobs have no author: any name for the site could also be a user's name.
    """
    jobs = [request_verification(league) for league in League.objects.order_by("pk")]
    return [str(job.pk) for job in jobs if job is not None]


def request_verification(league: League, *, username: str = "") -> Job | None:
    """Request a verification of one league; return None if one is already waiting or running."""
    if Job.objects.filter(league=league, kind=Job.Kind.VERIFY, state__in=OPEN).exists():
        return None
    try:
        with transaction.atomic():
            return request_job(league, Job.Kind.VERIFY, by=username)
    except IntegrityError:
        logger.info("A verification of %s was asked for by somebody else in the same moment.", league.slug)
        return None
