"""Pages behind secret links. Failed lookups are rate-limited per network; valid links never are.

So guessing does not lock out other members on the same network. Secrets have 256 bits.
"""

from typing import TypeVar

from allauth.core.internal.ratelimit import consume
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from league.core.accounts.services.secret_links import OfLeague, SecretLinks

L = TypeVar("L", bound=OfLeague)


def opened(request: HttpRequest, kind: SecretLinks[L], secret: str, title: str) -> L | HttpResponse:
    """Return the object of a link, or a page with the title ``title`` that says why there is none."""
    found = kind.look_up(secret)
    if found is None:
        return unknown(request, title, gettext(kind.unknown))
    ended = kind.why_ended(found, timezone.now())
    return sentence(request, title, ended, 410) if ended else found


def unknown(request: HttpRequest, title: str, text: str) -> HttpResponse:
    """Count a wrong link; return an error page with 404, or 429 after too many."""
    return count_wrong(request, title) or sentence(request, title, text, 404)


def count_wrong(request: HttpRequest, title: str) -> HttpResponse | None:
    """Count a wrong link; return None, or an error page with 429 after too many."""
    if consume(request, app="allauth.account", action="wrong_link", limit_get=True):
        return None
    answer = sentence(
        request, title, _("Too many wrong links were opened from your network. Try again in an hour."), 429
    )
    answer["Retry-After"] = "3600"
    return answer


def sentence(request: HttpRequest, title: str, text: str, status: int) -> HttpResponse:
    """Return a page with a message that names no league or person."""
    return hidden(render(request, "web/sentence.html", {"title": title, "sentence": text}, status=status))


def hidden(answer: HttpResponse) -> HttpResponse:
    """Keep a page out of search engines, and its secret address from other sites."""
    answer["X-Robots-Tag"] = "noindex, nofollow"
    answer["Referrer-Policy"] = "same-origin"
    return answer
