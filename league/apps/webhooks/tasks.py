"""Celery tasks of webhooks."""

from uuid import UUID

from celery import shared_task

from league.apps.webhooks.services import deliveries

enqueue_webhooks = shared_task(name="league.webhooks")(deliveries.enqueue_webhooks)


@shared_task(name="league.webhook")
def deliver(webhook_id: str) -> int:
    """Send the pending messages of a webhook."""
    return deliveries.deliver(UUID(webhook_id))
