"""Views of django-allauth, adapted for Rungs."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account import views as account
from allauth.account.stages import LoginStageController
from allauth.mfa.base import views as mfa
from allauth.mfa.stages import AuthenticateStage
from allauth.socialaccount.helpers import render_authentication_error
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from requests import RequestException

from league.core.accounts.services import second_factor
from league.web.sign_in.adapters import PENDING_HASH
from league.web.sign_in.secret_link_pages import count_wrong, hidden

logger = logging.getLogger(__name__)
#: The maximum number of seconds until new attempts are allowed.
RETRY_AFTER = 3600


def mark_refusals(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Set status 429 if a form was throttled, where allauth sends 200."""

    @wraps(view)
    def marked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        answer = view(request, *args, **kwargs)
        form = (getattr(answer, "context_data", None) or {}).get("form")
        errors = form.errors.as_data().values() if form is not None else ()
        if any(error.code in ("too_many_login_attempts", "rate_limited") for field in errors for error in field):
            answer.status_code = 429
        if answer.status_code == 429:
            answer["Retry-After"] = str(RETRY_AFTER)
        return answer

    return marked


login = mark_refusals(account.login)
reauthenticate = mark_refusals(account.reauthenticate)
change_password = mark_refusals(account.password_change)


@mark_refusals
def code(request: HttpRequest) -> HttpResponse:
    """Ask for the second factor; the login is aborted if the password has changed since it was entered."""
    stage = LoginStageController.enter(request, AuthenticateStage.key)
    user = stage and stage.login.user
    if stage and (user is None or user.get_session_auth_hash() != request.session.get(PENDING_HASH)):
        aborted: HttpResponse = stage.abort()
        return aborted
    answer: HttpResponse = mfa.authenticate(request)
    return answer


@never_cache
@mark_refusals
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask for the email address for a reset link; a site without email shows who else can help."""
    if not settings.EMAIL_HOST:
        return render(request, "account/password_reset.html")
    answer: HttpResponse = account.password_reset(request)
    return answer


@never_cache
def reset(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    """Choose a new password with a reset link."""
    answer: HttpResponse = account.password_reset_from_key(request, **kwargs)
    if (getattr(answer, "context_data", None) or {}).get("token_fail"):
        answer.status_code = 410
        answer = count_wrong(request, _("New password")) or answer
    return hidden(answer)


def second(request: HttpRequest) -> HttpResponse:
    """Show the user's second factor, or the page that sets it up."""
    if request.user.is_authenticated and not second_factor.is_set_up(request.user):
        return HttpResponseRedirect(reverse("mfa_activate_totp"))
    answer: HttpResponse = mfa.index(request)
    return answer


def mark_failures(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Show an error page if an identity provider does not respond, or sends an invalid response."""

    @wraps(view)
    def marked(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, **kwargs)
        # Allauth does not check the responses of providers.
        except (RequestException, LookupError, TypeError, ValueError, ImproperlyConfigured) as error:
            logger.warning("An identity provider signed nobody in: %r", error)
            answer: HttpResponse = render_authentication_error(request, None, exception=error)
            return answer

    return marked
