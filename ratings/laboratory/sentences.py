"""Sentences of reports, stored in English and translated when displayed.

A worker creates a report, and others read it later. So a sentence is stored as a marked text (``N_`` or ``N_many`` of
``ratings.texts``) and its values: words, numbers in English format and other sentences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ratings.contract.parameters import format_all_digits
from ratings.texts import localize_number, say, say_many, write_as_printed


@dataclass(frozen=True)
class EnglishNumber:
    """A number in English format with a typographic minus; displayed in the reader's format."""

    digits: str


Value: TypeAlias = "str | EnglishNumber | Sentence"


@dataclass(frozen=True)
class Sentence:
    """A text with named fields and their values; ``many`` is its plural for ``number``, if it counts something."""

    text: str
    values: tuple[tuple[str, Value], ...] = ()
    many: str = ""
    number: int = 1

    def __str__(self) -> str:
        values = {name: translate_value(value) for name, value in self.values}
        if self.many:
            return say_many(self.text, self.many, self.number, **values)
        return say(self.text, **values)

    def english(self) -> str:
        """Return the sentence in English."""
        text = self.many if self.many and self.number != 1 else self.text
        # Bypasses the translation of texts marked with ``N_``.
        return str.__str__(text).format(**{name: format_in_english(value) for name, value in self.values})

    def as_json(self) -> dict[str, Any]:
        """Return the English sentence with the data that ``parse_sentence`` needs to restore it."""
        counted = {"many": str.__str__(self.many), "number": self.number} if self.many else {}
        values = [[name, _serialize_value(value)] for name, value in self.values]
        return {"sentence": self.english(), "text": str.__str__(self.text), **counted, "values": values}


def translate_value(value: Value) -> str:
    """Return a value in the reader's language."""
    if isinstance(value, EnglishNumber):
        return localize_number(value.digits)
    return str(value) if isinstance(value, Sentence) else say(value)


def format_in_english(value: Value) -> str:
    """Return a value in English."""
    if isinstance(value, EnglishNumber):
        return value.digits
    return value.english() if isinstance(value, Sentence) else str.__str__(value)


def _serialize_value(value: Value) -> Any:
    """Return a value as JSON: a word as a string, a number or sentence as an object."""
    if isinstance(value, EnglishNumber):
        return {"written": value.digits}
    return value.as_json() if isinstance(value, Sentence) else str.__str__(value)


def build_sentence(text: str, /, **values: Value) -> Sentence:
    """Return a sentence; ``text`` must be marked with ``N_``."""
    return Sentence(text, tuple(values.items()))


def build_counted_sentence(forms: tuple[str, str], number: int, /, **values: Value) -> Sentence:
    """Return the singular or plural of a sentence; its field ``count`` is the number."""
    return Sentence(forms[0], (("count", build_whole_number(number)), *values.items()), forms[1], number)


def parse_sentence(stored: Mapping[str, Any]) -> Sentence:
    """Restore a sentence from ``as_json``."""
    values = tuple((str(name), _parse_value(value)) for name, value in stored["values"])
    return Sentence(str(stored["text"]), values, str(stored.get("many", "")), int(stored.get("number", 1)))


def _parse_value(stored: Any) -> Value:
    """Restore a value from ``_serialize_value``."""
    if isinstance(stored, Mapping):
        return EnglishNumber(str(stored["written"])) if "written" in stored else parse_sentence(stored)
    return str(stored)


def build_whole_number(number: int) -> EnglishNumber:
    """Return a whole number with thousands separators."""
    return EnglishNumber(f"{number:,}".replace("-", "−"))


def format_decimal(number: float, decimals: int) -> EnglishNumber:
    """Return a number with ``decimals`` decimals; zero has no sign."""
    return EnglishNumber(write_as_printed(number, decimals, ",").replace("-", "−"))


def format_exact(number: float) -> EnglishNumber:
    """Return a number with all its digits."""
    return EnglishNumber(format_all_digits(number).replace("-", "−"))


def join_sentences(sentences: Sequence[Sentence]) -> str:
    """Join sentences in the reader's language."""
    return " ".join(str(item) for item in sentences)
