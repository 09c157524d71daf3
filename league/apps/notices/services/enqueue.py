"""Finds news and writes each as a notice once, with a mail for each member who wants it.

The table of notices records what was written, so a worker can be killed at any time: the next one writes what is
missing and sends what is unsent.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from league.apps.notices.models import DECIDED_MARK, Notice, NoticeMail
from league.apps.notices.selectors.due import (
    News,
    find_decided_notices,
    find_due_decisions,
    find_leagues_with_news,
    has_news,
    load_news,
)
from league.apps.notices.selectors.mailed import can_send_mails, find_mail_recipients
from league.core.chats import find_chat_sender
from league.core.db.isolation import short_snapshot
from league.core.errors import UnknownZone
from league.core.jobs import queue
from league.core.locking import run_with_league_lock
from league.models import League

logger = logging.getLogger(__name__)

NOTICES_TASK, MAIL_TASK = "league.notices", "league.notice_mail"
FACTS_DAYS = settings.RUNGS_DAYS["notices"]


def enqueue_notices(now: datetime | None = None) -> list[int]:
    """Enqueue every league that has news; returns their ids.

    If a league fails, the others are enqueued nevertheless; then RuntimeError is raised with its name.
    """
    current_time = now or timezone.now()
    enqueued_ids, errors = [], dict[str, Exception]()
    for league in find_leagues_with_news(current_time):
        try:
            is_due = has_news(league, current_time)
        except UnknownZone as error:
            logger.error("The notices of the league %s stand still: %s", league.slug, error.detail)
            continue
        except Exception as error:  # any error: it must not affect the other leagues
            logger.exception("The league %s could not be looked at for news.", league.slug)
            errors[league.slug] = error
            continue
        if is_due:
            queue.enqueue(NOTICES_TASK, league.pk)
            enqueued_ids.append(league.pk)
    if errors:
        first, *_ = errors.values()
        raise RuntimeError(f"Not looked at for news: {', '.join(errors)}.") from first
    return enqueued_ids


def write_notices(league_id: int, now: datetime | None = None) -> int:
    """Write and send the notices of a league; returns the number of new ones.

    News are collected before the league is locked, and checked under the lock for notices written meanwhile. Raises
    UnknownZone if the league's time zone no longer exists.
    """
    current_time = now or timezone.now()
    with short_snapshot():
        league = League.objects.filter(pk=league_id).first()
        news = [] if league is None else load_news(league, current_time)

    def write(league: League, now: datetime) -> int:
        for notice in find_decided_notices(league):
            notice.subject = f"{notice.subject}/{DECIDED_MARK}{notice.number}"
            notice.save(update_fields=["subject"])
        new = [
            item
            for item in (*news, *find_due_decisions(league, current_time))
            if not league.notices.filter(kind=item.kind, subject=item.subject).exists()
        ]
        for item in new:
            _write_notice(league, item, current_time)
        if new:
            league.save(update_fields=["last_message"])
            if sender := find_chat_sender():
                sender.enqueue(league)
        return len(new)

    return 0 if league is None else run_with_league_lock(league_id, write, now)


def _write_notice(league: League, news: News, now: datetime) -> None:
    league.last_message += 1
    notice = Notice.objects.create(
        league=league, number=league.last_message, kind=news.kind, subject=news.subject, at=now, facts=news.facts
    )
    if news.facts is None or not can_send_mails():
        return
    users = find_mail_recipients(league, news.kind)
    for mail in NoticeMail.objects.bulk_create(
        [NoticeMail(league=league, notice=notice, user_id=user, next_try_at=now) for user in users]
    ):
        queue.enqueue(MAIL_TASK, mail.pk)


def delete_old_facts() -> int:
    """Delete the facts and mails of old notices; returns their number. The notices themselves stay."""
    limit = timezone.now() - timedelta(days=FACTS_DAYS)
    NoticeMail.objects.filter(notice__at__lt=limit).delete()
    return Notice.objects.with_facts().filter(at__lt=limit).update(facts=None)
