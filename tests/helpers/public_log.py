"""A log as an address gives it, and the check of its chain that docs/operators/move-a-league.md describes."""

import json
from typing import Any

from league.core.log.chain import FIRST, compute_digest, serialize_canonically
from tests.helpers.api_client import Api

CHANGES = "leagues/club/changes/"


def read(api: Api, path: str) -> tuple[int, str]:
    """Return status and text of an answer."""
    answer = api.get(path)
    data = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, data.decode(errors="replace")


def load_lines(api: Api, path: str = CHANGES) -> list[dict[str, Any]]:
    """Return the entries of a log as an address gives them."""
    lines = [json.loads(line) for line in read(api, path)[1].splitlines()]
    return [line.get("entry", line) for line in lines if line.get("type", "entry") == "entry"]


def check_chain(lines: list[dict[str, Any]]) -> int:
    """Check a chain of lines as docs/clients describe it; return how many hashes are only stated."""
    previous, stated = FIRST, 0
    for position, line in enumerate(lines, start=1):
        assert (line["position"], line["previous"]) == (position, previous)
        members = {name: value for name, value in line.items() if name not in ("sha256", "sealed", "salts")}
        members["payload"] = line.get("sealed", line["payload"])
        is_proven = compute_digest(serialize_canonically(members)) == line["sha256"]
        assert is_proven == ("left_out" not in line), line
        stated += not is_proven
        previous = line["sha256"]
    return stated
