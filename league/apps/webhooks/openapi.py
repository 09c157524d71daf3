"""The OpenAPI document's ``webhooks``: a name and a body for each kind of event."""

from typing import Any

from league.apps.webhooks.services.deliveries import TEST_KIND
from league.core.chats import chat_source
from league.web.api.openapi.described import schema_ref
from league.web.api.openapi.lines import MOMENT, PAYLOADS, TEXT, UUID, Schema, array_of, constant, described

HEADERS = {
    "webhook-id": "Identifies the event for this webhook; the same at every attempt.",
    "webhook-timestamp": "Time of the attempt in Unix seconds; reject requests older than five minutes.",
    "webhook-signature": "v1 and the base64 of HMAC-SHA256 over id.timestamp.body; two while a secret changes.",
}
EMBED = described({"title": TEXT, "url": TEXT, "description": TEXT}, ["title", "url"])
#: Body of a notice by chat.
CHAT_BODIES: dict[str, Schema] = {
    "Discord": described({
        "content": TEXT, "embeds": array_of(EMBED), "allowed_mentions": described({"parse": array_of(TEXT)}),
    }),
    "Slack": described({
        "text": TEXT, "blocks": array_of({"type": "object", "additionalProperties": {}}),
        "unfurl_links": {"type": "boolean"},
    }),
    "Matrix": described({"text": TEXT, "html": TEXT}),
}  # fmt: skip
TEST_EVENT = {"type": constant(TEST_KIND), "timestamp": MOMENT, "data": described({"league": TEXT, "webhook": UUID})}


def add_webhooks(result: dict[str, Any]) -> None:
    """Add the webhooks to the document, which already has the schemas of log entries."""
    schemas = result["components"]["schemas"]
    schemas["TestEvent"] = described(TEST_EVENT)
    chats = CHAT_BODIES if chat_source() else {}
    schemas |= {f"{chat}Notice": body for chat, body in chats.items()}
    bodies = {kind: f"{name}Event" for name, (kinds, _) in PAYLOADS.items() for kind in kinds}
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
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema_ref(body)}}},
        "responses": {
            "204": {"description": "Accepted; any other 2xx means the same."},
            "410": {"description": "The receiver wants no more messages: the webhook is disabled."},
        },
    }
