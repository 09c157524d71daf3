"""Sends notices by mail: each notice once per recipient, retried for a day if the mail server is unavailable.

A worker claims a mail by moving its next attempt, sends it outside of any transaction, and notes what came of it. One
that dies in between has the same mail sent again, under the same Message-ID, by which mail programs show it once.
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
from league.apps.notices.selectors.mailed import mails_go_out, role_of, wanted_by
from league.apps.notices.services.choices import ending_path
from league.apps.notices.services.enqueue import MAIL
from league.apps.notices.services.render import words_of
from league.core.jobs import queue

logger = logging.getLogger(__name__)

State = NoticeMail.State
#: Seconds from each failed attempt to the next: about a day in all; after that a notice is stale.
DELAYS = (60, 300, 1800, 7200, 18000, 36000, 36000)
ATTEMPTS = len(DELAYS) + 1
#: Seconds for which a claim holds; longer than talking to a mail server takes.
LEASE = 300


def enqueue_mails() -> list[int]:
    """Enqueue every mail that is to be sent now; returns their ids."""
    due = NoticeMail.objects.filter(state=State.WAITING, next_try_at__lte=timezone.now())
    return queue.enqueue_each(MAIL, list(due.order_by("next_try_at", "pk").values_list("pk", flat=True)))


def send(mail_id: int) -> bool:
    """Send a mail if it is due and wanted still; returns whether the mail server took it."""
    mail = claim(mail_id)
    if mail is None:
        return False
    if not is_wanted(mail):
        finish(mail, State.UNWANTED)
        return False
    try:
        message_of(mail).send()
    except (OSError, smtplib.SMTPException, ValueError) as error:
        # smtplib's are OSErrors, too: listed for clarity. ValueError means the address is invalid.
        record_failure(mail, error)
        return False
    finish(mail, State.SENT)
    return True


def claim(mail_id: int) -> NoticeMail | None:
    """Take a mail that is due; None if another worker has it, it has gone out, or too many attempts never ended."""
    now = timezone.now()
    due = NoticeMail.objects.filter(pk=mail_id, state=State.WAITING, next_try_at__lte=now)
    if not due.update(next_try_at=now + timedelta(seconds=LEASE), attempts=F("attempts") + 1):
        return None
    mail = NoticeMail.objects.select_related("notice__league", "user").get(pk=mail_id)
    if mail.attempts > ATTEMPTS:
        finish(mail, State.FAILED, mail.error or "No attempt came to its end.")
        return None
    return mail


def is_wanted(mail: NoticeMail) -> bool:
    """Return whether a user is still a member with an address who wants such news, and there is something to tell."""
    user: Any = mail.user
    notice = mail.notice
    role = role_of(notice.league, user)
    if not role or not user.is_active or not user.email or notice.facts is None or not mails_go_out():
        return False
    return wanted_by(notice.league, user, role).get(notice.kind, False)


def finish(mail: NoticeMail, state: str, error: str = "") -> None:
    """Record that a mail needs no further attempt, unless another worker has taken it up."""
    own = NoticeMail.objects.filter(pk=mail.pk, attempts=mail.attempts, state=State.WAITING)
    own.update(state=state, ended_at=timezone.now(), error=error[:300])


def record_failure(mail: NoticeMail, error: Exception) -> None:
    """Note a failed attempt, and when the next is due, unless the address was rejected for good or a day has passed."""
    refused = isinstance(error, ValueError) or (
        isinstance(error, smtplib.SMTPRecipientsRefused) and all(code >= 500 for code, _ in error.recipients.values())
    )
    said = f"{type(error).__name__}: {error}"
    if refused or mail.attempts >= ATTEMPTS:
        logger.warning("The notice %s was not mailed to %s: %s", mail.notice, mail.user, said)
        finish(mail, State.FAILED, said)
        return
    later = timezone.now() + timedelta(seconds=DELAYS[mail.attempts - 1])
    own = NoticeMail.objects.filter(pk=mail.pk, attempts=mail.attempts, state=State.WAITING)
    own.update(next_try_at=later, error=said[:300])


def message_of(mail: NoticeMail) -> EmailMultiAlternatives:
    """Return a mail: as text and as HTML, with unsubscribe links (RFC 8058)."""
    notice, user = mail.notice, mail.user
    league = notice.league
    words = words_of(notice, league)
    ending = settings.RUNGS_ORIGIN + ending_path(league, user, notice.kind)
    choices = settings.RUNGS_ORIGIN + reverse("desk:notices", args=[league.slug])
    host = urlsplit(settings.RUNGS_ORIGIN).hostname or "localhost"
    context = {"words": words, "ending": ending, "choices": choices, "league": league}
    headers = {
        "Message-ID": f"<notice-{notice.pk}-{user.pk}-{int(notice.at.timestamp())}@{host}>",
        "List-Id": f"<{league.slug}.notices.{host}>",
        "List-Unsubscribe": f"<{ending}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    with translation.override(words.language):
        text, html = (render_to_string(f"apps/notices/mail.{kind}", context).strip() + "\n" for kind in ("txt", "html"))
    message = EmailMultiAlternatives(words.title, text, None, [address_of(user)], headers=headers)
    message.attach_alternative(html, "text/html")
    return message


def address_of(user: Any) -> str:
    """Return the bare e-mail address of a user."""
    return parseaddr(user.email)[1] or str(user.email)
