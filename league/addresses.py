"""Whole addresses and plain words, for what is read elsewhere."""

import unicodedata

from django.conf import settings
from django.http import HttpRequest


def absolute(request: HttpRequest, path: str) -> str:
    """Return the whole address of a path of the site: where the site says it is found, else where it was asked."""
    origin: str = settings.RUNGS_ORIGIN
    return origin + path if origin else request.build_absolute_uri(path)


def plain(text: str) -> str:
    """Return a text in one line without control characters: XML and calendars take none."""
    spaced = "".join(" " if unicodedata.category(letter) in ("Cc", "Zl", "Zp") else letter for letter in text)
    return " ".join(spaced.split())
