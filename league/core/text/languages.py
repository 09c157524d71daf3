"""In which language someone reads: by the address, else by what the browser remembers, else by what it asks for.

Addresses, forms and data are the same in every language; only words, dates and the mark before decimals change. The
API speaks English, because programs keep what it says, and compare it.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeGuard

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header

#: What an address names a language by: ``?lang=de``.
ASKED = "lang"
API = "/api/"
#: Nothing there is written in a language.
WORDLESS = ("/static/", "/.well-known/", "/look/")


class LanguageChoice(NamedTuple):
    """A language that a reader may choose: its own name, the page's address in it.

    now: it is read. draft: no club that plays in it has read it over.
    """

    code: str
    name: str
    address: str
    now: bool
    draft: bool


class LanguageMiddleware:
    """Answers every request in its reader's language."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request; a language in the address is remembered by the browser."""
        if request.path.startswith(WORDLESS):
            return self.get_response(request)
        asked = known(request.GET.get(ASKED, ""))
        code = settings.LANGUAGE_CODE if is_for_programs(request) else asked or language_of(request)
        with translation.override(code):
            response = self.get_response(request)
        if request.path.startswith(API) or is_the_same_for_all(response):
            return response
        response.setdefault("Content-Language", code)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        if asked and is_page(response):
            remember(response, asked)
        return response


def is_for_programs(request: HttpRequest) -> bool:
    """Return whether data are asked for: of the API, or a table of a page as a file; they are English for everyone."""
    return request.path.startswith(API) or {"table", "format"} <= set(request.GET)


def is_the_same_for_all(response: HttpResponseBase) -> bool:
    """Return whether an answer is without words: a picture that never changes, or a table for programs."""
    lasting = "immutable" in response.get("Cache-Control", "")
    return lasting or response.get("Content-Type", "").startswith("text/csv")


def is_page(response: HttpResponseBase) -> TypeGuard[HttpResponse]:
    """Return whether an answer is a page that someone reads here: not a picture, a feed or a frame on another site."""
    read = response.get("Content-Type", "").startswith("text/html") and response.status_code < 400
    framed = getattr(response, "xframe_options_exempt", False)
    return isinstance(response, HttpResponse) and read and not framed


def languages() -> list[tuple[str, str]]:
    """Return each with its own name; asked when it is needed, so that another one is no migration."""
    return list(settings.LANGUAGES)


def known(code: str) -> str:
    """Return the language that a code names here, such as de for de-AT; "" if it names none."""
    try:
        return get_supported_language_variant(code.lower()) if code else ""
    except LookupError:
        return ""


def language_of(request: HttpRequest) -> str:
    """Return the language of a request that names none in its address."""
    return known(request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")) or accepted(request)


def accepted(request: HttpRequest) -> str:
    """Return the first language of the header that is known here, else the site's own."""
    header = request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    codes = (known(code) for code, wish in parse_accept_lang_header(header) if wish and code != "*")
    return next((code for code in codes if code), settings.LANGUAGE_CODE)


def remember(response: HttpResponse, code: str) -> None:
    """Let the browser remember a language that was chosen."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def spoken_at(request: HttpRequest) -> list[LanguageChoice]:
    """Return every language with the page's address in it; none if something was sent, which a link would lose."""
    if request.method not in ("GET", "HEAD"):
        return []
    now, drafts = translation.get_language(), settings.RUNGS_DRAFTS
    return [
        LanguageChoice(code, name, address_in(code, request), code == now, code in drafts) for code, name in languages()
    ]


def asked_beside(request: HttpRequest) -> str:
    """Return what an address asks for beside a language; what is kept is kept by the language that is read."""
    asked = request.GET.copy()
    asked.pop(ASKED, None)
    return asked.urlencode()


def address_in(code: str, request: HttpRequest) -> str:
    """Return the address of a page in a language, with all else that was asked of it."""
    wanted = request.GET.copy()
    wanted[ASKED] = code
    return f"{request.path}?{wanted.urlencode()}"
