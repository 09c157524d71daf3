"""Signing in: who guesses is slowed down, and a browser in which somebody signed in before is known again."""

import logging
import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.asker import address_of, network_of
from league.figures import number
from league.names import shortened
from league.services.accounts.logins import CALM, Try, spend, succeed

logger = logging.getLogger("league.security")
#: The cookie by which a browser is known again, and for how long.
COOKIE, KNOWN_FOR = "rungs_known", timedelta(days=365)


class LoginForm(AuthenticationForm):
    """A name and a password. Whoever is active may sign in; what they may do follows from their roles."""

    tries = Try(0, 0)
    wrong = False

    def clean(self) -> dict[str, Any]:
        """Look at the password, unless there were too many tries; raises ValidationError."""
        name, given = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if not name or not given:
            return super().clean()
        assert self.request is not None, "the page gives the request"
        whose = (name, network_of(address_of(self.request)), known_to(self.request, name))
        self.tries = spend(*whose)
        if self.tries.wait:
            tell("Refused: too many wrong passwords", name, self.request)
            text = _("Too many wrong tries. Wait {time}, then try again.")
            raise ValidationError(text.format(time=in_words(self.tries.wait)))
        self.wrong = True
        try:
            data = super().clean()
        except ValidationError:
            tell("Refused: wrong password", name, self.request)
            raise
        self.wrong = False
        tell("Right password", name, self.request)
        succeed(*whose)
        return data


def tell(what: str, name: str, request: HttpRequest) -> None:
    """Log what happened at a door: to whom, and from where; invisible letters of a name are written out."""
    logger.info("%s: %s from %s", what, shortened(name), shortened(address_of(request)))


def in_words(seconds: int) -> str:
    """Return a time to wait as somebody says it."""
    if seconds < 90:
        return ngettext("{count} second", "{count} seconds", seconds).format(count=seconds)
    minutes = -(-seconds // 60)
    return ngettext("{count} minute", "{count} minutes", minutes).format(count=number(minutes))


def known_to(request: HttpRequest, name: str) -> str:
    """Return by what a browser is known in which this name signed in before; "" where it is not."""
    whose, which = last_known(request)
    return which if whose == folded(name) else ""


def last_known(request: HttpRequest) -> tuple[str, str]:
    """Return the folded name of who signed in last in a browser, and by what it is known; "" where nobody did."""
    try:
        whose, which = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=KNOWN_FOR)
    except (signing.BadSignature, ValueError, TypeError):
        return "", ""
    return str(whose), str(which)


def folded(name: str) -> str:
    """Return a name as it is compared."""
    return name.strip().casefold()


def answered(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Say by the status that somebody should slow down, and let a browser be known again."""
    form = answer.context_data.get("form") if isinstance(answer, TemplateResponse) and answer.context_data else None
    if isinstance(form, LoginForm) and (form.tries.wait or (form.wrong and form.tries.spent > CALM)):
        answer.status_code = 429
        answer["Retry-After"] = str(form.tries.wait or 1)
    if request.method == "POST" and request.user.is_authenticated and answer.status_code == 302:
        name = folded(request.user.get_username())
        answer.set_cookie(
            COOKIE,
            signing.dumps([name, known_to(request, name) or secrets.token_urlsafe(16)], salt=COOKIE),
            max_age=KNOWN_FOR,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
    return answer
