"""Tells webhooks what is in the log, and chats the notices, in order and at least once.

Nothing is written for this when a game is recorded: a webhook is a cursor on the league's log, and
what lies after its position is due. One worker at a time claims a webhook, sends the next entry
outside of any transaction, and notes in one what came of it. A worker that dies between sending and
noting has the same entry sent again, under the same webhook-id, once its claim has run out. A chat's webhook is
the same with the league's notices in place of the log.
"""

import logging
import random
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from league.apps.webhooks.models import WANTS_NO_MORE, Delivery, Webhook
from league.apps.webhooks.selectors import due, free, head_of, next_entry
from league.apps.webhooks.services.addresses import Unreachable
from league.apps.webhooks.services.posting import TOTAL, post
from league.apps.webhooks.services.signatures import signed_headers
from league.core.chats import chat_source
from league.core.jobs import queue
from league.core.log.chain import canonical, instant
from league.core.log.selectors.log_decode import open_payload
from league.core.text.numbers import counted

logger = logging.getLogger(__name__)

TASK, ONE = "league.webhooks", "league.webhook"
TEST = "webhook.test"
#: Seconds from each failed attempt to the next: about three days in all, as the specification proposes.
DELAYS = (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
#: Attempts after which a webhook is disabled.
ATTEMPTS = len(DELAYS) + 1
#: Each delay is up to this part shorter or longer, so that not all come back in the same second.
JITTER = 0.1
#: Seconds for which a claim holds; longer than any turn takes.
LEASE = 6 * TOTAL
#: Seconds after which a worker leaves what a webhook has more to send to the next message: others have their turn.
TURN = 20.0
DELIVERY_DAYS = settings.RUNGS_DAYS["deliveries"]
#: The status by which a receiver says that it wants no more, and those whose Retry-After is heeded.
GONE, WAIT = 410, (429, 503)
#: The longest that a receiver is left alone because it asks for it.
MAX_WAIT = 86400.0
AGENT = "Rungs-Webhooks/1"


@dataclass(frozen=True)
class Message:
    """What is sent: its name (the webhook-id), its position (None: a test), its kind and its body."""

    name: str
    position: int | None
    kind: str
    body: bytes


@dataclass(frozen=True)
class AttemptOutcome:
    """What came of an attempt: the status of the answer if there was one, and why it failed ("": it did not).

    ``wait`` are the seconds for which the receiver asked to be left alone.
    """

    at: datetime
    status: int | None
    ms: int
    error: str
    wait: float = 0.0


def enqueue_webhooks(league_id: int | None = None) -> list[str]:
    """Enqueue every webhook, of a league or of all, that has something to send now; returns their ids."""
    waiting = due(timezone.now())
    if league_id is not None:
        waiting = waiting.filter(league=league_id)
    return queue.enqueue_each(ONE, [str(pk) for pk in waiting.values_list("pk", flat=True)])


def deliver(webhook_id: UUID) -> int:
    """Send what a webhook waits for, one entry after the other; returns how many were dealt with.

    Ends with nothing left to send, with a failure, or after TURN; then a message asks someone else for the
    rest. 0 if another worker is at it.
    """
    start, dealt = time.monotonic(), 0
    while (claim := claimed(webhook_id)) is not None:
        while time.monotonic() - start < TURN and step(webhook_id, claim):
            dealt += 1
        release(webhook_id, claim)
        # What came between the last look and the release rang at a closed door.
        if not due(timezone.now()).filter(pk=webhook_id).exists():
            break
        if time.monotonic() - start >= TURN:
            queue.enqueue(ONE, str(webhook_id))
            break
    return dealt


def claimed(webhook_id: UUID) -> int | None:
    """Claim a webhook; returns the claim's number, None if another worker has it or it is gone."""
    now = timezone.now()
    taken = Webhook.objects.filter(free(now), pk=webhook_id).update(
        claim=F("claim") + 1, claimed_until=now + timedelta(seconds=LEASE)
    )
    return Webhook.objects.values_list("claim", flat=True).filter(pk=webhook_id).first() if taken else None


def release(webhook_id: UUID, claim: int) -> None:
    """Give a webhook back."""
    Webhook.objects.filter(pk=webhook_id, claim=claim).update(claimed_until=None)


def step(webhook_id: UUID, claim: int) -> bool:
    """Send one message and note what came of it; returns whether there was one to send.

    The webhook is read again each time: its owner may have changed it, or asked for a replay.
    """
    webhook = Webhook.objects.select_related("league").filter(pk=webhook_id, claim=claim).first()
    if webhook is None:
        return False
    now = timezone.now()
    if webhook.test_asked_at is not None:
        message = test_message(webhook)
        return note_test(webhook, message, attempt(webhook, message))
    waits = webhook.next_try_at is not None and webhook.next_try_at > now
    head = head_of(webhook)
    if webhook.state != Webhook.State.ACTIVE or waits or head <= webhook.position:
        return False
    found = next_message(webhook, head)
    if found is None:
        same = Webhook.objects.filter(pk=webhook.pk, claim=claim, position=webhook.position, format=webhook.format)
        same.update(position=head)
        return False
    return note(webhook, found, attempt(webhook, found))


def next_message(webhook: Webhook, head: int) -> Message | None:
    """Return what a webhook is to be told next, up to a position; None if that is nothing."""
    if webhook.format == Webhook.Format.STANDARD:
        entry = next_entry(webhook, head)
        return None if entry is None else message_of(webhook, entry)
    source = chat_source()
    if source is None:
        return None
    found = source.find_next(webhook.league, webhook.format, webhook.position, head, webhook.kinds)
    if found is None:
        return None
    # The name holds when it was found: in a database that was put back to a backup another notice may get the number.
    name = f"{webhook.pk.hex}-notice-{found.number}-{int(found.at.timestamp())}"
    return Message(name, found.number, found.kind, found.body)


def message_of(webhook: Webhook, entry: dict[str, Any]) -> Message:
    """Return what a webhook is told of an entry of the log, the same bytes at every attempt.

    The name holds the entry's hash: in a log that was put back to a backup another entry may get the position.
    """
    position, sha256 = entry["position"], entry["sha256"]
    data = {
        "league": webhook.league.slug,
        "position": position,
        "by": entry["by"],
        "payload": open_payload(webhook.league, entry["payload"]),
        "sha256": sha256,
    }
    name = f"{webhook.pk.hex}-{position}-{sha256[:16]}"
    return Message(name, position, entry["kind"], body_of(entry["kind"], entry["at"], data))


def test_message(webhook: Webhook) -> Message:
    """Return a test."""
    data = {"league": webhook.league.slug, "webhook": str(webhook.pk)}
    asked = webhook.test_asked_at or timezone.now()
    body = body_of(TEST, asked, data)
    if webhook.format != Webhook.Format.STANDARD and (source := chat_source()):
        body = source.render_test(webhook.league, webhook.format)
    return Message(f"test-{uuid4().hex}", None, TEST, body)


def body_of(kind: str, at: datetime, data: dict[str, Any]) -> bytes:
    """Return the body: canonical JSON of type, timestamp (of the event) and data."""
    return canonical({"type": kind, "timestamp": instant(at), "data": data}).encode()


def attempt(webhook: Webhook, message: Message) -> AttemptOutcome:
    """Send a message once."""
    at = timezone.now()
    keys = [webhook.secret]
    if webhook.old_secret and webhook.old_secret_until is not None and webhook.old_secret_until > at:
        keys.append(webhook.old_secret)
    signed = signed_headers(message.name, int(at.timestamp()), message.body, keys)
    start = time.monotonic()
    headers = {"Content-Type": "application/json", "User-Agent": AGENT, **signed}
    try:
        answer = post(webhook.url, message.body, headers)
    except Unreachable as failure:
        return AttemptOutcome(at, None, since(start), str(failure))
    wait = answer.wait if answer.status in WAIT else 0.0
    error = "" if 200 <= answer.status < 300 else f"The receiver answered {answer.status}."
    if 300 <= answer.status < 400:
        error = "Redirects are not followed."
    return AttemptOutcome(at, answer.status, since(start), error, wait)


def since(start: float) -> int:
    """Return the milliseconds since a moment of the monotonic clock."""
    return round((time.monotonic() - start) * 1000)


def note(webhook: Webhook, message: Message, outcome: AttemptOutcome) -> bool:
    """Note what came of an attempt and move on, or later; returns whether the next one may be sent now.

    Where the owner moved the cursor meanwhile, the attempt is noted and the cursor stays where it was put.
    """
    failures = webhook.failures + 1 if outcome.error else 0
    changes: dict[str, Any] = {"failures": failures, "next_try_at": None}
    same: dict[str, Any] = {"claim": webhook.claim, "position": webhook.position, "format": webhook.format}
    if not outcome.error:
        changes["position"] = message.position
    elif outcome.status == GONE or failures >= ATTEMPTS:
        failed = f"{counted(failures, 'attempt')} failed in a row. The last: {outcome.error}"[:300]
        reason = WANTS_NO_MORE if outcome.status == GONE else failed
        changes |= {"state": Webhook.State.DISABLED, "disabled_reason": reason}
    else:
        changes["next_try_at"] = timezone.now() + timedelta(seconds=delay(failures, outcome.wait))
    if outcome.error:
        same |= {"failures": webhook.failures, "state": webhook.state}
    with transaction.atomic():
        noted = Webhook.objects.filter(pk=webhook.pk, **same).update(**changes)
        if noted or is_there(webhook):
            keep(webhook, message, outcome, webhook.failures + 1)
    if noted and "state" in changes:
        logger.warning("The webhook %s was disabled: %s", webhook.pk, changes["disabled_reason"])
    return not outcome.error


def note_test(webhook: Webhook, message: Message, outcome: AttemptOutcome) -> bool:
    """Note what came of a test, which is sent once; it moves nothing and disables nothing."""
    with transaction.atomic():
        mine = Webhook.objects.filter(pk=webhook.pk, claim=webhook.claim)
        if mine.filter(test_asked_at=webhook.test_asked_at).update(test_asked_at=None) or is_there(webhook):
            keep(webhook, message, outcome, 1)
    return True


def is_there(webhook: Webhook) -> bool:
    """Return whether a webhook was not deleted meanwhile; it stays until the transaction ends."""
    return Webhook.objects.select_for_update(no_key=True).filter(pk=webhook.pk).first() is not None


def keep(webhook: Webhook, message: Message, outcome: AttemptOutcome, number: int) -> None:
    """Write an attempt down."""
    Delivery.objects.create(
        league_id=webhook.league_id,
        webhook=webhook,
        position=message.position,
        kind=message.kind,
        message=message.name,
        attempt=number,
        at=outcome.at,
        status=outcome.status,
        ms=outcome.ms,
        error=outcome.error[:300],
    )


def delay(failures: int, wait: float = 0.0) -> float:
    """Return the seconds until the next attempt after so many that failed.

    It is never before the receiver wants it (``wait``, cut at a day), and never sooner than without its wish: ten
    attempts within a minute would disable a webhook whose receiver is only being restarted.
    """
    asked = min(wait, MAX_WAIT) * random.uniform(1, 1 + JITTER)  # noqa: S311 -- jitter, no secret
    return max(DELAYS[failures - 1] * random.uniform(1 - JITTER, 1 + JITTER), asked)  # noqa: S311 -- jitter


def forget_deliveries() -> int:
    """Delete attempts of long ago, and old secrets past their time; returns how many attempts."""
    now = timezone.now()
    Webhook.objects.filter(old_secret_until__lte=now).update(old_secret="", old_secret_until=None)
    return Delivery.objects.filter(at__lt=now - timedelta(days=DELIVERY_DAYS)).delete()[0]
