"""Asks every operation of the document for a good answer: the examples that the document shows of them."""

import json
import re
from typing import Any
from urllib.parse import urlencode

from tests.fuzz.books import plan_town_hall
from tests.fuzz.cases import BEFORE, PLACES, QUERIES, addresses_of, body_of
from tests.helpers.api_client import Api

#: So many things of a list are shown.
SHOWN = 3
ONE = ("systems/", "ladder-methods/")


def ask(api: Api, path: str, method: str, operation: dict[str, Any], query: str = "") -> Any:
    """Ask an operation with its example; returns the answer."""
    name = operation["operationId"]
    if name in BEFORE:
        done = api.post(*BEFORE[name])
        assert done.status_code in (200, 201), (name, done.content)
    if name == "call_match":
        plan_town_hall()
    places = {**addresses_of(path), **PLACES.get(name, {})}
    address = path.removeprefix("/api/v1/").format(**places) + query
    address += f"{'&' if query else '?'}{urlencode(QUERIES[name])}" if name in QUERIES else ""
    if "requestBody" not in operation:
        return api.call(method, address, {} if method == "post" else None)
    ((kind, content),) = list(operation["requestBody"]["content"].items())[:1]
    body = body_of(name, content)
    return api.call(method, address, body) if kind == "application/json" else api.post_file(address, body, kind)


def told(answer: Any) -> Any:
    """Return the answer as an example: another host, another day, another secret, and not too long."""
    text = json.dumps(answer.data, ensure_ascii=False)
    text = text.replace("http://testserver", "https://rungs.example")
    text = re.sub(r'"20(2[5-9]|[3-9]\d)-[^"]*T[^"]*"', '"2024-03-06T08:00:00Z"', text)
    text = re.sub(r"rungs_[0-9a-f]{10}_[\w-]+", "rungs_9f2c1a7b3e_the-secret-is-shown-only-now", text)
    short = any(part in answer.request["PATH_INFO"] for part in ONE)
    return shortened(json.loads(text), 1 if short else SHOWN)


def shortened(value: Any, most: int) -> Any:
    """Return a value whose lists are short."""
    if isinstance(value, dict):
        return {name: shortened(one, most) for name, one in value.items()}
    return [shortened(one, most) for one in value[:most]] if isinstance(value, list) else value
