"""Finds what is to be told and writes it down, once: the notice, and a mail for each member who wants it.

The table of notices says what was told, so a worker that is killed at any moment loses nothing and doubles nothing:
what it had not written down is found again, what it had is sent by whoever looks next.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from league.apps.notices.models import Notice, NoticeMail
from league.apps.notices.selectors.due import (
    MADE,
    News,
    decisions_due,
    has_news,
    leagues_with_news,
    made_decisions,
    news_of,
)
from league.apps.notices.selectors.mailed import mails_go_out, to_be_mailed
from league.core.chats import chat_sender
from league.core.db.isolation import short_snapshot
from league.core.errors import UnknownZone
from league.core.jobs import queue
from league.core.locking import with_league_lock
from league.models import League

logger = logging.getLogger(__name__)

TASK, MAIL = "league.notices", "league.notice_mail"
TEXT_DAYS = settings.RUNGS_DAYS["notices"]


def enqueue_notices(now: datetime | None = None) -> list[int]:
    """Enqueue every league of which there is something to tell; returns their ids.

    Where a league cannot be looked at, the others are all the same; then RuntimeError is raised, which names it.
    """
    moment = now or timezone.now()
    due, faults = [], dict[str, Exception]()
    for league in leagues_with_news(moment):
        try:
            wanted = has_news(league, moment)
        except UnknownZone as error:
            logger.error("The notices of the league %s stand still: %s", league.slug, error.detail)
            continue
        except Exception as error:  # whatever it is: the leagues after this one have nothing to do with it
            logger.exception("The league %s could not be looked at for news.", league.slug)
            faults[league.slug] = error
            continue
        if wanted:
            queue.enqueue(TASK, league.pk)
            due.append(league.pk)
    if faults:
        first, *_ = faults.values()
        raise RuntimeError(f"Not looked at for news: {', '.join(faults)}.") from first
    return due


def write_notices(league_id: int, now: datetime | None = None) -> int:
    """Write down what is to be told of a league, and have it sent; returns how many notices that are new.

    What takes its time is made before the league is locked; under the lock it is asked whether it was told meanwhile.
    Raises UnknownZone where the league's time zone is not known any more.
    """
    moment = now or timezone.now()
    with short_snapshot():
        league = League.objects.filter(pk=league_id).first()
        news = [] if league is None else news_of(league, moment)

    def work(league: League, now: datetime) -> int:
        for notice in made_decisions(league):
            notice.subject = f"{notice.subject}/{MADE}{notice.number}"
            notice.save(update_fields=["subject"])
        new = [
            one
            for one in (*news, *decisions_due(league, moment))
            if not Notice.objects.filter(league=league, kind=one.kind, subject=one.subject).exists()
        ]
        for one in new:
            write(league, one, moment)
        if new:
            league.save(update_fields=["last_notice"])
            if sender := chat_sender():
                sender.enqueue(league)
        return len(new)

    return 0 if league is None else with_league_lock(league_id, work, now)


def write(league: League, one: News, now: datetime) -> None:
    """Write a notice down with its mails; the league must be locked."""
    league.last_notice += 1
    notice = Notice.objects.create(
        league=league, number=league.last_notice, kind=one.kind, subject=one.subject, at=now, facts=one.facts
    )
    if one.facts is None or not mails_go_out():
        return
    users = to_be_mailed(league, one.kind)
    for mail in NoticeMail.objects.bulk_create(
        [NoticeMail(league=league, notice=notice, user_id=user, next_try_at=now) for user in users]
    ):
        queue.enqueue(MAIL, mail.pk)


def forget_notices() -> int:
    """Forget what notices of long ago said, and their mails; returns how many. That they were told stays."""
    since = timezone.now() - timedelta(days=TEXT_DAYS)
    NoticeMail.objects.filter(notice__at__lt=since).delete()
    return Notice.objects.filter(at__lt=since, facts__isnull=False).update(facts=None)
