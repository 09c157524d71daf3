"""Messages stored in English and translated when displayed, such as findings of ``verify``.

``phrase`` creates one. As a string it is always English: compared, logged, stored, and returned by the API. It carries
its template and values for translation (``translate_value``), which are stored with it if a page shows it later
(``serialize_message``, ``translate_stored``).
"""

import re
from typing import Any

from django.utils.translation import gettext, ngettext

NAMED = re.compile(r"\{(\w+)\}")


class StoredMessage(str):
    """An English text with its template: ``text``, or ``many`` for the plural of ``number``, and values.

    The values are strings, other messages, or lists of both, which are joined with commas.
    """

    __slots__ = ("many", "number", "text", "values")
    text: str
    many: str
    number: int
    values: dict[str, Any]

    def shown(self) -> str:
        """Return it in the reader's language."""
        # A catalogue stores its metadata under the empty text.
        form = ngettext(self.text, self.many, self.number) if self.many else self.text and gettext(self.text)
        return fill_values(form, {name: translate_value(value) for name, value in self.values.items()})


def phrase(text: str, /, **values: Any) -> StoredMessage:
    """Return a message; ``script/messages`` extracts its text, which has named fields for the values."""
    return make_message(text, "", 1, {name: normalize_value(value) for name, value in values.items()})


def phrase_many(singular: str, plural: str, number: int, /, **values: Any) -> StoredMessage:
    """Return a message in the singular or plural for ``number``."""
    return make_message(singular, plural, int(number), {name: normalize_value(value) for name, value in values.items()})


def normalize_value(value: Any) -> Any:
    """Return a value as a string or message, or a list of these."""
    if isinstance(value, list | tuple):
        return [normalize_value(item) for item in value]
    # ``str()`` would translate texts of the rating systems.
    return value if isinstance(value, StoredMessage) else str.__str__(value) if isinstance(value, str) else str(value)


def make_message(text: str, plural: str, number: int, values: dict[str, Any]) -> StoredMessage:
    """Return a message from its template and values."""
    form = plural if plural and number != 1 else text
    message = StoredMessage(fill_values(form, {name: _format_in_english(value) for name, value in values.items()}))
    message.text, message.many, message.number, message.values = text, plural, number, values
    return message


def fill_values(text: str, values: dict[str, str]) -> str:
    """Fill in the values of a text; fields without a value stay."""
    return NAMED.sub(lambda match: values.get(match[1], match[0]), text)


def _format_in_english(value: Any) -> str:
    """Return a value in English."""
    return ", ".join(map(_format_in_english, value)) if isinstance(value, list) else str.__str__(value)


def translate_value(value: Any) -> str:
    """Return a value in the reader's language."""
    if isinstance(value, list):
        return ", ".join(map(translate_value, value))
    return value.shown() if isinstance(value, StoredMessage) else str(value)


def serialize_message(value: Any) -> Any:
    """Return a message's template and values as JSON; plain text unchanged.

    Values are pairs with their names, not members: erasing a person replaces members with certain names, such as
    ``player``, as handles, but here they are words of a message (``league.core.players.name_redaction``).
    """
    if isinstance(value, list):
        return [serialize_message(item) for item in value]
    if not isinstance(value, StoredMessage):
        return value
    counted = {"many": value.many, "number": value.number} if value.many else {}
    return {
        "text": value.text,
        **counted,
        "values": [[name, serialize_message(item)] for name, item in value.values.items()],
    }


def translate_stored(text: str, structure: Any) -> str:
    """Return a stored message in the reader's language; unchanged if its stored template does not match.

    They may differ after names were redacted from one of them.
    """
    message = restore_message(structure)
    return message.shown() if isinstance(message, StoredMessage) and _format_in_english(message) == text else text


def restore_message(structure: Any) -> Any:
    """Restore a message or value from JSON."""
    if isinstance(structure, list):
        return [restore_message(item) for item in structure]
    values = structure.get("values") if isinstance(structure, dict) else None
    if not isinstance(values, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in values):
        return str(structure)
    text, plural, number = structure.get("text"), structure.get("many", ""), structure.get("number", 1)
    if not isinstance(text, str) or not isinstance(plural, str) or type(number) is not int:
        return str(structure)
    return make_message(text, plural, number, {str(name): restore_message(item) for name, item in values})
