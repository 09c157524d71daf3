"""Sentences that a report keeps: English as data, in the language of whoever reads where they are shown.

A report is made by a worker and read later, by others. So a sentence is kept as what it is made of: a marked text
(``N_``, ``N_many`` of ``ratings.texts``) and values, which are words, numbers in English writing and other sentences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ratings.contract.parameters import in_full
from ratings.texts import localised, say, say_many


@dataclass(frozen=True)
class EnglishNumber:
    """A number as English writes it, with a real minus; who reads sees the marks of their language."""

    digits: str


Value: TypeAlias = "str | EnglishNumber | Sentence"


@dataclass(frozen=True)
class Sentence:
    """A text with names in braces and their values; ``many`` is its form for ``number`` things, where it counts any."""

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
        """Return the sentence as data."""
        text = self.many if self.many and self.number != 1 else self.text
        # What ``N_`` marked is formatted as it stands.
        return str.__str__(text).format(**{name: english(value) for name, value in self.values})

    def as_json(self) -> dict[str, Any]:
        """Return the English sentence with all that ``sentence_of`` needs to make it again."""
        counted = {"many": str.__str__(self.many), "number": self.number} if self.many else {}
        values = [[name, value_as_json(value)] for name, value in self.values]
        return {"sentence": self.english(), "text": str.__str__(self.text), **counted, "values": values}


def translate_value(value: Value) -> str:
    """Return a value in the language of who reads."""
    if isinstance(value, EnglishNumber):
        return localised(value.digits)
    return str(value) if isinstance(value, Sentence) else say(value)


def english(value: Value) -> str:
    """Return a value in English."""
    if isinstance(value, EnglishNumber):
        return value.digits
    return value.english() if isinstance(value, Sentence) else str.__str__(value)


def value_as_json(value: Value) -> Any:
    """Return a value as JSON keeps it: a word as it is, a number or a sentence as an object."""
    if isinstance(value, EnglishNumber):
        return {"written": value.digits}
    return value.as_json() if isinstance(value, Sentence) else str.__str__(value)


def sentence(text: str, /, **values: Value) -> Sentence:
    """Return a sentence; ``text`` is marked where it stands."""
    return Sentence(text, tuple(values.items()))


def counted(forms: tuple[str, str], number: int, /, **values: Value) -> Sentence:
    """Return the form of a sentence for so many things, whose number is its ``count``."""
    return Sentence(forms[0], (("count", whole(number)), *values.items()), forms[1], number)


def sentence_of(kept: Mapping[str, Any]) -> Sentence:
    """Return the sentence that ``as_json`` kept."""
    values = tuple((str(name), value_of(value)) for name, value in kept["values"])
    return Sentence(str(kept["text"]), values, str(kept.get("many", "")), int(kept.get("number", 1)))


def value_of(kept: Any) -> Value:
    """Return a value that ``value_as_json`` kept."""
    if isinstance(kept, Mapping):
        return EnglishNumber(str(kept["written"])) if "written" in kept else sentence_of(kept)
    return str(kept)


def whole(number: int) -> EnglishNumber:
    """Return a number of things, in groups of three digits."""
    return EnglishNumber(f"{number:,}".replace("-", "−"))


def decimal(number: float, decimals: int) -> EnglishNumber:
    """Return a number with so many decimals; what rounds to nothing has no sign."""
    digits = f"{number:,.{decimals}f}"
    return EnglishNumber(digits.replace("-", "−" if digits.strip("-0.") else ""))


def exactly(number: float) -> EnglishNumber:
    """Return a number with every digit."""
    return EnglishNumber(in_full(number).replace("-", "−"))


def joined(sentences: Sequence[Sentence]) -> str:
    """Return sentences one after the other, in the language of who reads."""
    return " ".join(str(one) for one in sentences)
