"""Sentences that are kept in English, and shown in the language of who reads: what ``verify`` finds.

``phrase`` makes one. As text it is English, whoever asks: compared, logged, stored, answered by the API. What it was
made of goes with it (``translate_value``), and is stored with it if a page shows it later (``stored_form``,
``shown_again``).
"""

import re
from typing import Any

from django.utils.translation import gettext, ngettext

NAMED = re.compile(r"\{(\w+)\}")


class Said(str):
    """An English text that knows what it was made of: ``text``, or ``many`` of its forms for a number, with values.

    The values are texts, other ones of these, and lists of both, which are written with commas.
    """

    __slots__ = ("many", "number", "text", "values")
    text: str
    many: str
    number: int
    values: dict[str, Any]

    def shown(self) -> str:
        """Return it in the language of who reads."""
        # A catalogue keeps what it says of itself under the empty text.
        form = ngettext(self.text, self.many, self.number) if self.many else self.text and gettext(self.text)
        return filled(form, {name: translate_value(value) for name, value in self.values.items()})


def phrase(text: str, /, **values: Any) -> Said:
    """Return a sentence; ``script/messages`` finds its text, which has the values' names in braces."""
    return make_message(text, "", 1, {name: plain(value) for name, value in values.items()})


def phrase_many(one: str, many: str, number: int, /, **values: Any) -> Said:
    """Return the form of a sentence for a number of things."""
    return make_message(one, many, int(number), {name: plain(value) for name, value in values.items()})


def plain(value: Any) -> Any:
    """Return a value as JSON keeps it: a text, a list of such, or a sentence as it is."""
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    # A text of the rating systems is English as data, whatever ``str`` says of it.
    return value if isinstance(value, Said) else str.__str__(value) if isinstance(value, str) else str(value)


def make_message(text: str, many: str, number: int, values: dict[str, Any]) -> Said:
    """Return a sentence of what it is made of."""
    form = many if many and number != 1 else text
    said = Said(filled(form, {name: english(value) for name, value in values.items()}))
    said.text, said.many, said.number, said.values = text, many, number, values
    return said


def filled(text: str, values: dict[str, str]) -> str:
    """Return a text with its values; what has none stays as it stands."""
    return NAMED.sub(lambda found: values.get(found[1], found[0]), text)


def english(value: Any) -> str:
    """Return a value in English."""
    return ", ".join(map(english, value)) if isinstance(value, list) else str.__str__(value)


def translate_value(value: Any) -> str:
    """Return a value in the language of who reads."""
    if isinstance(value, list):
        return ", ".join(map(translate_value, value))
    return value.shown() if isinstance(value, Said) else str(value)


def stored_form(value: Any) -> Any:
    """Return what a sentence was made of as JSON keeps it beside the sentence; a text without such as it is.

    Values stand in pairs with their names, not as members: where someone is forgotten, members that are called like
    those of the API are handles, and here they are words of a sentence (``league.core.players.name_redaction``).
    """
    if isinstance(value, list):
        return [stored_form(one) for one in value]
    if not isinstance(value, Said):
        return value
    counted = {"many": value.many, "number": value.number} if value.many else {}
    return {"text": value.text, **counted, "values": [[name, stored_form(one)] for name, one in value.values.items()]}


def shown_again(sentence: str, beside: Any) -> str:
    """Return a sentence that was kept in the language of who reads; as it stands where what lies beside does not fit.

    Names that were put out of the sentence may have been words of what it was made of.
    """
    said = again(beside)
    return said.shown() if isinstance(said, Said) and english(said) == sentence else sentence


def again(beside: Any) -> Any:
    """Return what was kept as it was."""
    if isinstance(beside, list):
        return [again(one) for one in beside]
    values = beside.get("values") if isinstance(beside, dict) else None
    if not isinstance(values, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in values):
        return str(beside)
    text, many, number = beside.get("text"), beside.get("many", ""), beside.get("number", 1)
    if not isinstance(text, str) or not isinstance(many, str) or type(number) is not int:
        return str(beside)
    return make_message(text, many, number, {str(name): again(one) for name, one in values})
