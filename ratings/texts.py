"""The door through which texts and numbers reach people in their own language; nothing here knows a framework.

Who runs the sums inside of Django installs a reader (``ratings.apps``); without one everything is English.

``N_`` marks a text that a declaration holds. It stays English wherever it is data: compared, hashed, in JSON, in the
books. Where it is shown (``str()``, an f-string, ``format``, a template) it is in the language of who reads.
``say`` and ``say_many`` make a sentence now, for who reads now. Catalogues are written from the literals that these
calls hold, so each gets whole sentences with named fields, and no variables.
"""

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class Marks(NamedTuple):
    """How the reader writes numbers: what is before a fraction, and between groups of three digits."""

    point: str
    group: str


ENGLISH = Marks(".", ",")
#: Which of a language's forms a fraction takes: that of 2 ("2.5 points", «2,5 очка»).
FRACTION = 2


@dataclass(frozen=True)
class LanguageReader:
    """What a language needs: its word for a text, its form for a number of things, its marks in numbers."""

    text: Callable[[str], str]
    many: Callable[[str, str, int], str]
    marks: Callable[[], Marks]


def english_form(one: str, many: str, number: int) -> str:
    """Return the form of a text for so many things, in English."""
    return one if number == 1 else many


def no_change(text: str) -> str:
    """Return the text as it is."""
    return text


def english_marks() -> Marks:
    """Return how numbers are written in English."""
    return ENGLISH


AS_WRITTEN = LanguageReader(no_change, english_form, english_marks)
_installed = [AS_WRITTEN]


def install(reader: LanguageReader) -> LanguageReader:
    """Let everything be said by this reader from now on; return the one before."""
    before, _installed[0] = _installed[0], reader
    return before


class ReaderText(str):
    """An English text that is in the language of who reads wherever it is shown."""

    __slots__ = ()

    def __str__(self) -> str:
        return say(str.__str__(self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __html__(self) -> str:
        """Return the text as templates show it."""
        return html.escape(str(self))


class Made(ReaderText):
    """A declared text whose words come from elsewhere: from what a system says with its defaults."""

    __slots__ = ("said",)
    said: Callable[[], str]

    def __str__(self) -> str:
        return self.said()


def N_(text: str) -> str:  # noqa: N802 -- the customary name, which extractors know
    """Mark a text of a declaration: English as data, in the reader's language where it is shown."""
    return ReaderText(text)


def mark_stored(text: str) -> str:
    """Mark a sentence that the books keep in English; who shows it says it (``say``) in the reader's language."""
    return text


def N_many(one: str, many: str) -> tuple[str, str]:  # noqa: N802 -- beside the one above
    """Mark the two forms of a counted text, for ``say_many``."""
    return one, many


def localized_text(text: str, said: Callable[[], str]) -> str:
    """Return a declared text that is shown as ``said`` says it; in English the two are the same."""
    found = Made(text)
    found.said = said
    return found


def say(text: str, /, **values: object) -> str:
    """Return a text in the reader's language, with values for the names in its braces if there are any."""
    # A catalogue keeps what it says of itself under the empty text.
    found = _installed[0].text(str.__str__(text)) if text else ""
    return found.format(**values) if values else found


def say_many(one: str, many: str, number: float, /, **values: object) -> str:
    """Return the form of a text for a number of things in the reader's language, with values for its names."""
    whole = int(number) if number == int(number) else FRACTION
    return _installed[0].many(one, many, whole).format(**values)


def localised(written: str) -> str:
    """Return a number (or a line of numbers) in English writing as the reader writes it."""
    marks = _installed[0].marks()
    return written.translate({ord("."): marks.point, ord(","): marks.group})
