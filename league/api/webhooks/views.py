"""Webhooks of a league, for its owners."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import Endpoint, limit, next_url, paged, query, read_cursor, write_cursor
from league.api.core.problems import Failed
from league.api.core.schemas import page_of
from league.api.openapi.described import CURSOR, LIMIT
from league.api.openapi.examples import PAGED, READ, WRITE, errors, parameter, request_example
from league.api.webhooks.inputs import ReplayInput, RotationInput, WebhookChange, WebhookInput
from league.api.webhooks.render import render_delivery, render_webhook
from league.api.webhooks.schemas import CHAT, EXAMPLE, SECRET, DeliveryShape, NewWebhookShape, WebhookShape
from league.errors import Problem
from league.models import Webhook
from league.selectors.webhooks import deliveries_of, find_webhook, webhooks_of
from league.services.webhooks.webhooks import (
    ask_replay,
    ask_test,
    change_webhook,
    delete_webhook,
    make_webhook,
    rotate_secret,
)

PAGE = 50
ID = OpenApiParameter("webhook", OpenApiTypes.UUID, OpenApiParameter.PATH)


def answer_example(value: dict[str, Any], *statuses: str) -> OpenApiExample:
    """Return an example of an answer."""
    return OpenApiExample("Answer", value=value, response_only=True, status_codes=list(statuses) or ["200"])


def with_secret(webhook: Webhook, secret: str, status: int) -> Response:
    """Answer with a secret, which nobody on the way may keep."""
    return Response({**render_webhook(webhook), "secret": secret}, status=status, headers={"Cache-Control": "no-store"})


class Webhooks(Endpoint):
    """The webhooks of a league."""

    @extend_schema(
        operation_id="list_webhooks",
        parameters=PAGED,
        responses={200: page_of(WebhookShape, "Webhook"), **READ, **errors(403)},
    )
    def get(self, request: Request, league: str) -> Response:
        """List the webhooks, without their secrets; for owners."""
        the_league = self.league(league, "own")
        found, following = paged(request, webhooks_of(the_league).select_related("league"))
        return Response({"results": [render_webhook(webhook) for webhook in found], "next": following})

    @extend_schema(
        operation_id="make_webhook",
        request=WebhookInput,
        responses={201: NewWebhookShape, **WRITE},
        examples=[
            request_example("Bot", {"url": EXAMPLE["url"], "kinds": EXAMPLE["kinds"]}),
            request_example("Chat", {"url": CHAT, "format": "discord", "kinds": ["notice.evening"]}),
            answer_example({**EXAMPLE, "secret": SECRET}, "201"),
        ],
    )
    def post(self, request: Request, league: str) -> Response:
        """Make a webhook that is told of what happens from now on; its secret is in this answer and never again."""
        the_league = self.league(league, "own")
        query(request, {})
        data = self.body(WebhookInput)
        webhook, secret = make_webhook(
            the_league.pk, data["url"], data["kinds"], form=data["format"], by=self.viewer.name
        )
        return with_secret(webhook, secret, 201)


class WebhookEndpoint(Endpoint):
    """Base of the views of one webhook."""

    def webhook(self, league: str, name: str) -> Webhook:
        """Return a webhook that the asker owns; raises 401, 403 or 404."""
        return find_webhook(self.league(league, "own"), name)


class OneWebhook(WebhookEndpoint):
    """A webhook."""

    @extend_schema(
        operation_id="get_webhook",
        parameters=[ID],
        responses={200: WebhookShape, **READ, **errors(403)},
        examples=[answer_example(EXAMPLE)],
    )
    def get(self, request: Request, league: str, webhook: str) -> Response:
        """Read a webhook, without its secret."""
        found = self.webhook(league, webhook)
        query(request, {})
        return Response(render_webhook(found))

    @extend_schema(
        operation_id="change_webhook",
        parameters=[ID],
        request=WebhookChange,
        responses={200: WebhookShape, **WRITE},
        examples=[
            request_example("Enable", {"state": "active", "resume": "now"}),
            answer_example({**EXAMPLE, "position": 4720}),
        ],
    )
    def patch(self, request: Request, league: str, webhook: str) -> Response:
        """Change where and what is sent; disable; enable, which goes on where it stopped, or from now on."""
        found = self.webhook(league, webhook)
        query(request, {})
        data = self.body(WebhookChange)
        resume, form = data.pop("resume", None), data.pop("format", None)
        if resume is not None and data.get("state") != Webhook.State.ACTIVE:
            sentence = "resume goes with “state”: “active”."
            raise Failed(400, sentence, [Problem("/resume", "not_alone", sentence)])
        return Response(
            render_webhook(change_webhook(found, **data, form=form, skip=resume == "now", by=self.viewer.name))
        )

    @extend_schema(operation_id="delete_webhook", parameters=[ID], request=None, responses={204: None, **WRITE})
    def delete(self, request: Request, league: str, webhook: str) -> Response:
        """Delete a webhook with what is known of its deliveries."""
        found = self.webhook(league, webhook)
        query(request, {})
        delete_webhook(found)
        return Response(status=204)


class TestWebhook(WebhookEndpoint):
    """A test of a webhook."""

    @extend_schema(
        operation_id="test_webhook",
        parameters=[ID],
        request=None,
        responses={202: WebhookShape, **WRITE},
        examples=[answer_example({**EXAMPLE, "test_asked_at": "2024-03-05T20:00:00Z"}, "202")],
    )
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Send a webhook.test in a moment; what came of it stands in its deliveries. Disabled ones are tested, too."""
        found = self.webhook(league, webhook)
        query(request, {})
        return Response(render_webhook(ask_test(found)), status=202)


class ReplayWebhook(WebhookEndpoint):
    """A replay of a webhook."""

    @extend_schema(
        operation_id="replay_webhook",
        parameters=[ID],
        request=ReplayInput,
        responses={202: WebhookShape, **WRITE},
        examples=[
            request_example("From the beginning", {"after": 0}),
            answer_example({**EXAMPLE, "position": 0, "waiting": 4711}, "202"),
        ],
    )
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Send everything after a position of the log again, in order, each under the same webhook-id as before."""
        found = self.webhook(league, webhook)
        query(request, {})
        return Response(render_webhook(ask_replay(found, self.body(ReplayInput)["after"])), status=202)


class RotateSecret(WebhookEndpoint):
    """A new secret of a webhook."""

    @extend_schema(
        operation_id="rotate_webhook_secret",
        parameters=[ID],
        request=RotationInput,
        responses={200: NewWebhookShape, **WRITE},
        examples=[
            request_example("Two days", {"grace_hours": 48}),
            answer_example({**EXAMPLE, "old_secret_until": "2024-03-07T20:00:00Z", "secret": SECRET}),
        ],
    )
    def post(self, request: Request, league: str, webhook: str) -> Response:
        """Make a new secret, shown only now; for a time, deliveries bear signatures by both."""
        found = self.webhook(league, webhook)
        query(request, {})
        changed, secret = rotate_secret(found, grace_hours=self.body(RotationInput)["grace_hours"])
        return with_secret(changed, secret, 200)


class Deliveries(WebhookEndpoint):
    """What was tried."""

    @extend_schema(
        operation_id="list_deliveries",
        parameters=[
            ID,
            parameter("limit", LIMIT, "Attempts a page, 1 to 1000 (50)."),
            parameter("cursor", CURSOR, "As “next” gave it."),
        ],
        responses={200: page_of(DeliveryShape, "Delivery"), **READ, **errors(403)},
    )
    def get(self, request: Request, league: str, webhook: str) -> Response:
        """List the attempts of the last thirty days, the newest first."""
        found = self.webhook(league, webhook)
        given: dict[str, Any] = query(request, {"limit": limit, "cursor": read_cursor(int)})
        size = given.get("limit", PAGE)
        rows = list(deliveries_of(found, given["cursor"][0] if "cursor" in given else None)[: size + 1])
        cursor = write_cursor(rows[size - 1].pk) if len(rows) > size else None
        page = [render_delivery(delivery) for delivery in rows[:size]]
        return Response({"results": page, "next": next_url(request, "cursor", cursor)})
