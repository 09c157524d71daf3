"""Pages behind links that are secrets: who guesses is slowed down, whose link is good never waits.

A club has one address: nobody's guessing keeps its members out. A secret has 256 bits, so that looking one up is no
risk; what is slowed down is the asking.
"""

from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from league.asker import address_of, network_of
from league.desk.login import in_words
from league.services.accounts.logins import spend
from league.services.accounts.secret_links import OfLeague, SecretLinks

L = TypeVar("L", bound=OfLeague)


def opened(request: HttpRequest, kind: SecretLinks[L], secret: str, title: str) -> L | HttpResponse:
    """Return what a link leads to, or the page that says, under ``title``, why it leads nowhere: it names nothing."""
    found = kind.look_up(secret)
    if found is None:
        return unknown(request, kind.purpose, title, gettext(kind.unknown))
    ended = kind.why_ended(found, timezone.now())
    return sentence(request, title, ended, 410) if ended else found


def unknown(request: HttpRequest, purpose: str, title: str, text: str) -> HttpResponse:
    """Count a wrong link; return the page that says so, or how long to wait after too many."""
    # No username has a colon: under this name wrong links are counted.
    wait = spend(f"link: {purpose}", network_of(address_of(request))).wait
    return slowed(request, title, wait) if wait else sentence(request, title, text, 404)


def slowed(request: HttpRequest, title: str, wait: int) -> HttpResponse:
    """Tell who has guessed too often how long to wait."""
    text = _("Too many wrong links came from here. Wait {time}, then try again.").format(time=in_words(wait))
    answer = sentence(request, title, text, 429)
    answer["Retry-After"] = str(wait)
    return answer


def sentence(request: HttpRequest, title: str, text: str, status: int) -> HttpResponse:
    """Return a page that says one sentence and names nothing."""
    return hidden(render(request, "look/sentence.html", {"title": title, "sentence": text}, status=status))


def hidden(answer: HttpResponse) -> HttpResponse:
    """Keep a page out of search machines, and its address from other sites: it is a secret."""
    answer["X-Robots-Tag"] = "noindex, nofollow"
    answer["Referrer-Policy"] = "same-origin"
    return answer
