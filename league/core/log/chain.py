"""The chain of a league's log: entries as canonical JSON (RFC 8785), each hashed together with the one before.

Nothing here knows the database: who has only the public lines can check them with the same few functions.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import rfc8785

#: What the first entry of a chain names as the hash before it.
FIRST = "0" * 64
ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
#: Whole numbers up to here are exact as doubles; RFC 8785 knows no others.
EXACT = 2**53 - 1
#: Writes a text as JSON, the way RFC 8785 does.
quoted = ENCODER.encode
AS_THEY_ARE = {str, bool, type(None)}


class Unusual(Exception):
    """A value that Python's own encoder writes otherwise than RFC 8785 does."""


def canonical(value: Any) -> str:
    """Return a value of plain JSON types as canonical JSON.

    Python's encoder does it where it writes what RFC 8785 writes, many times as fast as the library.
    """
    try:
        return ENCODER.encode(usual(value))
    except Unusual:
        return rfc8785.dumps(doubled(value)).decode()


def usual(value: Any) -> Any:
    """Return a value that both write alike; raises Unusual if there is none."""
    if isinstance(value, dict):
        if not "".join(value).isascii():
            raise Unusual  # RFC 8785 sorts by UTF-16
        return {key: inner if type(inner) in AS_THEY_ARE else usual(inner) for key, inner in value.items()}
    if type(value) in AS_THEY_ARE or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        if -EXACT <= value <= EXACT and value == int(value):
            return int(value)
        if isinstance(value, float) and 1e-4 <= abs(value) < EXACT:
            return value
        raise Unusual
    return [usual(inner) for inner in value]


def doubled(value: Any) -> Any:
    """Return a value whose numbers beyond the exact ones are doubles."""
    if isinstance(value, dict):
        return {key: doubled(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [doubled(inner) for inner in value]
    return float(value) if isinstance(value, int) and not -EXACT <= value <= EXACT else value


def instant(moment: datetime) -> str:
    """Write an instant in UTC, always the same way."""
    own = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return own.isoformat(timespec="microseconds").replace("+00:00", "Z")


def serialize_entry(position: int, at: str, by: str, kind: str, payload: str, previous: str) -> str:
    """Return what is hashed of an entry: canonical JSON; ``payload`` is sealed and canonical, ``at`` an ``instant``."""
    who = quoted(by)
    head = f'{{"at":"{at}","by":{who},"kind":"{kind}","payload":{payload}'
    return f'{head},"position":{position},"previous":"{previous}"}}'


def linked(
    position: int, at: str, by: str, kind: str, payloads: Iterable[str], previous: str
) -> Iterator[tuple[str, str]]:
    """Yield the payloads of entries from a position on, each with its SHA-256: of what ``serialize_entry`` returns."""
    head = f'{{"at":"{at}","by":{quoted(by)},"kind":"{kind}","payload":'
    sha256 = hashlib.sha256
    for entry, payload in enumerate(payloads, start=position):
        text = f'{head}{payload},"position":{entry},"previous":"{previous}"}}'
        previous = sha256(text.encode()).hexdigest()
        yield payload, previous


def digest(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def public_line(entry: tuple[int, str, str, str], members: dict[str, Any], previous: str, sha256: str) -> str:
    """Return the public line of an entry: position, ``instant``, by whom and kind; its payload as people read it; hash.

    ``members`` are ``payload``, and where that is not what was hashed ``sealed``, which is, and ``salts``: seal -> salt
    of the texts that are sealed there. With ``sealed`` in the place of ``payload``, and without ``salts`` and
    ``sha256``, the line is what was hashed.
    """
    position, at, by, kind = entry
    said = {"at": at, "by": by, "kind": kind, "position": position, "previous": previous, "sha256": sha256}
    return canonical({**said, **members})
