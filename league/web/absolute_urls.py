"""Whole addresses and plain words, for what is read elsewhere."""

import unicodedata

from django.conf import settings
from django.http import HttpRequest


def absolute(request: HttpRequest, path: str) -> str:
    """Return the whole address of a path of the site: where the site says it is found, else where it was asked."""
    origin: str = settings.RUNGS_ORIGIN
    return origin + path if origin else request.build_absolute_uri(path)


#: Controls, halves of pairs, ends of lines, and the two that are no letters: XML and calendars take none of them.
UNREAD, NO_LETTERS = ("Cc", "Cs", "Zl", "Zp"), "\ufffe\uffff"


def plain(text: str) -> str:
    """Return a text in one line without control characters: XML and calendars take none."""
    return " ".join("".join(" " if is_unread(letter) else letter for letter in text).split())


def is_unread(letter: str) -> bool:
    """Return whether a letter may be in no document."""
    return unicodedata.category(letter) in UNREAD or letter in NO_LETTERS
