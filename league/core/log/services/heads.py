"""Publishes signed heads of the logs of public leagues, once a day if there are new entries."""

import logging
from datetime import datetime

from league.core.errors import Busy, ClockBehind
from league.core.locking import locked_at
from league.core.log.selectors.log import find_newest_head
from league.core.log.services import entries, site_key
from league.core.log.signed_log_heads import build_signed_text
from league.core.text.instants import format_instant
from league.models import Head, League, LogEntry
from league.models.record import HEAD_LOG

logger = logging.getLogger(__name__)


def publish_heads(now: datetime | None = None) -> list[Head]:
    """Publish the due heads of all public leagues; ``now`` replaces the system clock. Idempotent."""
    public = League.objects.filter(visibility=League.Visibility.PUBLIC, log_length__gt=0).order_by("pk")
    heads = []
    for pk in public.values_list("pk", flat=True):
        try:
            heads.append(publish_head(pk, now))
        except Busy:
            logger.warning("The league %s was busy: its head is published with the next round.", pk)
        except ClockBehind:
            continue  # already reported; the logs of other leagues may be older
    return [head for head in heads if head is not None]


def publish_head(league_id: int, now: datetime | None = None) -> Head | None:
    """Publish and log a head of a league, if it is public, has new entries and no head on that day.

    The log entry of a head does not count as new.
    """
    return _publish_head(league_id, now)


@locked_at
def _publish_head(league: League, now: datetime) -> Head | None:
    last = find_newest_head(league)
    if league.visibility != League.Visibility.PUBLIC:
        return None
    if last is not None and (last.at.date() >= now.date() or league.log_length <= last.position + 1):
        return None
    head = Head(league=league, position=league.log_length, sha256=league.log_sha256, at=now)
    head.key = site_key.load_public_key()
    head.signature = site_key.sign(
        build_signed_text(league.slug, head.position, head.sha256, format_instant(now), head.key)
    )
    head.save(force_insert=True)
    entries.append(league, now, "", LogEntry.Kind.HEAD_PUBLISHED, HEAD_LOG.build_payload(head))
    return head
