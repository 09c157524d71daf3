"""Absolute URLs and single-line texts, for feeds, calendars and other sites."""

import unicodedata

from django.conf import settings
from django.http import HttpRequest


def build_absolute_url(request: HttpRequest, path: str) -> str:
    """Return the absolute URL of a path, with RUNGS_ORIGIN if set, else the host of the request."""
    origin: str = settings.RUNGS_ORIGIN
    return origin + path if origin else request.build_absolute_uri(path)


#: Control characters, surrogates, line separators and noncharacters, which XML and calendars do not allow.
FORBIDDEN_CATEGORIES, NONCHARACTERS = ("Cc", "Cs", "Zl", "Zp"), "\ufffe\uffff"


def format_single_line(text: str) -> str:
    """Return a text in one line without control characters."""
    return " ".join("".join(" " if _is_forbidden(letter) else letter for letter in text).split())


def _is_forbidden(letter: str) -> bool:
    """Return whether XML and calendars forbid a character."""
    return unicodedata.category(letter) in FORBIDDEN_CATEGORIES or letter in NONCHARACTERS
