"""API of a league's webhooks, for its owners."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.webhooks.models import MAX_URL_LENGTH, Webhook
from league.apps.webhooks.selectors import find_webhook, list_deliveries, list_formats, list_webhooks
from league.apps.webhooks.services.webhooks import (
    GRACE_HOURS,
    MAX_GRACE_HOURS,
    change_webhook,
    delete_webhook,
    make_webhook,
    request_replay,
    request_test,
    rotate_secret,
)
from league.core.errors import Problem
from league.web.api.core.base import Endpoint, make_cursor_parser, paginate_by_cursor, parse_limit, parse_query
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import JsonTextField, StrictSerializer, TextListField, WholeNumberField
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import Shape, build_page_shape, render_fields
from league.web.api.openapi.examples import (
    READ,
    build_error_responses,
    build_paging_parameters,
    describe_list,
    describe_write,
    request_example,
)

MAX_KINDS = 50
URL_HELP = "https, port 443 or 1024 and above; no user, no fragment."
KINDS_HELP = "Kinds of changes, such as game.recorded, or of notices, such as notice.evening; none: all."
FORMAT_HELP = "standard: log entries (default); discord, slack, matrix: notices as messages of that chat."
RESUME_HELP = "With state active: position (default) resumes where it stopped, now skips to new entries."


class WebhookInput(StrictSerializer):
    """A new webhook."""

    url = JsonTextField(max_length=MAX_URL_LENGTH, help_text=URL_HELP)
    format = s.ChoiceField(
        choices=list_formats(), required=False, default=Webhook.Format.STANDARD.value, help_text=FORMAT_HELP
    )
    kinds = TextListField(most=MAX_KINDS, required=False, default=list, help_text=KINDS_HELP)


class WebhookChange(StrictSerializer):
    """Changes of a webhook."""

    url = JsonTextField(max_length=MAX_URL_LENGTH, required=False, help_text=URL_HELP)
    format = s.ChoiceField(choices=list_formats(), required=False, help_text=FORMAT_HELP)
    kinds = TextListField(most=MAX_KINDS, required=False, help_text=KINDS_HELP)
    state = s.ChoiceField(choices=Webhook.State.choices, required=False)
    resume = s.ChoiceField(choices=["position", "now"], required=False, help_text=RESUME_HELP)


class ReplayInput(StrictSerializer):
    """The position to send from."""

    after = WholeNumberField(
        min_value=0,
        max_value=2**53 - 1,
        help_text="Log entries after this position, or notices after this number, are sent.",
    )


class RotationInput(StrictSerializer):
    """How long the old secret stays valid."""

    grace_hours = WholeNumberField(
        min_value=0,
        max_value=MAX_GRACE_HOURS,
        required=False,
        default=GRACE_HOURS,
        help_text="Hours for which deliveries are also signed with the old secret; 0: not at all.",
    )


class WebhookShape(Shape):
    """A webhook without its secret; ``waiting`` is the number of log entries or notices after ``position``."""

    id = s.UUIDField()
    url = s.CharField(help_text="The URL of the receiver.")
    format = s.ChoiceField(choices=Webhook.Format.choices, help_text="standard: log entries; the others: notices.")
    kinds = s.ListField(child=s.CharField(), help_text="Kinds of log entries or notices that are sent; none: all.")
    state = s.ChoiceField(choices=Webhook.State.choices)
    disabled_reason = s.CharField()
    position = s.IntegerField(help_text="The last processed log entry or notice.")
    waiting = s.IntegerField()
    failures = s.IntegerField(help_text="Failed attempts since the last success.")
    next_try_at = s.DateTimeField(allow_null=True)
    test_asked_at = s.DateTimeField(allow_null=True, help_text="When a pending test was requested.")
    old_secret_until = s.DateTimeField(
        allow_null=True, help_text="Until then deliveries are also signed with the old secret."
    )
    created_at = s.DateTimeField()
    created_by = s.CharField()


class NewWebhookShape(WebhookShape):
    """A webhook with its secret, which is shown only now."""

    secret = s.CharField(help_text="Empty if the request was repeated with its Idempotency-Key.")


class DeliveryShape(Shape):
    """An attempt; ``webhook_id`` is the webhook-id header, the same at every attempt."""

    id = s.IntegerField()
    webhook_id = s.CharField()
    type = s.CharField()
    position = s.IntegerField(allow_null=True, help_text="The log entry or notice; null: a test.")
    attempt = s.IntegerField()
    at = s.DateTimeField()
    status = s.IntegerField(allow_null=True, help_text="HTTP status; null: no response.")
    ms = s.IntegerField()
    error = s.CharField(help_text="Why it failed; empty: it succeeded.")


def _render_webhook(webhook: Webhook) -> dict[str, Any]:
    names = ("id", "url", "waiting", *WebhookShape._declared_fields)
    return {name: str(webhook.pk) if name == "id" else getattr(webhook, name) for name in names}


PAGE_SIZE = 50


def _respond_with_secret(webhook: Webhook, secret: str, status: int) -> Response:
    return Response(
        {**_render_webhook(webhook), "secret": secret}, status=status, headers={"Cache-Control": "no-store"}
    )


class Webhooks(Endpoint):
    """The webhooks of a league."""

    @describe_list("list_webhooks", WebhookShape, "Webhook", {**READ, **build_error_responses(403)})
    def get(self, request: Request, league: str) -> Response:
        """List the webhooks without their secrets; for owners."""
        the_league = self.league(league, "own")
        return self.paginate(list_webhooks(the_league).select_related("league"), _render_webhook)

    @describe_write(
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
    @idempotent("secret")
    def post(self, request: Request, league: str) -> Response:
        """Create a webhook for new entries; its secret is in this response only."""
        the_league = self.bare_league(league, "own")
        data = self.body(WebhookInput)
        webhook, secret = make_webhook(
            the_league.pk, data["url"], data["kinds"], form=data["format"], username=self.viewer.name
        )
        return _respond_with_secret(webhook, secret, 201)


class WebhookEndpoint(Endpoint):
    """Base of the views of a webhook."""

    def webhook(self, league: str, name: str) -> Webhook:
        """Return a webhook of an owned league, for an operation without parameters; raises 400, 401, 403 or 404."""
        return find_webhook(self.bare_league(league, "own"), name)


class WebhookDetail(WebhookEndpoint):
    """A webhook."""

    @extend_schema(operation_id="get_webhook", responses={200: WebhookShape, **READ, **build_error_responses(403)})
    def get(self, request: Request, league: str, webhook: str) -> Response:
        """Return a webhook without its secret."""
        return Response(_render_webhook(self.webhook(league, webhook)))

    @describe_write(
        "change_webhook",
        WebhookChange,
        {200: WebhookShape},
        request_example("Enable", {"state": "active", "resume": "now"}),
    )
    def patch(self, request: Request, league: str, webhook: str) -> Response:
        """Change URL, format or kinds; disable; or enable, resuming at its position or with new entries."""
        webhook_row = self.webhook(league, webhook)
        data = self.body(WebhookChange)
        resume, form = data.pop("resume", None), data.pop("format", None)
        if resume is not None and data.get("state") != Webhook.State.ACTIVE:
            message = "resume goes with “state”: “active”."
            raise ApiProblem(400, message, [Problem("/resume", "not_alone", message)])
        return Response(
            _render_webhook(
                change_webhook(webhook_row, **data, form=form, skip=resume == "now", username=self.viewer.name)
            )
        )

    @describe_write("delete_webhook", None, {204: None})
    def delete(self, request: Request, league: str, webhook: str) -> Response:
        """Delete a webhook with its deliveries."""
        delete_webhook(self.webhook(league, webhook))
        return Response(status=204)


class TestWebhook(WebhookEndpoint):
    """A test of a webhook."""

    @describe_write("test_webhook", None, {202: WebhookShape})
    @idempotent()
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Request a webhook.test, whose result appears in the deliveries; works for disabled webhooks too."""
        return Response(_render_webhook(request_test(self.webhook(league, webhook))), status=202)


class ReplayWebhook(WebhookEndpoint):
    """A replay of a webhook."""

    @describe_write(
        "replay_webhook", ReplayInput, {202: WebhookShape}, request_example("From the beginning", {"after": 0})
    )
    @idempotent()
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Send everything after a position again, in order and with the same webhook-ids."""
        webhook_row = self.webhook(league, webhook)
        return Response(_render_webhook(request_replay(webhook_row, self.body(ReplayInput)["after"])), status=202)


class RotateSecret(WebhookEndpoint):
    """A new secret of a webhook."""

    @describe_write(
        "rotate_webhook_secret", RotationInput, {200: NewWebhookShape}, request_example("Two days", {"grace_hours": 48})
    )
    @idempotent("secret")
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Create a new secret, shown only now; for a time deliveries are signed with both."""
        webhook_row = self.webhook(league, webhook)
        changed, secret = rotate_secret(webhook_row, grace_hours=self.body(RotationInput)["grace_hours"])
        return _respond_with_secret(changed, secret, 200)


class Deliveries(Endpoint):
    """The delivery attempts of a webhook."""

    @extend_schema(
        operation_id="list_deliveries",
        parameters=build_paging_parameters("Attempts", 50),
        responses={200: build_page_shape(DeliveryShape, "Delivery"), **READ, **build_error_responses(403)},
    )
    def get(self, request: Request, league: str, webhook: str) -> Response:
        """List the attempts of the last thirty days, newest first."""
        webhook_row = find_webhook(self.league(league, "own"), webhook)
        parameters: dict[str, Any] = parse_query(request, {"limit": parse_limit, "cursor": make_cursor_parser(int)})
        deliveries = list_deliveries(webhook_row, parameters["cursor"][0] if "cursor" in parameters else None)
        page, following = paginate_by_cursor(
            request, deliveries, parameters.get("limit", PAGE_SIZE), lambda last: (last.pk,)
        )
        results = [
            render_fields(DeliveryShape, delivery, webhook_id=delivery.message, type=delivery.kind) for delivery in page
        ]
        return Response({"results": results, "next": following})
