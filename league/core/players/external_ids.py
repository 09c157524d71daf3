"""External ids of players in other programs and federations, one per provider."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Problem, build_pointer
from league.core.text.names import VISIBLE, is_storable, shorten_name

MAX_PROVIDERS, MAX_PROVIDER_LENGTH, MAX_ID_LENGTH = 20, 40, 200
PROVIDER = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
#: An id has no space around it.
ID_PATTERN = f"{VISIBLE}(.{{0,{MAX_ID_LENGTH - 2}}}{VISIBLE})?"
#: The form of external ids, as JSON Schema.
SCHEMA = {
    "type": "object",
    "maxProperties": MAX_PROVIDERS,
    "propertyNames": {"type": "string", "pattern": f"^{PROVIDER.pattern}$"},
    "additionalProperties": {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_ID_LENGTH,
        "pattern": f"^{ID_PATTERN}$",
    },
    "example": {"fide": "1503014"},
}
#: The provider at fault (None: the whole object), a code, and a message.
Fault = tuple[str | None, str, str]


def find_faults(value: Any) -> Iterator[Fault]:
    """Yield the faults of external ids, an object of provider and id."""
    if not isinstance(value, Mapping):
        yield None, "not_an_object", _("external_ids must be an object of strings.")
    elif len(value) > MAX_PROVIDERS:
        template = _("A player has at most {limit} external IDs; these are {count}.")
        yield None, "too_many", template.format(limit=MAX_PROVIDERS, count=len(value))
    else:
        for provider, text in value.items():
            yield from _find_faults_of_id(provider, text)


def _find_faults_of_id(provider: str, text: Any) -> Iterator[Fault]:
    name = shorten_name(provider)
    if not PROVIDER.fullmatch(provider):
        template = _("“{name}” is not a valid provider name: use up to 40 letters a to z, digits and . _ -, e.g. fide.")
        yield provider, "invalid", template.format(name=name)
    elif not isinstance(text, str):
        yield provider, "not_a_text", _("The external ID of {name} must be a string.").format(name=name)
    elif not text or text != text.strip():
        template = _("The external ID of {name} must not be empty, nor begin or end with a space.")
        yield provider, "blank", template.format(name=name)
    elif len(text) > MAX_ID_LENGTH:
        template = _("The external ID of {name} has at most {limit} characters.")
        yield provider, "too_long", template.format(name=name, limit=MAX_ID_LENGTH)
    elif not text.isprintable() or not is_storable(text):
        yield provider, "invalid", _("The external ID of {name} must not contain control characters.").format(name=name)


def check_external_ids(value: Any) -> list[Problem]:
    """Return the faults of external ids with JSON pointers into the player."""
    return [
        Problem(build_pointer("external_ids", *([] if provider is None else [provider])), code, message)
        for provider, code, message in find_faults(value)
    ]


def parse_external_id(text: str) -> tuple[str, str] | None:
    """Return the provider and id of a text such as fide:1503014 or FIDE:1503014; None for any other text."""
    provider, colon, value = text.strip().partition(":")
    pair = provider.lower(), value
    return None if not colon or any(find_faults(dict([pair]))) else pair


def read_external_id(text: str) -> tuple[str, str]:
    """Return the provider and id of a text as it is stored; raises ValueError with the end of "… must be"."""
    pair = parse_external_id(text)
    if pair is None or ":".join(pair) != text:
        raise ValueError("a provider and an id, such as fide:1503014")
    return pair
