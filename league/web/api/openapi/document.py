"""What the OpenAPI document says of every operation: the headers and answers that no view writes itself."""

import json
import re
from pathlib import Path
from typing import Any

from league.core.capabilities import load_declared
from league.web.api.core.idempotency import PARAMETER
from league.web.api.core.problems import document, nobodys
from league.web.api.openapi.described import describe
from league.web.api.openapi.lines import schemas_of_lines

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
EXAMPLE_429 = nobodys(document(429, "More than 300,000 requests in a minute; wait 12 seconds."))
TOO_MANY = {
    "description": "Too many requests in a minute.",
    "headers": {**LIMITS, **RETRY_AFTER},
    "content": {
        "application/problem+json": {
            "schema": {"$ref": "#/components/schemas/ProblemShape"},
            "examples": {"Error429": {"value": EXAMPLE_429}},
        }
    },
}
#: Operation -> status -> what a league of the test suite answered (tests/fuzz/test_answers.py writes it again).
ANSWERS = Path(__file__).with_name("answers.json")
#: Bodies of operations whose views name no example.
BODIES: dict[str, Any] = {
    "change_league": {"title": "Preferans club of Belgrade", "min_games": 3},
    "change_ladder": {"title": "The month's ladder"},
    "change_player": {"name": "Pedja P.", "active": True},
    "carry_period": {"reason": "The prizes were given."},
    "reopen_period": {"reason": "A score sheet came late."},
}
UNCHANGED = "What you have still stands (If-None-Match)."


def tell_of_every_operation(result: Any, generator: Any, request: Any, public: Any) -> Any:
    """Add to each operation of the document what holds for all of them."""
    for address, path in result["paths"].items():
        for method, operation in path.items():
            if method in METHODS:
                operation["summary"] = summary_of(operation["description"])
                add_method_facts(method, operation)
                tell_who_may_ask(address, operation)
    result["components"]["schemas"] |= schemas_of_lines()
    describe(result)
    for add in load_declared("openapi"):
        add(result)
    show_answers(result)
    return result


def summary_of(description: str) -> str:
    """Return what an operation does in a few words: the beginning of the sentence that describes it."""
    return re.split(r"[.:;(—]", " ".join(description.split()), maxsplit=1)[0].strip()


def add_method_facts(method: str, operation: dict[str, Any]) -> None:
    """Add to an operation what holds for its method."""
    for status, answer in operation["responses"].items():
        answer.setdefault("headers", {}).update({**LIMITS, **(RETRY_AFTER if status in ("409", "503", "507") else {})})
    operation["responses"]["429"] = TOO_MANY
    if method == "post":
        operation.setdefault("parameters", []).append(PARAMETER)
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


def show_answers(result: dict[str, Any]) -> None:
    """Give every body and every good answer an example that has none yet."""
    answers = json.loads(ANSWERS.read_text(encoding="utf-8"))
    for path in result["paths"].values():
        for operation in (one for method, one in path.items() if method in METHODS):
            name = operation["operationId"]
            if name in BODIES:
                content = operation["requestBody"]["content"]["application/json"]
                content["examples"] = {"Body": {"value": BODIES[name]}}
            found = answers.get(name, {})
            if "202" in operation["responses"]:  # one long dry run is answered like another
                found.setdefault("202", answers["void_game"]["202"])
            for status, value in found.items():
                content = operation["responses"][status]["content"]["application/json"]
                content.setdefault("examples", {"Answer": {"value": value}})
