"""Webhooks of a league, for its owners."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.webhooks.models import Webhook
from league.apps.webhooks.selectors import deliveries_of, find_webhook, head_of, offered_formats, webhooks_of
from league.apps.webhooks.services.webhooks import (
    GRACE_HOURS,
    MAX_GRACE_HOURS,
    ask_replay,
    ask_test,
    change_webhook,
    delete_webhook,
    make_webhook,
    rotate_secret,
)
from league.core.errors import Problem
from league.web.api.core.base import Endpoint, limit, page_after, query, read_cursor
from league.web.api.core.idempotency import keyed
from league.web.api.core.inputs import JsonTextField, StrictSerializer, TextListField, WholeNumberField
from league.web.api.core.problems import ApiProblem
from league.web.api.core.schemas import Shape, page_of, rendered
from league.web.api.openapi.examples import READ, errors, lists, paging, request_example, writes

MAX_KINDS = 50
URL = "https, port 443 or one from 1024 on; no user, no fragment."
KINDS = "Kinds of changes, such as game.recorded, or of notices, such as notice.evening; none: all."
FORMAT = "standard: the log, as it is (default); discord, slack, matrix: notices, in words for that chat."
RESUME = "With state active: position (default) sends what came meanwhile, now begins with what comes from now on."


class WebhookInput(StrictSerializer):
    """A new webhook."""

    url = JsonTextField(max_length=500, help_text=URL)
    format = s.ChoiceField(
        choices=offered_formats(), required=False, default=Webhook.Format.STANDARD.value, help_text=FORMAT
    )
    kinds = TextListField(most=MAX_KINDS, required=False, default=list, help_text=KINDS)


class WebhookChange(StrictSerializer):
    """What changes of a webhook."""

    url = JsonTextField(max_length=500, required=False, help_text=URL)
    format = s.ChoiceField(choices=offered_formats(), required=False, help_text=FORMAT)
    kinds = TextListField(most=MAX_KINDS, required=False, help_text=KINDS)
    state = s.ChoiceField(choices=Webhook.State.choices, required=False)
    resume = s.ChoiceField(choices=["position", "now"], required=False, help_text=RESUME)


class ReplayInput(StrictSerializer):
    """The position to resend from."""

    after = WholeNumberField(
        min_value=0,
        max_value=2**53 - 1,
        help_text="Entries after this position of the log, or notices after this number, are sent.",
    )


class RotationInput(StrictSerializer):
    """How long the old secret stays valid."""

    grace_hours = WholeNumberField(
        min_value=0,
        max_value=MAX_GRACE_HOURS,
        required=False,
        default=GRACE_HOURS,
        help_text="Hours for which deliveries also carry the old secret's signature; 0: none.",
    )


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
    test_asked_at = s.DateTimeField(allow_null=True, help_text="Since when a test is being sent.")
    old_secret_until = s.DateTimeField(allow_null=True, help_text="Until then the old secret's signature is also sent.")
    created_at = s.DateTimeField()
    created_by = s.CharField()


class NewWebhookShape(WebhookShape):
    """A webhook with its secret, which is shown only now."""

    secret = s.CharField(help_text="Empty if the request was repeated with its Idempotency-Key.")


class DeliveryShape(Shape):
    """One attempt; ``webhook_id`` is the header webhook-id, the same at every attempt."""

    id = s.IntegerField()
    webhook_id = s.CharField()
    type = s.CharField()
    position = s.IntegerField(allow_null=True, help_text="The entry of the log, or the notice; null: a test.")
    attempt = s.IntegerField()
    at = s.DateTimeField()
    status = s.IntegerField(allow_null=True, help_text="The HTTP status of the response; null if there was none.")
    ms = s.IntegerField()
    error = s.CharField(help_text="Why it failed; empty if it was accepted.")


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


PAGE_SIZE = 50


def with_secret(webhook: Webhook, secret: str, status: int) -> Response:
    """Answer with a secret, which no one on the way may keep."""
    return Response({**render_webhook(webhook), "secret": secret}, status=status, headers={"Cache-Control": "no-store"})


class Webhooks(Endpoint):
    """The webhooks of a league."""

    @lists("list_webhooks", WebhookShape, "Webhook", {**READ, **errors(403)})
    def get(self, request: Request, league: str) -> Response:
        """List the webhooks, without their secrets; for owners."""
        the_league = self.league(league, "own")
        return self.listed(webhooks_of(the_league).select_related("league"), render_webhook)

    @writes(
        "make_webhook",
        WebhookInput,
        {201: NewWebhookShape},
        request_example(
            "Bot", {"url": "https://club.example/hooks/rungs", "kinds": ["game.recorded", "edition.published"]}
        ),
        request_example(
            "Chat", {"url": "https://discord.com/api/webhooks/1/abc", "format": "discord", "kinds": ["notice.evening"]}
        ),
    )
    @keyed("secret")
    def post(self, request: Request, league: str) -> Response:
        """Create a webhook for changes from now on; its secret is shown only in this response."""
        the_league = self.bare_league(league, "own")
        data = self.body(WebhookInput)
        webhook, secret = make_webhook(
            the_league.pk, data["url"], data["kinds"], form=data["format"], by=self.viewer.name
        )
        return with_secret(webhook, secret, 201)


class WebhookEndpoint(Endpoint):
    """Base of the views of one webhook."""

    def webhook(self, league: str, name: str) -> Webhook:
        """Return a webhook that the asker owns, for an operation without parameters; raises 400, 401, 403 or 404."""
        return find_webhook(self.bare_league(league, "own"), name)


class OneWebhook(WebhookEndpoint):
    """A webhook."""

    @extend_schema(operation_id="get_webhook", responses={200: WebhookShape, **READ, **errors(403)})
    def get(self, request: Request, league: str, webhook: str) -> Response:
        """Read a webhook, without its secret."""
        return Response(render_webhook(self.webhook(league, webhook)))

    @writes(
        "change_webhook",
        WebhookChange,
        {200: WebhookShape},
        request_example("Enable", {"state": "active", "resume": "now"}),
    )
    def patch(self, request: Request, league: str, webhook: str) -> Response:
        """Change the address and contents; disable it; enable it from where it stopped or from now on."""
        found = self.webhook(league, webhook)
        data = self.body(WebhookChange)
        resume, form = data.pop("resume", None), data.pop("format", None)
        if resume is not None and data.get("state") != Webhook.State.ACTIVE:
            sentence = "resume goes with “state”: “active”."
            raise ApiProblem(400, sentence, [Problem("/resume", "not_alone", sentence)])
        return Response(
            render_webhook(change_webhook(found, **data, form=form, skip=resume == "now", by=self.viewer.name))
        )

    @writes("delete_webhook", None, {204: None})
    def delete(self, request: Request, league: str, webhook: str) -> Response:
        """Delete a webhook and its delivery history."""
        delete_webhook(self.webhook(league, webhook))
        return Response(status=204)


class TestWebhook(WebhookEndpoint):
    """A test of a webhook."""

    @writes("test_webhook", None, {202: WebhookShape})
    @keyed()
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Send a webhook.test in a moment; what came of it stands in its deliveries. Disabled ones are tested, too."""
        return Response(render_webhook(ask_test(self.webhook(league, webhook))), status=202)


class ReplayWebhook(WebhookEndpoint):
    """A replay of a webhook."""

    @writes("replay_webhook", ReplayInput, {202: WebhookShape}, request_example("From the beginning", {"after": 0}))
    @keyed()
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Send everything after a position of the log again, in order, each under the same webhook-id as before."""
        found = self.webhook(league, webhook)
        return Response(render_webhook(ask_replay(found, self.body(ReplayInput)["after"])), status=202)


class RotateSecret(WebhookEndpoint):
    """A new secret of a webhook."""

    @writes(
        "rotate_webhook_secret", RotationInput, {200: NewWebhookShape}, request_example("Two days", {"grace_hours": 48})
    )
    @keyed("secret")
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Create a new secret, shown only now; for a time, deliveries carry both signatures."""
        found = self.webhook(league, webhook)
        changed, secret = rotate_secret(found, grace_hours=self.body(RotationInput)["grace_hours"])
        return with_secret(changed, secret, 200)


class Deliveries(Endpoint):
    """What was tried."""

    @extend_schema(
        operation_id="list_deliveries",
        parameters=paging("Attempts", 50),
        responses={200: page_of(DeliveryShape, "Delivery"), **READ, **errors(403)},
    )
    def get(self, request: Request, league: str, webhook: str) -> Response:
        """List the attempts of the last thirty days, newest first."""
        found = find_webhook(self.league(league, "own"), webhook)
        given: dict[str, Any] = query(request, {"limit": limit, "cursor": read_cursor(int)})
        tried = deliveries_of(found, given["cursor"][0] if "cursor" in given else None)
        page, following = page_after(request, tried, given.get("limit", PAGE_SIZE), lambda last: (last.pk,))
        sent = [rendered(DeliveryShape, one, webhook_id=one.message, type=one.kind) for one in page]
        return Response({"results": sent, "next": following})
