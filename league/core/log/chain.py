"""The hash chain of a league's log: entries as canonical JSON (RFC 8785), each hashed with the previous hash.

This module does not use the database, so that the public lines alone can be checked with it.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import rfc8785

#: The previous hash of the first entry of a chain.
FIRST = "0" * 64
ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
#: The largest whole number that is exact as a double; RFC 8785 supports no larger ones.
EXACT = 2**53 - 1
#: Encodes a string as JSON according to RFC 8785.
quoted = ENCODER.encode
AS_THEY_ARE = {str, bool, type(None)}


class Unusual(Exception):
    """A value that Python's encoder writes differently from RFC 8785."""


def canonical(value: Any) -> str:
    """Return a value of plain JSON types as canonical JSON.

    Python's encoder is used if its output conforms to RFC 8785, as it is many times faster than the library.
    """
    try:
        return ENCODER.encode(normalize(value))
    except Unusual:
        return rfc8785.dumps(with_doubles(value)).decode()


def normalize(value: Any) -> Any:
    """Return an equivalent value that both encode alike; raises Unusual if there is none."""
    if isinstance(value, dict):
        if not "".join(value).isascii():
            raise Unusual  # RFC 8785 sorts by UTF-16
        return {key: inner if type(inner) in AS_THEY_ARE else normalize(inner) for key, inner in value.items()}
    if type(value) in AS_THEY_ARE or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        if -EXACT <= value <= EXACT and value == int(value):
            return int(value)
        if isinstance(value, float) and 1e-4 <= abs(value) < EXACT:
            return value
        raise Unusual
    return [normalize(inner) for inner in value]


def with_doubles(value: Any) -> Any:
    """Convert integers that are not exact as doubles to floats."""
    if isinstance(value, dict):
        return {key: with_doubles(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [with_doubles(inner) for inner in value]
    return float(value) if isinstance(value, int) and not -EXACT <= value <= EXACT else value


def instant(moment: datetime) -> str:
    """Format a time in UTC, always in the same format."""
    own = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return own.isoformat(timespec="microseconds").replace("+00:00", "Z")


def serialize_entry(position: int, at: str, by: str, kind: str, payload: str, previous: str) -> str:
    """Return the hashed text of an entry; ``payload`` is sealed canonical JSON, ``at`` an ``instant``."""
    who = quoted(by)
    head = f'{{"at":"{at}","by":{who},"kind":"{kind}","payload":{payload}'
    return f'{head},"position":{position},"previous":"{previous}"}}'


def chain_payloads(
    position: int, at: str, by: str, kind: str, payloads: Iterable[str], previous: str
) -> Iterator[tuple[str, str]]:
    """Yield the payloads of entries from a position, each with its SHA-256 of ``serialize_entry``."""
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
    """Return the public line of an entry: position, ``instant``, author and kind; readable payload; hash.

    ``members`` are ``payload`` and, if that is not the hashed payload, ``sealed``, which is, and ``salts``: seal ->
    salt of its sealed texts. With ``sealed`` in place of ``payload``, and without ``salts`` and ``sha256``, the line is
    the hashed text.
    """
    position, at, by, kind = entry
    said = {"at": at, "by": by, "kind": kind, "position": position, "previous": previous, "sha256": sha256}
    return canonical({**said, **members})
