"""The nightly verification: each league is verified by a job, so that nothing can drift unseen."""

import logging
import time
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from league.core.jobs.selectors import STORED_MESSAGES
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, ask
from league.core.jobs.signs import VERIFIED, record_sign
from league.core.monitoring.telemetry import METERS
from league.core.text.stored_messages import stored_form
from league.core.verify.run import verify_league
from league.models import Job, League

logger = logging.getLogger(__name__)

#: Maximum number of differences a job describes; all are counted.
MAX_DIFFERENCES = 100


def verify_books(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Verify a league as a job; a difference is an error in the log, whoever looks at the job or not."""
    start = time.monotonic()
    verdict = verify_league(job.league_id, progress)
    seconds = max(time.monotonic() - start, 0.001)
    found = verdict.differences
    outcome = "differs" if found else "waits" if verdict.waits else "equal"
    METERS.count("rungs_verifications_total", outcome)
    record_sign(f"{VERIFIED}{outcome}")
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
