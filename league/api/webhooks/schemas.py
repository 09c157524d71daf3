"""The shapes of answers about webhooks, with an example of each; ``render`` builds them."""

from rest_framework import serializers as s

from league.api.core.schemas import Shape
from league.models import Webhook

NAME = "5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21"
EXAMPLE = {
    "id": NAME,
    "url": "https://club.example/hooks/rungs",
    "format": "standard",
    "kinds": ["game.recorded", "edition.published"],
    "state": "active",
    "disabled_reason": "",
    "position": 4711,
    "waiting": 0,
    "failures": 0,
    "next_try_at": None,
    "test_asked_at": None,
    "old_secret_until": None,
    "created_at": "2024-03-05T19:30:00Z",
    "created_by": "oscar",
}
CHAT = "https://discord.com/api/webhooks/1/abc"
SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfJvM8mHSk="  # noqa: S105 -- an example
DELIVERY = {
    "id": 815,
    "webhook_id": "5c8e0f4e9f5e4a0b8a532b1c1c8d7f21-4711-9b74c9897bac770f",
    "type": "game.recorded",
    "position": 4711,
    "attempt": 1,
    "at": "2024-03-05T20:01:07Z",
    "status": 503,
    "ms": 112,
    "error": "The receiver answered 503.",
}


class WebhookShape(Shape):
    """A webhook without its secret; ``waiting`` counts the entries of the log, or the notices, after ``position``."""

    id = s.UUIDField()
    url = s.CharField(help_text="Where it is sent.")
    format = s.ChoiceField(choices=Webhook.Format.choices, help_text="standard: the log; the others: notices.")
    kinds = s.ListField(child=s.CharField(), help_text="Kinds of changes, or of notices, that are sent; none: all.")
    state = s.ChoiceField(choices=Webhook.State.choices)
    disabled_reason = s.CharField()
    position = s.IntegerField(help_text="The entry of the log, or the notice, that was dealt with last.")
    waiting = s.IntegerField()
    failures = s.IntegerField(help_text="Attempts that failed since the last success.")
    next_try_at = s.DateTimeField(allow_null=True)
    test_asked_at = s.DateTimeField(allow_null=True, help_text="A test is on its way since then.")
    old_secret_until = s.DateTimeField(allow_null=True, help_text="Until then the old secret's signature is sent, too.")
    created_at = s.DateTimeField()
    created_by = s.CharField()


class NewWebhookShape(WebhookShape):
    """A webhook with its secret, which is shown only now."""

    secret = s.CharField()


class DeliveryShape(Shape):
    """One attempt; ``webhook_id`` is the header webhook-id, the same at every attempt."""

    id = s.IntegerField()
    webhook_id = s.CharField()
    type = s.CharField()
    position = s.IntegerField(allow_null=True, help_text="The entry of the log, or the notice; null: a test.")
    attempt = s.IntegerField()
    at = s.DateTimeField()
    status = s.IntegerField(allow_null=True, help_text="Of the answer; null: none came.")
    ms = s.IntegerField()
    error = s.CharField(help_text="Why it failed; empty: it was taken.")
