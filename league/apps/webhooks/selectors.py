"""Queries of webhooks, their next messages and their deliveries."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from league.apps.webhooks.models import LOG, NOTICES, Delivery, Webhook, WebhookQuerySet
from league.core.chats import find_chat_source
from league.core.errors import NotFound
from league.core.log.kinds import list_kinds
from league.core.text.names import is_storable
from league.models import League

ENTRY_FIELDS = ("position", "at", "by", "kind", "payload", "sha256")


def list_formats() -> list[tuple[str, Any]]:
    """Return the formats that this site sends, with labels; those of chats only if it has messages to chats."""
    source = find_chat_source()
    formats = {Webhook.Format.STANDARD.value, *(source.formats if source else ())}
    return [(form, label) for form, label in Webhook.Format.choices if form in formats]


def list_chat_kinds() -> list[tuple[str, Any]]:
    """Return the kinds of messages to chats, with labels."""
    source = find_chat_source()
    return list(source.kinds) if source else []


def list_webhooks(league: League) -> WebhookQuerySet:
    """Return the webhooks of a league, oldest first."""
    return league.webhooks.order_by("created_at", "pk")


def find_webhook(league: League, text: str) -> Webhook:
    """Return a webhook of a league by id; raises NotFound."""
    try:
        webhook = league.webhooks.filter(pk=UUID(text)).first() if is_storable(text) else None
    except ValueError:
        webhook = None
    if webhook is None:
        raise NotFound(_("The league {league} has no webhook “{text}”.").format(league=league.slug, text=text[:40]))
    webhook.league = league
    return webhook


def list_deliveries(webhook: Webhook, before: int | None = None) -> QuerySet[Delivery]:
    """Return attempts, newest first, with keys below ``before`` if given."""
    deliveries = webhook.deliveries.order_by("-pk")
    return deliveries if before is None else deliveries.filter(pk__lt=before)


def load_last_deliveries(league: League) -> dict[UUID, Delivery]:
    """Return the last attempt of each webhook of a league, by webhook id."""
    last = Delivery.objects.filter(league=OuterRef("league"), webhook=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    ids = league.webhooks.order_by().annotate(newest=Subquery(last)).values("newest")
    return {delivery.webhook_id: delivery for delivery in Delivery.objects.filter(league=league, pk__in=ids)}


def list_due_webhooks(now: datetime) -> WebhookQuerySet:
    """Return the unclaimed webhooks that have something to send; chats only if the site has messages to them."""
    webhooks = Webhook.objects.due(now)
    return webhooks if find_chat_source() else webhooks.of_log()


def stream_of_delivery(delivery: Delivery) -> str:
    """Return the stream of a delivery, whatever its webhook sends now."""
    is_log = delivery.position is None or delivery.kind in list_kinds()
    return LOG if is_log else NOTICES


def find_next_entry(webhook: Webhook, head: int) -> dict[str, Any] | None:
    """Return the next log entry for a webhook, up to ``head``."""
    entries = webhook.league.log.filter(position__gt=webhook.position, position__lte=head)
    if webhook.kinds:
        entries = entries.filter(kind__in=webhook.kinds)
    entry: dict[str, Any] | None = entries.order_by("position").values(*ENTRY_FIELDS).first()
    return entry
