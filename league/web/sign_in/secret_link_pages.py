"""Pages behind links that are secrets: who guesses is slowed down, whose link is good never waits.

A club has one address: no one's guessing keeps its members out. A secret has 256 bits, so that looking one up is no
risk; what is slowed down is the asking.
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
    """Return what a link leads to, or the page that says, under ``title``, why it leads nowhere: it names nothing."""
    found = kind.look_up(secret)
    if found is None:
        return unknown(request, title, gettext(kind.unknown))
    ended = kind.why_ended(found, timezone.now())
    return sentence(request, title, ended, 410) if ended else found


def unknown(request: HttpRequest, title: str, text: str) -> HttpResponse:
    """Count a wrong link; return the page that says so, or after too many that the client must wait."""
    return count_wrong(request, title) or sentence(request, title, text, 404)


def count_wrong(request: HttpRequest, title: str) -> HttpResponse | None:
    """Count a wrong link; return None, or after too many the page that says that the client must wait."""
    if consume(request, app="allauth.account", action="wrong_link", limit_get=True):
        return None
    answer = sentence(
        request, title, _("Too many wrong links were opened from your network. Try again in an hour."), 429
    )
    answer["Retry-After"] = "3600"
    return answer


def sentence(request: HttpRequest, title: str, text: str, status: int) -> HttpResponse:
    """Return a page that says one sentence and names nothing."""
    return hidden(render(request, "web/sentence.html", {"title": title, "sentence": text}, status=status))


def hidden(answer: HttpResponse) -> HttpResponse:
    """Keep a page out of search machines, and its address from other sites: it is a secret."""
    answer["X-Robots-Tag"] = "noindex, nofollow"
    answer["Referrer-Policy"] = "same-origin"
    return answer
