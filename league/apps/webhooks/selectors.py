"""Webhooks, what is due to be sent, and what was tried."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from league.apps.webhooks.models import Delivery, Webhook
from league.core.chats import chat_source
from league.core.errors import NotFound
from league.core.text.names import storable
from league.models import League, LogEntry

#: Webhooks that send the log, not notices.
OF_LOG = Q(format=Webhook.Format.STANDARD)
#: What a position counts: entries of the log, or the league's notices.
LOG, NOTICES = "log", "notices"
ENTRY = ("position", "at", "by", "kind", "payload", "sha256")


def offered_formats() -> list[tuple[str, Any]]:
    """Return the formats that this site sends, with their labels: those of chats if it has messages to chats."""
    source = chat_source()
    sent = {Webhook.Format.STANDARD.value, *(source.formats if source else ())}
    return [(form, label) for form, label in Webhook.Format.choices if form in sent]


def chat_kinds() -> list[tuple[str, Any]]:
    """Return the kinds of messages to chats, with their labels."""
    source = chat_source()
    return list(source.kinds) if source else []


def webhooks_of(league: League) -> QuerySet[Webhook]:
    """Return the webhooks of a league, the earliest first."""
    return league.webhooks.order_by("created_at", "pk")


def find_webhook(league: League, text: str) -> Webhook:
    """Return a webhook of a league by its id; raises NotFound."""
    try:
        found = league.webhooks.filter(pk=UUID(text)).first() if storable(text) else None
    except ValueError:
        found = None
    if found is None:
        raise NotFound(_("The league {league} has no webhook “{text}”.").format(league=league.slug, text=text[:40]))
    found.league = league
    return found


def deliveries_of(webhook: Webhook, before: int | None = None) -> QuerySet[Delivery]:
    """Return what was tried, the newest first; ``before`` is the key of the last one of the page before."""
    tried = webhook.deliveries.order_by("-pk")
    return tried if before is None else tried.filter(pk__lt=before)


def last_deliveries(league: League) -> dict[UUID, Delivery]:
    """Return the last attempt of each webhook of a league that was tried, by the webhook's key."""
    newest = Delivery.objects.filter(league=OuterRef("league"), webhook=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    ids = league.webhooks.order_by().annotate(newest=Subquery(newest)).values("newest")
    return {delivery.webhook_id: delivery for delivery in Delivery.objects.filter(league=league, pk__in=ids)}


def due(now: datetime) -> QuerySet[Webhook]:
    """Return the webhooks for which a worker has something to send now, and that no worker has."""
    entries = OF_LOG & Q(league__log_length__gt=F("position"))
    notices = ~OF_LOG & Q(league__last_notice__gt=F("position"))
    in_time = Q(next_try_at=None) | Q(next_try_at__lte=now)
    waits = Q(state=Webhook.State.ACTIVE) & (entries | notices) & in_time
    found = Webhook.objects.filter(waits | Q(test_asked_at__isnull=False)).filter(free(now)).order_by("pk")
    return found if chat_source() else found.filter(OF_LOG)


def free(now: datetime) -> Q:
    """Return the condition for webhooks that no worker has."""
    return Q(claimed_until=None) | Q(claimed_until__lte=now)


def list_of(webhook: Webhook) -> str:
    """Return what a webhook sends, and its position counts."""
    return LOG if webhook.format == Webhook.Format.STANDARD else NOTICES


def counted_by(delivery: Delivery) -> str:
    """Return what the position of a delivery counts: what was sent then, whatever its webhook sends by now."""
    of_log = delivery.position is None or delivery.kind in LogEntry.Kind.values
    return LOG if of_log else NOTICES


def head_of(webhook: Webhook) -> int:
    """Return the position after which there is nothing to send: of the log, or of the notices."""
    league = webhook.league
    return league.log_length if list_of(webhook) == LOG else league.last_notice


def next_entry(webhook: Webhook, head: int) -> dict[str, Any] | None:
    """Return the next entry, up to a position, that a webhook is to be told of."""
    entries = webhook.league.log.filter(position__gt=webhook.position, position__lte=head)
    if webhook.kinds:
        entries = entries.filter(kind__in=webhook.kinds)
    found: dict[str, Any] | None = entries.order_by("position").values(*ENTRY).first()
    return found
