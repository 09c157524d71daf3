"""Builds the answers about webhooks."""

from typing import Any

from league.models import Delivery, Webhook
from league.selectors.webhooks import head_of


def render_webhook(webhook: Webhook) -> dict[str, Any]:
    """Return a webhook as it stands, without its secret."""
    names = (
        "format", "kinds", "state", "disabled_reason", "position", "failures", "next_try_at", "test_asked_at",
        "old_secret_until", "created_at", "created_by",
    )  # fmt: skip
    return {
        "id": str(webhook.pk),
        "url": webhook.url,
        "waiting": max(head_of(webhook) - webhook.position, 0),
        **{name: getattr(webhook, name) for name in names},
    }


def render_delivery(delivery: Delivery) -> dict[str, Any]:
    """Return an attempt."""
    names = ("position", "attempt", "at", "status", "ms", "error")
    return {
        "id": delivery.pk,
        "webhook_id": delivery.message,
        "type": delivery.kind,
        **{name: getattr(delivery, name) for name in names},
    }
