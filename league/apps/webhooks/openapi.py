"""The OpenAPI document's ``webhooks``: a name and a body for each kind of event."""

from typing import Any

from league.apps.webhooks.services.deliveries import TEST_KIND
from league.core.chats import find_chat_source
from league.web.api.openapi.described import Descriptions, build_schema_reference
from league.web.api.openapi.lines import (
    MOMENT,
    TEXT,
    UUID,
    Schema,
    build_array_schema,
    build_constant_schema,
    build_object_schema,
    list_payloads,
)

HEADERS = {
    "webhook-id": "Identifies the event for this webhook; the same at every attempt.",
    "webhook-timestamp": "Time of the attempt in Unix seconds; reject requests older than five minutes.",
    "webhook-signature": "v1 and the base64 of HMAC-SHA256 over id.timestamp.body; two while a secret changes.",
}
EMBED = build_object_schema({"title": TEXT, "url": TEXT, "description": TEXT}, ["title", "url"])
#: Body of a notice by chat.
CHAT_BODIES: dict[str, Schema] = {
    "Discord": build_object_schema({
        "content": TEXT, "embeds": build_array_schema(EMBED),
        "allowed_mentions": build_object_schema({"parse": build_array_schema(TEXT)}),
    }),
    "Slack": build_object_schema({
        "text": TEXT, "blocks": build_array_schema({"type": "object", "additionalProperties": {}}),
        "unfurl_links": {"type": "boolean"},
    }),
    "Matrix": build_object_schema({"text": TEXT, "html": TEXT}),
}  # fmt: skip
TEST_EVENT = {
    "type": build_constant_schema(TEST_KIND),
    "timestamp": MOMENT,
    "data": build_object_schema({"league": TEXT, "webhook": UUID}),
}
DESCRIPTIONS = Descriptions(
    addressed={"webhook": ("The id of a webhook.", "5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21", UUID)},
    together={
        "PatchedWebhookChangeRequest": {
            "if": {"required": ["resume"]},
            "then": {"properties": {"state": {"const": "active"}}, "required": ["state"]},
        },
    },
)
FAULTS = {
    "url": "Webhooks cannot be sent to this address.",
}


def add_webhooks(result: dict[str, Any]) -> None:
    """Add the webhooks to the document, which already has the schemas of log entries."""
    schemas = result["components"]["schemas"]
    schemas["TestEvent"] = build_object_schema(TEST_EVENT)
    chats = CHAT_BODIES if find_chat_source() else {}
    schemas |= {f"{chat}Notice": body for chat, body in chats.items()}
    bodies = {kind: f"{name}Event" for name, (kinds, _) in list_payloads().items() for kind in kinds}
    bodies[TEST_KIND] = "TestEvent"
    texts = {kind: f"The league's log has a new entry: {kind}." for kind in bodies}
    texts[TEST_KIND] = "An owner of the league requested a test."
    for chat in chats:
        bodies[f"notice.{chat.lower()}"] = f"{chat}Notice"
        texts[f"notice.{chat.lower()}"] = f"A notice of the league as a message for {chat}."
    result["webhooks"] = {kind: {"post": _describe_event(kind, name, texts[kind])} for kind, name in bodies.items()}


def _describe_event(kind: str, body: str, text: str) -> dict[str, Any]:
    parameters = [
        {"in": "header", "name": name, "required": True, "schema": TEXT, "description": description}
        for name, description in HEADERS.items()
    ]
    return {
        "operationId": f"receive_{kind.replace('.', '_')}",
        "summary": text.rstrip("."),
        "description": text,
        "tags": ["webhooks"],
        "security": [],
        "parameters": parameters,
        "requestBody": {"required": True, "content": {"application/json": {"schema": build_schema_reference(body)}}},
        "responses": {
            "204": {"description": "Accepted; any other 2xx means the same."},
            "410": {"description": "The receiver wants no more messages: the webhook is disabled."},
        },
    }
