"""Pages behind secret links. Failed lookups are rate-limited per network; valid links never are.

So guessing does not lock out other members on the same network. Secrets have 256 bits.
"""

from typing import TypeVar

from allauth.core.internal.ratelimit import consume
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext as _

from league.core.accounts.services.secret_links import OfLeague, SecretLinks

L = TypeVar("L", bound=OfLeague)
#: What helps if a link is unknown.
HINT = gettext_noop("Open it again where you got it: the end of an address is easily lost when it is copied.")


def open_link(request: HttpRequest, kind: SecretLinks[L], secret: str, title: str) -> L | HttpResponse:
    """Return the object of a link, or a page of ``title`` that says why there is none."""
    link = kind.look_up(secret)
    if link is None:
        return unknown_link_page(request, title, gettext(kind.unknown))
    reason = kind.why_ended(link, timezone.now())
    return _render_dead_link(request, title, reason, 410) if reason else link


def unknown_link_page(request: HttpRequest, title: str, text: str) -> HttpResponse:
    """Count a wrong link; return an error page with 404, or 429 after too many."""
    return count_wrong_link(request, title) or _render_dead_link(request, title, text, 404, gettext(HINT))


def count_wrong_link(request: HttpRequest, title: str) -> HttpResponse | None:
    """Count a wrong link; return None, or an error page with 429 after too many."""
    if consume(request, app="allauth.account", action="wrong_link", limit_get=True):
        return None
    response = _render_dead_link(
        request, title, _("Too many wrong links were opened from your network. Try again in an hour."), 429
    )
    response["Retry-After"] = "3600"
    return response


def _render_dead_link(request: HttpRequest, title: str, text: str, status: int, hint: str = "") -> HttpResponse:
    """Return the page of a link that does not work: the first of several sentences is its heading."""
    first, _stop, others = text.partition(". ")
    heading, sentence = (first, others) if others else ("", text)
    return render_message_page(request, title, sentence, status, heading=heading, hint=hint)


def render_message_page(request: HttpRequest, title: str, text: str, status: int, **parts: str) -> HttpResponse:
    """Return a page with a message that names no league or person; ``parts``: a heading and a hint."""
    context = {"title": title, "sentence": text, **parts}
    return hide_page(render(request, "web/sentence.html", context, status=status))


def hide_page(response: HttpResponse) -> HttpResponse:
    """Keep a page out of search engines, and its secret address from other sites."""
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "same-origin"
    return response
