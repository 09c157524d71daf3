"""Seals of the log: what is hashed names no one and holds no free text, so that a person can be forgotten.

An entry's payload is written twice. *Sealed* it goes into the chain: people by opaque handles, which say nothing of
them, and each free text as ``{"sealed": SHA-256}``, salted with a salt of its own. *Opened*, with handles and texts put
in their places, it is what people and programs read. Opaque handles lead to people by ``Player.opaque``, texts with
their salts lie beside the log (``LogText``). When a text is erased, or a person's handle, the chain stays as it was.

Nothing here knows the database.
"""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from league.core.log.chain import canonical, digest

#: How every opaque handle begins; no handle does.
MARK = "~"
#: The members of a payload that name people.
PEOPLE = frozenset({"player", "into", "recorded_as"})
#: The members that are free texts of people.
TEXTS = frozenset({"note", "reason"})
#: The member that is an object of people's texts: it is sealed as one text, its canonical JSON.
METADATA = "metadata"
#: The members that may have to be replaced, and what may hold some.
REPLACED, NESTED = PEOPLE | TEXTS, (dict, list)
#: The only member of what is in a text's place.
SEALED = "sealed"
Payload = dict[str, Any]


class SealedText(NamedTuple):
    """A free text of an entry beside the log: what the entry says of it, its salt, and the text."""

    sha256: str
    salt: str
    text: str


def new_opaque() -> str:
    """Return an opaque handle: 80 random bits as text."""
    return MARK + secrets.token_hex(10)


def seal_of(salt: str, text: str) -> str:
    """Return what the log says of a text: the SHA-256 of its salt, in hexadecimal digits, and the text, in UTF-8."""
    return digest(salt + text)


def written_text(value: Any) -> str:
    """Return a text, or metadata, as the text that is sealed."""
    return value if isinstance(value, str) else canonical(value)


def read_metadata(text: str) -> Any:
    """Return the metadata of a text; none if it was erased, the text itself where it is no JSON."""
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return text


def sealed_text(text: str, salt: str | None = None) -> SealedText:
    """Return a text with its seal; without a salt with a new one, 128 random bits."""
    chosen = secrets.token_hex(16) if salt is None else salt
    return SealedText(seal_of(chosen, text), chosen, text)


def seal(payload: Payload) -> tuple[Payload, list[SealedText]]:
    """Return a payload with its free texts sealed, and these."""
    texts: list[SealedText] = []

    def text(value: Any) -> Any:
        if not isinstance(value, str | dict) or not value:
            return value
        texts.append(sealed_text(written_text(value)))
        return {SEALED: texts[-1].sha256}

    sealed: Payload = replaced(payload, lambda handle: handle, text)
    return sealed, texts


def is_plain(payload: Payload) -> bool:
    """Return whether a payload holds a free text, or names someone otherwise than by an opaque handle."""
    found: list[Any] = []

    def person(handle: str) -> str:
        found.extend([handle] * (not handle.startswith(MARK)))
        return handle

    def text(value: Any) -> Any:
        found.extend([value] * bool(isinstance(value, str | dict) and value and not is_sealed(value)))
        return value

    replaced(payload, person, text)
    return bool(found)


def opened(payload: Payload, handles: Mapping[str, str], texts: Mapping[str, str | None]) -> Payload:
    """Return a payload as people read it: with handles by opaque handles, and texts by their seals.

    A text that was erased is empty; so is one that is not there, and an opaque handle that leads to no one stays.
    """

    def text(value: Any) -> Any:
        return (texts.get(value[SEALED]) or "") if is_sealed(value) else value

    shown: Payload = replaced(payload, lambda opaque: handles.get(opaque, opaque), text)
    return shown


def replaced(value: Any, person: Callable[[str], str], text: Callable[[Any], Any]) -> Any:
    """Return JSON in which whatever names someone, and every free text, is another one."""
    if isinstance(value, list):
        return [replaced(inner, person, text) for inner in value]
    if not isinstance(value, dict) or is_sealed(value):
        return value
    return {
        key: member(key, inner, person, text) if key in REPLACED or isinstance(inner, NESTED) else inner
        for key, inner in value.items()
    }


def member(key: str, value: Any, person: Callable[[str], str], text: Callable[[Any], Any]) -> Any:
    """Return what is in the place of a member."""
    if key in PEOPLE and isinstance(value, str):
        return person(value)
    if key in TEXTS:
        return text(value)
    if key == METADATA:
        found = text(value)
        return read_metadata(found) if isinstance(found, str) else found
    return replaced(value, person, text)


def is_sealed(value: Any) -> bool:
    """Return whether that is in a text's place."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get(SEALED), str)


def people_in(value: Any) -> Iterator[str]:
    """Yield the opaque handles in a sealed payload, maybe more than once."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in PEOPLE and isinstance(inner, str) and inner.startswith(MARK):
                yield inner
            elif isinstance(inner, dict | list):
                yield from people_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from people_in(inner)


def seals_in(value: Any) -> Iterator[str]:
    """Yield the seals in a sealed payload."""
    if isinstance(value, dict):
        if is_sealed(value):
            yield value[SEALED]
            return
        for key, inner in value.items():
            if key in TEXTS or isinstance(inner, list) or (isinstance(inner, dict) and key not in PEOPLE):
                yield from seals_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from seals_in(inner)
