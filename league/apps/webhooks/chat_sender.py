"""Sends messages to chats, which are webhooks in other formats."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet
from django.urls import reverse

from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.selectors import list_webhooks
from league.apps.webhooks.services import webhooks
from league.core.chats import Chat, ChatSender
from league.models import League


def enqueue(league: League) -> None:
    """Enqueue the league's webhooks after the commit, if one of them is a chat."""
    if list_webhooks(league).of_notices().exists():
        webhooks.enqueue(league)


def list_chats(league: League) -> list[Chat]:
    """Return the webhooks of a league that send to chats."""
    return [
        Chat(
            str(webhook.get_format_display()),
            webhook.url.split("/")[2],
            webhook.kinds,
            webhook.state == Webhook.State.DISABLED,
            webhook.why_disabled,
            reverse("desk:webhook", args=[league.slug, webhook.pk]),
        )
        for webhook in list_webhooks(league).of_notices()
    ]


def count_sent(league: League) -> QuerySet[Delivery, Any]:
    """Return the query for the number of chats that received the outer row's message."""
    sent = Delivery.objects.filter(league=league, error="", position=OuterRef("number"), kind=OuterRef("kind"))
    return sent.order_by().values("kind").annotate(count=Count("webhook", distinct=True)).values("count")


CHAT_SENDER = ChatSender(enqueue, list_chats, count_sent)
