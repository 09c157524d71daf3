"""Selects the language of a request: by the URL, else by cookie, else by the Accept-Language header.

URLs, forms and data are the same in every language; only texts, dates and the decimal mark differ. The
API uses English, as programs store and compare its messages.
"""

from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header

#: The URL parameter for a language: ``?lang=de``.
ASKED = "lang"
API = "/api/"
#: Paths without text.
WORDLESS = ("/static/", "/.well-known/", "/look/")


class LanguageChoice(NamedTuple):
    """An available language: its own name, and the page's URL in it.

    now: whether it is the current one. draft: whether its translation has not been reviewed by a club.
    """

    code: str
    name: str
    address: str
    now: bool
    draft: bool


def languages() -> list[tuple[str, str]]:
    """Return the languages with their own names; read lazily, so that adding one needs no migration."""
    return list(settings.LANGUAGES)


def find_supported_language(code: str) -> str:
    """Return the supported language for a code, such as de for de-AT; "" if there is none."""
    try:
        return get_supported_language_variant(code.lower()) if code else ""
    except LookupError:
        return ""


def detect_language(request: HttpRequest) -> str:
    """Return the language of a request without one in its URL."""
    return find_supported_language(request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")) or _parse_accepted_language(
        request
    )


def _parse_accepted_language(request: HttpRequest) -> str:
    """Return the first supported language of the header, else the site's default."""
    header = request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    codes = (find_supported_language(code) for code, wish in parse_accept_lang_header(header) if wish and code != "*")
    return next((code for code in codes if code), settings.LANGUAGE_CODE)


def remember(response: HttpResponse, code: str) -> None:
    """Store a chosen language in a cookie."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def list_language_choices(request: HttpRequest) -> list[LanguageChoice]:
    """Return every language with the page's URL in it; empty for POST requests, whose data a link would lose."""
    if request.method not in ("GET", "HEAD"):
        return []
    now, drafts = translation.get_language(), settings.RUNGS_DRAFTS
    return [
        LanguageChoice(code, name, _build_url_in(code, request), code == now, code in drafts)
        for code, name in languages()
    ]


def query_without_language(request: HttpRequest) -> str:
    """Return the URL's query without the language, for cache keys, which include the active language."""
    query = request.GET.copy()
    query.pop(ASKED, None)
    return query.urlencode()


def _build_url_in(code: str, request: HttpRequest) -> str:
    """Return the URL of a page in a language, with the rest of its query."""
    query = request.GET.copy()
    query[ASKED] = code
    return f"{request.path}?{query.urlencode()}"
