"""What the OpenAPI document says of every operation: the headers and answers that no view writes itself."""

from typing import Any

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
UNCHANGED = "What you have still stands (If-None-Match)."


def tell_of_every_operation(result: Any, generator: Any, request: Any, public: Any) -> Any:
    """Add to each operation of the document what holds for all of them."""
    for path in result["paths"].values():
        for method, operation in path.items():
            if method in METHODS:
                tell(method, operation)
    return result


def tell(method: str, operation: dict[str, Any]) -> None:
    """Add to an operation what holds for its method."""
    if method == "get":
        operation.setdefault("parameters", []).append(IF_NONE_MATCH)
        for status, answer in list(operation["responses"].items()):
            if status.startswith("2"):
                answer.setdefault("headers", {}).update({"ETag": ETAG, "Cache-Control": CACHE_CONTROL})
        operation["responses"]["304"] = {"description": UNCHANGED, "headers": {"ETag": ETAG}}
