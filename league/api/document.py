"""What the OpenAPI document says of every operation: the headers and answers that no view writes itself."""

from typing import Any

from league.api.described import describe
from league.api.problems import document

METHODS = ("get", "put", "post", "patch", "delete")
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
ETAG = {"description": "A strong tag of the answer; of a packed one it ends in -gzip.", "schema": TEXT}
CACHE_CONTROL = {
    "description": "public, no-cache: keep it and ask whether it stands; private, no-store: keep nothing; an edition "
    "of a public league never changes.",
    "schema": TEXT,
}
IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "schema": TEXT,
    "description": "The ETag of what you have; 304 where it still stands.",
}
LIMITS = {
    "RateLimit-Policy": {"description": "The limit: requests (q) in seconds (w).", "schema": TEXT},
    "RateLimit": {"description": "What is left of it (r), and the seconds until it begins anew (t).", "schema": TEXT},
}
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait.", "schema": NUMBER}}
TOO_MANY = {
    "description": "Too many requests in a minute.",
    "headers": {**LIMITS, **RETRY_AFTER},
    "content": {
        "application/problem+json": {
            "schema": {"$ref": "#/components/schemas/ProblemShape"},
            "examples": {
                "Error429": {"value": document(429, "More than 300,000 requests in a minute; wait 12 seconds.")}
            },
        }
    },
}
UNCHANGED = "What you have still stands (If-None-Match)."


def tell_of_every_operation(result: Any, generator: Any, request: Any, public: Any) -> Any:
    """Add to each operation of the document what holds for all of them."""
    for address, path in result["paths"].items():
        for method, operation in path.items():
            if method in METHODS:
                tell(method, operation)
                tell_who_may_ask(address, operation)
    describe(result)
    return result


def tell(method: str, operation: dict[str, Any]) -> None:
    """Add to an operation what holds for its method."""
    for status, answer in operation["responses"].items():
        answer.setdefault("headers", {}).update({**LIMITS, **(RETRY_AFTER if status in ("409", "503") else {})})
    operation["responses"]["429"] = TOO_MANY
    if method == "get":
        operation.setdefault("parameters", []).append(IF_NONE_MATCH)
        for status, answer in list(operation["responses"].items()):
            if status.startswith("2"):
                answer.setdefault("headers", {}).update({"ETag": ETAG, "Cache-Control": CACHE_CONTROL})
        operation["responses"]["304"] = {"description": UNCHANGED, "headers": {"ETag": ETAG}}


def tell_who_may_ask(address: str, operation: dict[str, Any]) -> None:
    """Say which operations are for strangers, too, who do not find what they may not see, and which take no token."""
    if "403" not in operation["responses"]:
        operation["security"].append({})
    if "/tokens/" in address:
        operation["security"] = [way for way in operation["security"] if "token" not in way]
