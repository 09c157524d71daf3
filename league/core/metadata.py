"""Metadata of leagues, players and games: strings that clients store and nothing interprets."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Problem, pointer_to
from league.core.text.names import shortened, storable

MAX_KEYS, MAX_KEY_LENGTH, MAX_VALUE_LENGTH = 20, 40, 500
#: The form of metadata, as JSON Schema.
SCHEMA = {
    "type": "object",
    "maxProperties": MAX_KEYS,
    "propertyNames": {"type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH},
    "additionalProperties": {"type": "string", "maxLength": MAX_VALUE_LENGTH},
}
#: The key at fault (None: the whole object), a code, and a message.
Fault = tuple[str | None, str, str]


def find_faults(value: Any) -> Iterator[Fault]:
    """Yield the faults of metadata, which must be an object of strings."""
    if not isinstance(value, Mapping):
        yield None, "not_an_object", _("metadata must be an object of strings.")
    elif len(value) > MAX_KEYS:
        sentence = _("metadata has at most {limit} keys; this one has {count}.")
        yield None, "too_many", sentence.format(limit=MAX_KEYS, count=len(value))
    else:
        for key, text in value.items():
            yield from _find_faults_of_key(key, text)


def _find_faults_of_key(key: str, text: Any) -> Iterator[Fault]:
    name = shortened(key)
    if not key:
        yield key, "missing", _("A key of the metadata must not be empty.")
    if len(key) > MAX_KEY_LENGTH:
        sentence = _("A key of the metadata has at most {limit} characters: “{name}”.")
        yield key, "too_long", sentence.format(limit=MAX_KEY_LENGTH, name=name)
    if not isinstance(text, str):
        yield key, "not_a_text", _("The metadata “{name}” must be a string.").format(name=name)
        return
    if len(text) > MAX_VALUE_LENGTH:
        sentence = _("The metadata “{name}” has at most {limit} characters.")
        yield key, "too_long", sentence.format(limit=MAX_VALUE_LENGTH, name=name)
    if not storable(key) or not storable(text):
        yield key, "nul", _("The metadata “{name}” must not contain a NUL character.").format(name=name)


def check_metadata(value: Any) -> list[Problem]:
    """Return the faults of metadata with JSON pointers into the league, player or game."""
    return [
        Problem(pointer_to("metadata", *([] if key is None else [key])), code, sentence)
        for key, code, sentence in find_faults(value)
    ]
