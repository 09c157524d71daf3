"""Metadata of leagues, players and games: strings that clients store and nothing interprets."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Problem, build_pointer
from league.core.text.names import is_storable, shorten_name

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
        template = _("metadata has at most {limit} keys; this one has {count}.")
        yield None, "too_many", template.format(limit=MAX_KEYS, count=len(value))
    else:
        for key, text in value.items():
            yield from _find_faults_of_key(key, text)


def _find_faults_of_key(key: str, text: Any) -> Iterator[Fault]:
    name = shorten_name(key)
    if not key:
        yield key, "missing", _("A key of the metadata must not be empty.")
    if len(key) > MAX_KEY_LENGTH:
        template = _("A key of the metadata has at most {limit} characters: “{name}”.")
        yield key, "too_long", template.format(limit=MAX_KEY_LENGTH, name=name)
    if not isinstance(text, str):
        yield key, "not_a_text", _("The metadata “{name}” must be a string.").format(name=name)
        return
    if len(text) > MAX_VALUE_LENGTH:
        template = _("The metadata “{name}” has at most {limit} characters.")
        yield key, "too_long", template.format(limit=MAX_VALUE_LENGTH, name=name)
    if not is_storable(key) or not is_storable(text):
        yield key, "nul", _("The metadata “{name}” must not contain a NUL character.").format(name=name)


def check_metadata(value: Any) -> list[Problem]:
    """Return the faults of metadata with JSON pointers into the league, player or game."""
    return [
        Problem(build_pointer("metadata", *([] if key is None else [key])), code, message)
        for key, code, message in find_faults(value)
    ]
