"""Webhooks, to which changes of a league are sent, and their deliveries."""

import uuid
from datetime import datetime
from urllib.parse import urlsplit

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy

from league.models.leagues import League, LeagueKey

MAX_URL_LENGTH = 500
#: Streams: a webhook's position counts log entries or notices.
LOG, NOTICES = "log", "notices"
#: Messages that are stored in English, of failed attempts and disabled webhooks; pages translate them.
GONE_MESSAGE = gettext_noop("The receiver answered 410 (gone) and gets nothing more.")
NOT_HTTP_MESSAGE = gettext_noop("The answer was not HTTP.")
DISABLED_MESSAGE = gettext_noop("Disabled by {by}.")


def translate_error(error: str) -> str:
    """Return a stored error in the reader's language, if it is one of the messages above."""
    if error in (GONE_MESSAGE, NOT_HTTP_MESSAGE):
        return _(error)
    start, end = DISABLED_MESSAGE.split("{by}")
    if error.startswith(start) and error.endswith(end):
        return _(DISABLED_MESSAGE).format(by=error[len(start) : -len(end)])
    return error


class WebhookQuerySet(models.QuerySet["Webhook"]):
    """Conditions on webhooks."""

    def of_log(self) -> "WebhookQuerySet":
        """Return those that send the log."""
        return self.filter(format=Webhook.Format.STANDARD)

    def of_notices(self) -> "WebhookQuerySet":
        """Return those that send notices, to chats."""
        return self.exclude(format=Webhook.Format.STANDARD)

    def unclaimed(self, now: datetime) -> "WebhookQuerySet":
        """Return those that no worker has claimed."""
        return self.filter(models.Q(claimed_until=None) | models.Q(claimed_until__lte=now))

    def due(self, now: datetime) -> "WebhookQuerySet":
        """Return the unclaimed ones that have something to send."""
        sends_log, position = models.Q(format=Webhook.Format.STANDARD), models.F("position")
        entries = sends_log & models.Q(league__log_length__gt=position)
        notices = ~sends_log & models.Q(league__last_message__gt=position)
        is_due = models.Q(next_try_at=None) | models.Q(next_try_at__lte=now)
        has_news = models.Q(state=Webhook.State.ACTIVE) & (entries | notices) & is_due
        return self.filter(has_news | models.Q(test_asked_at__isnull=False)).unclaimed(now).order_by("pk")


class Webhook(models.Model):
    """A cursor on a league's log: entries after ``position`` are sent to ``url`` in order.

    In the formats of chats it is a cursor on the league's notices.

    The secret is stored unhashed, since every delivery is signed with it; it is not shown again.
    """

    class State(models.TextChoices):
        """Whether messages are sent."""

        ACTIVE = "active", pgettext_lazy("state of a webhook", "Active")
        DISABLED = "disabled", pgettext_lazy("state of a webhook", "Disabled")

    class Format(models.TextChoices):
        """What is sent: log entries, or messages in the format of a chat."""

        STANDARD = "standard", gettext_lazy("Programs: signed JSON (Standard Webhooks)")
        DISCORD = "discord", "Discord"
        SLACK = "slack", "Slack, Mattermost, Rocket.Chat"
        MATRIX = "matrix", "Matrix (hookshot)"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=MAX_URL_LENGTH)
    format = models.CharField(max_length=8, choices=Format.choices, default=Format.STANDARD)
    kinds = models.JSONField(
        default=list, blank=True, help_text="Kinds of entries, or notices, that are sent; none: all."
    )
    secret = models.CharField(max_length=100, editable=False)
    old_secret = models.CharField(max_length=100, blank=True, editable=False)
    old_secret_until = models.DateTimeField(null=True, blank=True, editable=False)
    position = models.PositiveBigIntegerField(help_text="The entry, or notice, that was dealt with last.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.ACTIVE)
    disabled_reason = models.CharField(max_length=300, blank=True)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Attempts that failed since the last success.")
    next_try_at = models.DateTimeField(null=True, blank=True)
    test_asked_at = models.DateTimeField(null=True, blank=True, help_text="When a test was asked for; sent: empty.")
    # The current claim; a worker with another number records nothing.
    claim = models.PositiveBigIntegerField(default=0, editable=False)
    claimed_until = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=200, blank=True)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        db_table = "league_webhook"
        ordering = ("league", "created_at")
        constraints = (
            models.CheckConstraint(condition=models.Q(state__in=["active", "disabled"]), name="webhook_state"),
            models.CheckConstraint(
                condition=models.Q(format__in=["standard", "discord", "slack", "matrix"]), name="webhook_format"
            ),
        )

    def __str__(self) -> str:
        return self.url

    @property
    def host(self) -> str:
        """The host of the receiver, for display."""
        return urlsplit(self.url).hostname or self.url

    @property
    def stream(self) -> str:
        """The stream that it sends."""
        return LOG if self.format == self.Format.STANDARD else NOTICES

    @property
    def head(self) -> int:
        """The last position of its stream."""
        return self.league.log_length if self.stream == LOG else self.league.last_message

    @property
    def waiting(self) -> int:
        """The number of entries or notices after its position."""
        return max(self.head - self.position, 0)

    @property
    def why_disabled(self) -> str:
        """The reason in the reader's language, if the message is one of ours."""
        return translate_error(self.disabled_reason)


class Delivery(models.Model):
    """One attempt to send an entry to a webhook; stored for thirty days."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_index=False, related_name="+")
    webhook = LeagueKey(Webhook, on_delete=models.CASCADE, db_index=False, related_name="deliveries")
    position = models.PositiveBigIntegerField(null=True, blank=True, help_text="The entry, or notice; empty: a test.")
    kind = models.CharField(max_length=40)
    message = models.CharField(max_length=80, help_text="The webhook-id: the same at every attempt.")
    attempt = models.PositiveSmallIntegerField(help_text="From 1.")
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Of the answer; empty: none came.")
    ms = models.PositiveIntegerField(help_text="How long it took.")
    error = models.CharField(max_length=300, blank=True, help_text="Why it failed; empty: it was taken.")

    class Meta:
        db_table = "league_delivery"
        ordering = ("-id",)
        verbose_name_plural = gettext_lazy("deliveries")
        indexes = (
            models.Index(fields=["league", "webhook", "-id"], name="delivery_order"),
            # Deleting a webhook, and the foreign key, look up by it alone.
            models.Index(fields=["webhook"], name="delivery_of_webhook"),
            models.Index(fields=["at"], name="delivery_age"),
        )

    def __str__(self) -> str:
        return f"{self.message}: {self.status or self.error}"

    @property
    def failure(self) -> str:
        """The error in the reader's language, if the message is one of ours; empty: it succeeded."""
        if not self.error or self.status is None:
            return translate_error(self.error)
        if 300 <= self.status < 400:
            return _("Redirects are not followed.")
        return _("The receiver answered {status}.").format(status=self.status)
