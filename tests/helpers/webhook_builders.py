"""Webhooks for tests: a league with one, games that they are told of, the doorbells that rang."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

from django.utils import timezone

from league.apps.webhooks.models import Webhook
from league.apps.webhooks.services.webhooks import make_webhook
from league.models import League
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.receiver import Receiver


def club(receiver: Receiver, *kinds: str, **settings: Any) -> tuple[League, Webhook]:
    """Return a league with a webhook that goes to the receiver; nothing waits for it."""
    league = make_league(**settings)
    webhook, _ = make_webhook(league.pk, receiver.url, kinds, username="oscar")
    league.refresh_from_db()
    return league, webhook


def play(league: League, games: int = 1) -> list[int]:
    """Record so many games; returns the positions of their entries and of those before them that are new."""
    before = League.objects.get(pk=league.pk).log_length
    for number in range(games):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=number))
    return list(range(before + 1, League.objects.get(pk=league.pk).log_length + 1))


def fresh(webhook: Webhook) -> Webhook:
    """Return the webhook as it stands."""
    return Webhook.objects.get(pk=webhook.pk)


def wind(webhook: Webhook) -> None:
    """Let the time of the next attempt have come."""
    Webhook.objects.filter(pk=webhook.pk).update(next_try_at=timezone.now() - timedelta(seconds=1))


def enqueued(work: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the doorbells that some work rang."""
    with patch("league.core.jobs.queue.current_app.send_task") as sent:
        work()
    return [(call.args[0], call.kwargs["args"]) for call in sent.call_args_list]
