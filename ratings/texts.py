"""Translation of texts and numbers into the reader's language, independent of any framework.

The Django app installs a reader (``ratings.apps``); without one everything is English.

``N_`` marks a text in a declaration. As data it is English: compared, hashed, in JSON and in the database. When it is
displayed (``str()``, an f-string, ``format``, a template) it is in the reader's language.
``say`` and ``say_many`` translate immediately. Message catalogues are extracted from the literals in these calls, so
pass complete sentences with named fields, not variables.
"""

import html
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_05UP, ROUND_HALF_UP, Context, Decimal
from numbers import Integral, Rational
from typing import NamedTuple, SupportsFloat


class Marks(NamedTuple):
    """The decimal mark and the separator of thousands in the reader's locale."""

    point: str
    group: str


ENGLISH = Marks(".", ",")
#: Fractions take the plural form of this number ("2.5 points", «2,5 очка»).
FRACTION = 2
#: As many digits as a float64 can have; what is cut off after them is not lost when the number is rounded again.
EVERY_DIGIT = Context(prec=1100, rounding=ROUND_05UP)
#: What is printed for no number, as for a missing one, and for a number beyond all bounds.
NOTHING, ENDLESS = "–", "∞"


@dataclass(frozen=True)
class LanguageReader:
    """The functions of a language: its translation of a text, its plural forms, its marks in numbers."""

    text: Callable[[str], str]
    many: Callable[[str, str, int], str]
    marks: Callable[[], Marks]


def _choose_english_form(singular: str, plural: str, number: int) -> str:
    """Return the English singular or plural for ``number``."""
    return singular if number == 1 else plural


def _return_unchanged(text: str) -> str:
    """Return the text unchanged."""
    return text


def get_english_marks() -> Marks:
    """Return the marks of English numbers."""
    return ENGLISH


AS_WRITTEN = LanguageReader(_return_unchanged, _choose_english_form, get_english_marks)
_installed = [AS_WRITTEN]


def install(reader: LanguageReader) -> LanguageReader:
    """Use this reader from now on; return the previous one."""
    previous, _installed[0] = _installed[0], reader
    return previous


class ReaderText(str):
    """An English text that is translated into the reader's language when displayed."""

    __slots__ = ()

    def __str__(self) -> str:
        return say(str.__str__(self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __html__(self) -> str:
        """Return the text escaped for templates."""
        return html.escape(str(self))


class Made(ReaderText):
    """A declared text whose translation is computed by a function."""

    __slots__ = ("said",)
    said: Callable[[], str]

    def __str__(self) -> str:
        return self.said()


def N_(text: str) -> str:  # noqa: N802 -- the usual name, known to extractors
    """Mark a text of a declaration: English as data, translated when displayed."""
    return ReaderText(text)


def mark_stored(text: str) -> str:
    """Mark a sentence that is stored in English; translate it with ``say`` when displaying it."""
    return text


def N_many(singular: str, plural: str) -> tuple[str, str]:  # noqa: N802 -- named like N_
    """Mark the two forms of a counted text, for ``say_many``."""
    return singular, plural


def localize_text(text: str, translate: Callable[[], str]) -> str:
    """Return a declared text that is displayed as ``translate()``; in English both are equal."""
    translated = Made(text)
    translated.said = translate
    return translated


def say(text: str, /, **values: object) -> str:
    """Return a text in the reader's language, with values for its named fields."""
    # A catalogue stores its metadata under the empty text.
    translated = _installed[0].text(str.__str__(text)) if text else ""
    return translated.format(**values) if values else translated


def say_many(singular: str, plural: str, number: float, /, **values: object) -> str:
    """Return the singular or plural of a text in the reader's language, with values for its named fields."""
    integer = int(number) if number == int(number) else FRACTION
    return _installed[0].many(singular, plural, integer).format(**values)


def localize_number(formatted: str) -> str:
    """Return a number (or a line of numbers) in English format in the reader's format."""
    separators = _installed[0].marks()
    return formatted.translate({ord("."): separators.point, ord(","): separators.group})


def make_decimal(value: SupportsFloat) -> Decimal:
    """Return any real number, numpy's too, as a decimal one."""
    if isinstance(value, int | float | Decimal):
        return Decimal(value)
    if isinstance(value, Integral):
        return Decimal(int(value))
    if isinstance(value, Rational):
        return EVERY_DIGIT.divide(Decimal(int(value.numerator)), Decimal(int(value.denominator)))
    return Decimal(float(value))


def write_as_printed(value: SupportsFloat, decimals: int, form: str = "") -> str:
    """Return a number in English format as every page prints it, with a hyphen as its minus.

    ``form``: "+" for a sign unless it is zero, "," for separators of thousands. What is no number is –, and what is
    beyond all bounds ∞.
    """
    number = round_as_printed(value, decimals)
    if number.is_nan():
        return NOTHING
    shown = form if number else form.replace("+", "")
    return f"{number:{shown}.{decimals}f}".replace("Infinity", ENDLESS)


def round_as_printed(value: SupportsFloat, decimals: int) -> Decimal:
    """Return a number rounded as every page prints it: a half away from zero (0.625 -> 0.63), a zero without sign."""
    number = make_decimal(value)
    if not number.is_finite():
        return number
    rounded = number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, EVERY_DIGIT)
    return rounded or abs(rounded)
