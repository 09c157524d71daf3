"""Sends messages to chats, which are webhooks in another format."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet
from django.urls import reverse

from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.selectors import OF_LOG, webhooks_of
from league.apps.webhooks.services import webhooks
from league.core.chats import Chat, ChatSender
from league.models import League


def enqueue(league: League) -> None:
    """Have what is new sent after the commit, if the league has a chat."""
    if webhooks_of(league).exclude(OF_LOG).exists():
        webhooks.enqueue(league)


def list_chats(league: League) -> list[Chat]:
    """Return the webhooks of a league that go to chats."""
    return [
        Chat(
            str(webhook.get_format_display()),
            webhook.url.split("/")[2],
            webhook.kinds,
            webhook.state == Webhook.State.DISABLED,
            webhook.why_disabled,
            reverse("desk:webhook", args=[league.slug, webhook.pk]),
        )
        for webhook in webhooks_of(league).exclude(OF_LOG)
    ]


def sent_counts(league: League) -> QuerySet[Delivery, Any]:
    """Return the number of chats that took the message of the outer row."""
    taken = Delivery.objects.filter(league=league, error="", position=OuterRef("number"), kind=OuterRef("kind"))
    return taken.order_by().values("kind").annotate(count=Count("webhook", distinct=True)).values("count")


CHAT_SENDER = ChatSender(enqueue, list_chats, sent_counts)
