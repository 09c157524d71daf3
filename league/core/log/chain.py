"""The hash chain of a league's log, and the sealing of names and free texts in it.

Entries are canonical JSON (RFC 8785), each hashed with the previous hash. Hashes cover neither names nor free texts, so
that personal data can be erased. An entry's payload has two forms. The *sealed* one is hashed: players have random
opaque handles, and each free text is ``{"sealed": SHA-256}`` with its own salt. The *opened* one, with handles and
texts filled in, is returned to readers. ``Player.opaque`` maps opaque handles to players; texts with their salts are
stored separately (``LogText``). Erasing a text or a player's handle does not change the chain.

This module does not use the database, so that the public lines alone can be checked with it.
"""

import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

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


def serialize_canonically(value: Any) -> str:
    """Return a value of plain JSON types as canonical JSON.

    Python's encoder is used if its output conforms to RFC 8785, as it is many times faster than the library.
    """
    try:
        return ENCODER.encode(normalize(value))
    except Unusual:
        return rfc8785.dumps(_normalize_numbers(value)).decode()


def normalize(value: Any) -> Any:
    """Return an equivalent value that both encode alike; raises Unusual if there is none."""
    if isinstance(value, dict):
        if not "".join(value).isascii():
            raise Unusual  # RFC 8785 sorts by UTF-16
        return {key: item if type(item) in AS_THEY_ARE else normalize(item) for key, item in value.items()}
    if type(value) in AS_THEY_ARE or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        if -EXACT <= value <= EXACT and value == int(value):
            return int(value)
        if isinstance(value, float) and 1e-4 <= abs(value) < EXACT:
            return value
        raise Unusual
    return [normalize(item) for item in value]


def _normalize_numbers(value: Any) -> Any:
    """Convert integers that are not exact as doubles to floats."""
    if isinstance(value, dict):
        return {key: _normalize_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_normalize_numbers(item) for item in value]
    return float(value) if isinstance(value, int) and not -EXACT <= value <= EXACT else value


def serialize_entry(position: int, time: str, author: str, kind: str, payload: str, previous: str) -> str:
    """Return the hashed text of an entry; ``payload`` is sealed canonical JSON, ``time`` an ``format_instant``."""
    quoted_author = quoted(author)
    head = f'{{"at":"{time}","by":{quoted_author},"kind":"{kind}","payload":{payload}'
    return f'{head},"position":{position},"previous":"{previous}"}}'


def chain_payloads(
    position: int, time: str, author: str, kind: str, payloads: Iterable[str], previous: str
) -> Iterator[tuple[str, str]]:
    """Yield the payloads of entries from a position, each with its SHA-256 of ``serialize_entry``."""
    head = f'{{"at":"{time}","by":{quoted(author)},"kind":"{kind}","payload":'
    sha256 = hashlib.sha256
    for entry, payload in enumerate(payloads, start=position):
        text = f'{head}{payload},"position":{entry},"previous":"{previous}"}}'
        previous = sha256(text.encode()).hexdigest()
        yield payload, previous


def compute_digest(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def build_public_line(entry: tuple[int, str, str, str], members: dict[str, Any], previous: str, sha256: str) -> str:
    """Return the public line of an entry: position, ``format_instant``, author and kind; readable payload; hash.

    ``members`` are ``payload`` and, if that is not the hashed payload, ``sealed``, which is, and ``salts``: seal ->
    salt of its sealed texts. With ``sealed`` in place of ``payload``, and without ``salts`` and ``sha256``, the line is
    the hashed text.
    """
    position, time, author, kind = entry
    fields = {"at": time, "by": author, "kind": kind, "position": position, "previous": previous, "sha256": sha256}
    return serialize_canonically({**fields, **members})


#: The first character of every opaque handle, which no handle contains.
MARK = "~"
#: The members of a payload that name players.
PEOPLE = frozenset({"player", "into", "recorded_as"})
#: The members that are free texts.
TEXTS = frozenset({"note", "reason", "side_name"})
#: A member that is an object of free texts, sealed as one text, its canonical JSON.
METADATA = "metadata"
#: The values of declared fields that not everyone may read: readers get them only if they may.
WITHHELD = "withheld"
#: All members that are objects and sealed as one text: these, and the other values of a player's fields.
OBJECTS = frozenset({METADATA, WITHHELD, "shown"})
#: The members to replace, and the types that may contain them.
REPLACED, NESTED = PEOPLE | TEXTS, (dict, list)
#: The member of a line that names the hidden members of its payload, whose hash is as stated; and its value if all
#: is hidden. A league that was restored from such lines has it in the payload.
LEFT_OUT, WHOLE = "left_out", ["payload"]
#: The only member of the object that replaces a text.
SEALED = "sealed"
Payload = dict[str, Any]


class SealedText(NamedTuple):
    """A free text of an entry: its seal in the entry, its salt, and the text."""

    sha256: str
    salt: str
    text: str


def new_opaque() -> str:
    """Return a new opaque handle: 80 random bits as text."""
    return MARK + secrets.token_hex(10)


def seal_of(salt: str, text: str) -> str:
    """Return the seal of a text: the SHA-256 of its salt in hexadecimal and the text in UTF-8."""
    return compute_digest(salt + text)


def serialize_text(value: Any) -> str:
    """Return the text to seal for a text or an object."""
    return value if isinstance(value, str) else serialize_canonically(value)


def read_sealed_object(text: str) -> Any:
    """Parse a sealed object; empty if it was erased, the text itself if it is not JSON."""
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return text


def seal_text(text: str, salt: str | None = None) -> SealedText:
    """Return a text with its seal; the default salt is 128 random bits."""
    used_salt = secrets.token_hex(16) if salt is None else salt
    return SealedText(seal_of(used_salt, text), used_salt, text)


def seal(payload: Payload) -> tuple[Payload, list[SealedText]]:
    """Return a payload with its free texts sealed, and the texts."""
    texts: list[SealedText] = []

    def text(value: Any) -> Any:
        if not isinstance(value, str | dict) or not value:
            return value
        texts.append(seal_text(serialize_text(value)))
        return {SEALED: texts[-1].sha256}

    sealed: Payload = replace_members(payload, lambda handle: handle, text)
    return sealed, texts


def is_plain(payload: Payload) -> bool:
    """Return whether a payload contains a free text, or names a player other than by opaque handle."""
    values: list[Any] = []

    def person(handle: str) -> str:
        values.extend([handle] * (not handle.startswith(MARK)))
        return handle

    def text(value: Any) -> Any:
        values.extend([value] * bool(isinstance(value, str | dict) and value and not is_sealed(value)))
        return value

    replace_members(payload, person, text)
    return bool(values)


def unseal(payload: Payload, handles: Mapping[str, str], texts: Mapping[str, str | None]) -> Payload:
    """Return a payload for readers, given handles by opaque handle and texts by seal.

    Erased and missing texts are empty; unknown opaque handles stay.
    """

    def text(value: Any) -> Any:
        return (texts.get(value[SEALED]) or "") if is_sealed(value) else value

    unsealed: Payload = replace_members(payload, lambda opaque: handles.get(opaque, opaque), text)
    return unsealed


def replace_members(value: Any, person: Callable[[str], str], text: Callable[[Any], Any]) -> Any:
    """Return JSON with all names of players and free texts replaced by these functions."""
    if isinstance(value, list):
        return [replace_members(item, person, text) for item in value]
    if not isinstance(value, dict) or is_sealed(value):
        return value
    return {
        key: replace_member(key, item, person, text) if key in REPLACED or isinstance(item, NESTED) else item
        for key, item in value.items()
    }


def replace_member(key: str, value: Any, person: Callable[[str], str], text: Callable[[Any], Any]) -> Any:
    """Return the replacement of a member."""
    if key in PEOPLE and isinstance(value, str):
        return person(value)
    if key in TEXTS:
        return text(value)
    if key in OBJECTS:
        replaced = text(value)
        return read_sealed_object(replaced) if isinstance(replaced, str) else replaced
    return replace_members(value, person, text)


def is_sealed(value: Any) -> bool:
    """Return whether a value replaces a text."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get(SEALED), str)


def find_handles(value: Any) -> Iterator[str]:
    """Yield the opaque handles in a sealed payload, possibly repeated."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in PEOPLE and isinstance(item, str) and item.startswith(MARK):
                yield item
            elif isinstance(item, dict | list):
                yield from find_handles(item)
    elif isinstance(value, list):
        for item in value:
            yield from find_handles(item)


def find_withheld_seals(value: Any) -> Iterator[str]:
    """Yield the seals of the members of a sealed payload that not every reader may open."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == WITHHELD and is_sealed(item):
                yield item[SEALED]
            elif isinstance(item, NESTED):
                yield from find_withheld_seals(item)


def find_seals(value: Any) -> Iterator[str]:
    """Yield the seals in a sealed payload."""
    if isinstance(value, dict):
        if is_sealed(value):
            yield value[SEALED]
            return
        for key, item in value.items():
            if key in TEXTS or isinstance(item, list) or (isinstance(item, dict) and key not in PEOPLE):
                yield from find_seals(item)
    elif isinstance(value, list):
        for item in value:
            yield from find_seals(item)
