"""Sends notices by mail: each notice once per recipient, retried for a day if the mail server is unavailable.

A worker claims a mail by postponing its next attempt, sends it outside of any transaction, and records the result. If
the worker dies in between, the mail is sent again with the same Message-ID, so that mail programs show it once.
"""

import logging
import smtplib
from datetime import timedelta
from email.utils import parseaddr
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from league.apps.notices.models import NoticeMail
from league.apps.notices.selectors.mailed import can_send_mails, find_role, load_wanted_kinds
from league.apps.notices.services.choices import build_unsubscribe_path
from league.apps.notices.services.enqueue import MAIL_TASK
from league.apps.notices.services.render import render_notice
from league.core.jobs import queue

logger = logging.getLogger(__name__)

State = NoticeMail.State
#: Seconds between attempts; about a day in total, after which a notice is stale.
RETRY_DELAYS = (60, 300, 1800, 7200, 18000, 36000, 36000)
MAX_ATTEMPTS = len(RETRY_DELAYS) + 1
#: Seconds for which a claim is valid; longer than sending takes.
CLAIM_SECONDS = 300


def enqueue_mails() -> list[int]:
    """Enqueue every mail that is due; returns their ids."""
    due_mails = NoticeMail.objects.due(timezone.now()).order_by("next_try_at", "pk")
    return queue.enqueue_each(MAIL_TASK, list(due_mails.values_list("pk", flat=True)))


def send_mail(mail_id: int) -> bool:
    """Send a mail if it is due and still wanted; returns whether the mail server accepted it."""
    mail = _claim(mail_id)
    if mail is None:
        return False
    if not _is_wanted(mail):
        _finish(mail, State.UNWANTED)
        return False
    try:
        _build_message(mail).send()
    except (OSError, smtplib.SMTPException, ValueError) as error:
        # smtplib's errors are OSErrors too, but listed for clarity. ValueError means that the address is invalid.
        _record_failure(mail, error)
        return False
    _finish(mail, State.SENT)
    return True


def _claim(mail_id: int) -> NoticeMail | None:
    now = timezone.now()
    due_mail = NoticeMail.objects.due(now).filter(pk=mail_id)
    if not due_mail.update(next_try_at=now + timedelta(seconds=CLAIM_SECONDS), attempts=F("attempts") + 1):
        return None
    mail = NoticeMail.objects.select_related("notice__league", "user").get(pk=mail_id)
    if mail.attempts > MAX_ATTEMPTS:
        _finish(mail, State.FAILED, mail.error or "No attempt came to its end.")
        return None
    return mail


def _is_wanted(mail: NoticeMail) -> bool:
    user: Any = mail.user
    notice = mail.notice
    role = find_role(notice.league, user)
    if not role or not user.is_active or not user.email or notice.facts is None or not can_send_mails():
        return False
    return load_wanted_kinds(notice.league, user, role).get(notice.kind, False)


def _finish(mail: NoticeMail, state: str, error: str = "") -> None:
    _update_claimed(mail, state=state, ended_at=timezone.now(), error=error[:300])


def _update_claimed(mail: NoticeMail, **changes: Any) -> None:
    """Change a mail, unless another worker has claimed it meanwhile."""
    NoticeMail.objects.filter(pk=mail.pk, attempts=mail.attempts, state=State.WAITING).update(**changes)


def _record_failure(mail: NoticeMail, error: Exception) -> None:
    is_permanent = isinstance(error, ValueError) or (
        isinstance(error, smtplib.SMTPRecipientsRefused) and all(code >= 500 for code, _ in error.recipients.values())
    )
    message = f"{type(error).__name__}: {error}"
    if is_permanent or mail.attempts >= MAX_ATTEMPTS:
        logger.warning("The notice %s was not mailed to %s: %s", mail.notice, mail.user, message)
        _finish(mail, State.FAILED, message)
        return
    next_try_at = timezone.now() + timedelta(seconds=RETRY_DELAYS[mail.attempts - 1])
    _update_claimed(mail, next_try_at=next_try_at, error=message[:300])


def _build_message(mail: NoticeMail) -> EmailMultiAlternatives:
    user: Any = mail.user
    notice = mail.notice
    league = notice.league
    notice_text = render_notice(notice, league)
    ending = settings.RUNGS_ORIGIN + build_unsubscribe_path(league, user, notice.kind)
    choices = settings.RUNGS_ORIGIN + reverse("desk:notices", args=[league.slug])
    host = urlsplit(settings.RUNGS_ORIGIN).hostname or "localhost"
    context = {"words": notice_text, "ending": ending, "choices": choices, "league": league}
    headers = {
        "Message-ID": f"<notice-{notice.pk}-{user.pk}-{int(notice.at.timestamp())}@{host}>",
        "List-Id": f"<{league.slug}.notices.{host}>",
        "List-Unsubscribe": f"<{ending}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    with translation.override(notice_text.language):
        text, html = (render_to_string(f"apps/notices/mail.{kind}", context).strip() + "\n" for kind in ("txt", "html"))
    message = EmailMultiAlternatives(
        notice_text.title, text, None, [parseaddr(user.email)[1] or user.email], headers=headers
    )
    message.attach_alternative(html, "text/html")
    return message
