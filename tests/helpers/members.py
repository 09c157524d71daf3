"""JSON documents in which one member, at any depth, is another value."""

from collections.abc import Iterator
from typing import Any

#: What stands in place of a member: every type of JSON, and numbers that no column holds.
OTHERS: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, -1e308, "", "x", "\u0000", "1e999999999", "x" * 5000,
    [], [None], [{}], {}, {"x": 1},
)  # fmt: skip


def replace_members(document: Any, others: tuple[Any, ...] = OTHERS) -> Iterator[tuple[str, Any]]:
    """Yield the pointer and value of each replacement, and the document with it."""
    for value in others:
        yield f" = {value!r:.20}", value
    members = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for name, member in list(members):
        for pointer, changed in replace_members(member, others):
            if isinstance(document, dict):
                yield f"/{name}{pointer}", {**document, name: changed}
            else:
                yield f"/{name}{pointer}", [*document[:name], changed, *document[name + 1 :]]
