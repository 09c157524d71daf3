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


def phrase_many(one: str, many: str, number: int, /, **values: Any) -> StoredMessage:
    """Return a message in the singular or plural for ``number``."""
    return make_message(one, many, int(number), {name: normalize_value(value) for name, value in values.items()})


def normalize_value(value: Any) -> Any:
    """Return a value as a string or message, or a list of these."""
    if isinstance(value, list | tuple):
        return [normalize_value(one) for one in value]
    # ``str()`` would translate texts of the rating systems.
    return value if isinstance(value, StoredMessage) else str.__str__(value) if isinstance(value, str) else str(value)


def make_message(text: str, many: str, number: int, values: dict[str, Any]) -> StoredMessage:
    """Return a message from its template and values."""
    form = many if many and number != 1 else text
    said = StoredMessage(fill_values(form, {name: english_text(value) for name, value in values.items()}))
    said.text, said.many, said.number, said.values = text, many, number, values
    return said


def fill_values(text: str, values: dict[str, str]) -> str:
    """Fill in the values of a text; fields without a value stay."""
    return NAMED.sub(lambda found: values.get(found[1], found[0]), text)


def english_text(value: Any) -> str:
    """Return a value in English."""
    return ", ".join(map(english_text, value)) if isinstance(value, list) else str.__str__(value)


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
        return [serialize_message(one) for one in value]
    if not isinstance(value, StoredMessage):
        return value
    counted = {"many": value.many, "number": value.number} if value.many else {}
    return {
        "text": value.text,
        **counted,
        "values": [[name, serialize_message(one)] for name, one in value.values.items()],
    }


def translate_stored(sentence: str, beside: Any) -> str:
    """Return a stored message in the reader's language; unchanged if its stored template does not match.

    They may differ after names were redacted from one of them.
    """
    said = restore_message(beside)
    return said.shown() if isinstance(said, StoredMessage) and english_text(said) == sentence else sentence


def restore_message(beside: Any) -> Any:
    """Restore a message or value from JSON."""
    if isinstance(beside, list):
        return [restore_message(one) for one in beside]
    values = beside.get("values") if isinstance(beside, dict) else None
    if not isinstance(values, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in values):
        return str(beside)
    text, many, number = beside.get("text"), beside.get("many", ""), beside.get("number", 1)
    if not isinstance(text, str) or not isinstance(many, str) or type(number) is not int:
        return str(beside)
    return make_message(text, many, number, {str(name): restore_message(one) for name, one in values})
