"""Sends log entries to webhooks and notices to chats, in order and at least once.

Recording a game writes nothing for webhooks: a webhook is a cursor on the league's log, and the entries after its
position are due. One worker at a time claims a webhook, sends the next entry outside of any transaction, and records
the result in one. If it dies in between, the same entry is sent again with the same webhook-id after the claim has
expired. For a chat, the cursor is on the league's notices instead.
"""

import json
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

from league.apps.webhooks.models import GONE_MESSAGE, LOG, NOTICES, Delivery, Webhook
from league.apps.webhooks.selectors import find_next_entry, list_due_webhooks
from league.apps.webhooks.services.addresses import Unreachable
from league.apps.webhooks.services.posting import MAX_TOTAL_SECONDS, post
from league.apps.webhooks.services.signatures import sign_headers
from league.core.chats import find_chat_source
from league.core.jobs import queue
from league.core.log.chain import find_handles, serialize_canonically
from league.core.log.selectors.log_decode import open_payload
from league.core.players.selectors.external_ids import load_external_ids_of_names
from league.core.text.display_formats import format_count
from league.core.text.instants import format_instant

logger = logging.getLogger(__name__)

WEBHOOKS_TASK, WEBHOOK_TASK = "league.webhooks", "league.webhook"
TEST_KIND = "webhook.test"
#: Seconds between attempts: about three days in total, as the specification proposes.
RETRY_DELAYS = (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
#: Attempts after which a webhook is disabled.
MAX_ATTEMPTS = len(RETRY_DELAYS) + 1
#: Each delay varies by this share, so that retries do not coincide.
JITTER = 0.1
#: Seconds for which a claim is valid; longer than any turn.
CLAIM_SECONDS = 6 * MAX_TOTAL_SECONDS
#: Seconds after which a worker leaves the rest to the next task, so that other webhooks get their turn.
MAX_TURN_SECONDS = 20.0
DELIVERY_DAYS = settings.RUNGS_DAYS["deliveries"]
#: The status by which a receiver unsubscribes, and those whose Retry-After is honoured.
GONE_STATUS, RETRY_AFTER_STATUSES = 410, (429, 503)
#: Maximum delay that a receiver can request, in seconds.
MAX_WAIT = 86400.0
USER_AGENT = "Rungs-Webhooks/1"


@dataclass(frozen=True)
class Message:
    """A message to send: its name (the webhook-id), position (None: a test), kind and body."""

    name: str
    position: int | None
    kind: str
    body: bytes


@dataclass(frozen=True)
class AttemptOutcome:
    """The result of an attempt: HTTP status, if any, and error ("": none).

    ``wait`` is the delay in seconds that the receiver requested.
    """

    at: datetime
    status: int | None
    ms: int
    error: str
    wait: float = 0.0


def enqueue_webhooks(league_id: int | None = None) -> list[str]:
    """Enqueue the webhooks, of one league or all, that have something to send; returns their ids."""
    due_webhooks = list_due_webhooks(timezone.now())
    if league_id is not None:
        due_webhooks = due_webhooks.filter(league=league_id)
    return queue.enqueue_each(WEBHOOK_TASK, [str(pk) for pk in due_webhooks.values_list("pk", flat=True)])


def deliver(webhook_id: UUID) -> int:
    """Send a webhook's pending messages in order; returns the number sent.

    Stops if nothing is left, after a failure, or after MAX_TURN_SECONDS, when the rest is enqueued again. Returns 0 if
    another worker has claimed the webhook.
    """
    start, count = time.monotonic(), 0
    while (claim := _claim(webhook_id)) is not None:
        while time.monotonic() - start < MAX_TURN_SECONDS and _send_next(webhook_id, claim):
            count += 1
        _release(webhook_id, claim)
        # Messages may have arrived between the last check and the release.
        if not list_due_webhooks(timezone.now()).filter(pk=webhook_id).exists():
            break
        if time.monotonic() - start >= MAX_TURN_SECONDS:
            queue.enqueue(WEBHOOK_TASK, str(webhook_id))
            break
    return count


def _claim(webhook_id: UUID) -> int | None:
    now = timezone.now()
    is_claimed = (
        Webhook.objects.unclaimed(now)
        .filter(pk=webhook_id)
        .update(claim=F("claim") + 1, claimed_until=now + timedelta(seconds=CLAIM_SECONDS))
    )
    return Webhook.objects.values_list("claim", flat=True).filter(pk=webhook_id).first() if is_claimed else None


def _release(webhook_id: UUID, claim: int) -> None:
    Webhook.objects.filter(pk=webhook_id, claim=claim).update(claimed_until=None)


def _send_next(webhook_id: UUID, claim: int) -> bool:
    """Send one message and record the result; returns whether there was one.

    The webhook is loaded each time, as its owner may have changed it or requested a replay.
    """
    webhook = Webhook.objects.select_related("league").filter(pk=webhook_id, claim=claim).first()
    if webhook is None:
        return False
    now = timezone.now()
    if webhook.test_asked_at is not None:
        message = _build_test_message(webhook)
        return _record_test(webhook, message, _attempt_delivery(webhook, message))
    is_waiting = webhook.next_try_at is not None and webhook.next_try_at > now
    head = webhook.head
    if webhook.state != Webhook.State.ACTIVE or is_waiting or head <= webhook.position:
        return False
    next_message = _find_next_message(webhook, head)
    if next_message is None:
        unchanged = Webhook.objects.filter(pk=webhook.pk, claim=claim, position=webhook.position, format=webhook.format)
        unchanged.update(position=head)
        return False
    return _record_outcome(webhook, next_message, _attempt_delivery(webhook, next_message))


def _find_next_message(webhook: Webhook, head: int) -> Message | None:
    if webhook.stream == LOG:
        entry = find_next_entry(webhook, head)
        return None if entry is None else build_entry_message(webhook, entry)
    source = find_chat_source()
    if source is None:
        return None
    chat_message = source.find_next(webhook.league, webhook.format, webhook.position, head, webhook.kinds)
    if chat_message is None:
        return None
    # The name includes the time, as another notice may get the number after a restored backup.
    name = f"{webhook.pk.hex}-notice-{chat_message.number}-{int(chat_message.at.timestamp())}"
    return Message(name, chat_message.number, chat_message.kind, chat_message.body)


def build_entry_message(webhook: Webhook, entry: dict[str, Any]) -> Message:
    """Return the message for a log entry, with the same bytes at every attempt.

    The name includes the entry's hash, as another entry may get the position after a restored backup.
    """
    position, sha256 = entry["position"], entry["sha256"]
    data = {
        "league": webhook.league.slug,
        "position": position,
        "by": entry["by"],
        "payload": open_payload(webhook.league, entry["payload"]),
        "sha256": sha256,
    }
    names = {*find_handles(json.loads(entry["payload"]))}
    # Owners, whose webhooks these are, may see them.
    if names and (ids := load_external_ids_of_names(names)):
        data["external_ids"] = ids
    name = f"{webhook.pk.hex}-{position}-{sha256[:16]}"
    return Message(name, position, entry["kind"], _build_body(entry["kind"], entry["at"], data))


def _build_test_message(webhook: Webhook) -> Message:
    data = {"league": webhook.league.slug, "webhook": str(webhook.pk)}
    requested_at = webhook.test_asked_at or timezone.now()
    body = _build_body(TEST_KIND, requested_at, data)
    if webhook.stream == NOTICES and (source := find_chat_source()):
        body = source.render_test(webhook.league, webhook.format)
    return Message(f"test-{uuid4().hex}", None, TEST_KIND, body)


def _build_body(kind: str, sent_at: datetime, data: dict[str, Any]) -> bytes:
    return serialize_canonically({"type": kind, "timestamp": format_instant(sent_at), "data": data}).encode()


def _attempt_delivery(webhook: Webhook, message: Message) -> AttemptOutcome:
    attempted_at = timezone.now()
    keys = [webhook.secret]
    if webhook.old_secret and webhook.old_secret_until is not None and webhook.old_secret_until > attempted_at:
        keys.append(webhook.old_secret)
    signature_headers = sign_headers(message.name, int(attempted_at.timestamp()), message.body, keys)
    start = time.monotonic()
    headers = {"Content-Type": "application/json", "User-Agent": USER_AGENT, **signature_headers}
    try:
        response = post(webhook.url, message.body, headers)
    except Unreachable as failure:
        return AttemptOutcome(attempted_at, None, _compute_milliseconds_since(start), str(failure))
    wait = response.wait if response.status in RETRY_AFTER_STATUSES else 0.0
    error = "" if 200 <= response.status < 300 else f"The receiver answered {response.status}."
    if 300 <= response.status < 400:
        error = "Redirects are not followed."
    return AttemptOutcome(attempted_at, response.status, _compute_milliseconds_since(start), error, wait)


def _compute_milliseconds_since(start: float) -> int:
    return round((time.monotonic() - start) * 1000)


def _record_outcome(webhook: Webhook, message: Message, outcome: AttemptOutcome) -> bool:
    """Record the result of an attempt and advance the cursor; returns whether the next message may be sent now.

    If the owner has moved the cursor meanwhile, it stays where it is.
    """
    failures = webhook.failures + 1 if outcome.error else 0
    changes: dict[str, Any] = {"failures": failures, "next_try_at": None}
    unchanged: dict[str, Any] = {"claim": webhook.claim, "position": webhook.position, "format": webhook.format}
    if not outcome.error:
        changes["position"] = message.position
    elif outcome.status == GONE_STATUS or failures >= MAX_ATTEMPTS:
        failure_text = f"{format_count(failures, 'attempt')} failed in a row. The last: {outcome.error}"[:300]
        reason = GONE_MESSAGE if outcome.status == GONE_STATUS else failure_text
        changes |= {"state": Webhook.State.DISABLED, "disabled_reason": reason}
    else:
        changes["next_try_at"] = timezone.now() + timedelta(seconds=compute_delay(failures, outcome.wait))
    if outcome.error:
        unchanged |= {"failures": webhook.failures, "state": webhook.state}
    with transaction.atomic():
        is_recorded = Webhook.objects.filter(pk=webhook.pk, **unchanged).update(**changes)
        if is_recorded or _lock_if_exists(webhook):
            _store_delivery(webhook, message, outcome, webhook.failures + 1)
    if is_recorded and "state" in changes:
        logger.warning("The webhook %s was disabled: %s", webhook.pk, changes["disabled_reason"])
    return not outcome.error


def _record_test(webhook: Webhook, message: Message, outcome: AttemptOutcome) -> bool:
    with transaction.atomic():
        claimed = Webhook.objects.filter(pk=webhook.pk, claim=webhook.claim)
        if claimed.filter(test_asked_at=webhook.test_asked_at).update(test_asked_at=None) or _lock_if_exists(webhook):
            _store_delivery(webhook, message, outcome, 1)
    return True


def _lock_if_exists(webhook: Webhook) -> bool:
    return Webhook.objects.select_for_update(no_key=True).filter(pk=webhook.pk).first() is not None


def _store_delivery(webhook: Webhook, message: Message, outcome: AttemptOutcome, attempt: int) -> None:
    Delivery.objects.create(
        league_id=webhook.league_id,
        webhook=webhook,
        position=message.position,
        kind=message.kind,
        message=message.name,
        attempt=attempt,
        at=outcome.at,
        status=outcome.status,
        ms=outcome.ms,
        error=outcome.error[:300],
    )


def compute_delay(failures: int, requested: float = 0.0) -> float:
    """Return the seconds until the next attempt, after a number of failures.

    It is at least what the receiver requested (``requested``, at most a day), and never shorter than without a request:
    ten attempts within a minute would disable a webhook while its receiver restarts.
    """
    requested_delay = min(requested, MAX_WAIT) * random.uniform(1, 1 + JITTER)  # noqa: S311 -- jitter, no secret
    return max(RETRY_DELAYS[failures - 1] * random.uniform(1 - JITTER, 1 + JITTER), requested_delay)  # noqa: S311 -- jitter


def delete_old_deliveries() -> int:
    """Delete old attempts and expired old secrets; returns the number of attempts."""
    now = timezone.now()
    Webhook.objects.filter(old_secret_until__lte=now).update(old_secret="", old_secret_until=None)
    return Delivery.objects.filter(at__lt=now - timedelta(days=DELIVERY_DAYS)).delete()[0]
