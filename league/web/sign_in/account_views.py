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
from league.web.sign_in.secret_link_pages import count_wrong_link, hide_page

logger = logging.getLogger(__name__)
#: The maximum number of seconds until new attempts are allowed.
MAX_RETRY_SECONDS = 3600


def mark_throttled(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Set status 429 if a form was throttled, where allauth sends 200."""

    @wraps(view)
    def marked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        form = (getattr(response, "context_data", None) or {}).get("form")
        errors = form.errors.as_data().values() if form is not None else ()
        if any(error.code in ("too_many_login_attempts", "rate_limited") for field in errors for error in field):
            response.status_code = 429
        if response.status_code == 429:
            response["Retry-After"] = str(MAX_RETRY_SECONDS)
        return response

    return marked


login = mark_throttled(account.login)
reauthenticate = mark_throttled(account.reauthenticate)
change_password = mark_throttled(account.password_change)


@mark_throttled
def second_factor_code(request: HttpRequest) -> HttpResponse:
    """Ask for the second factor; the login is aborted if the password has changed since it was entered."""
    stage = LoginStageController.enter(request, AuthenticateStage.key)
    user = stage and stage.login.user
    if stage and (user is None or user.get_session_auth_hash() != request.session.get(PENDING_HASH)):
        aborted: HttpResponse = stage.abort()
        return aborted
    response: HttpResponse = mfa.authenticate(request)
    return response


@never_cache
@mark_throttled
def request_password_reset(request: HttpRequest) -> HttpResponse:
    """Ask for the email address for a reset link; a site without email shows who else can help."""
    if not settings.EMAIL_HOST:
        return render(request, "account/password_reset.html")
    response: HttpResponse = account.password_reset(request)
    return response


@never_cache
def reset_password(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    """Choose a new password with a reset link."""
    response: HttpResponse = account.password_reset_from_key(request, **kwargs)
    if (getattr(response, "context_data", None) or {}).get("token_fail"):
        response.status_code = 410
        response = count_wrong_link(request, _("New password")) or response
    return hide_page(response)


def second_factor_page(request: HttpRequest) -> HttpResponse:
    """Show the user's second factor, or the page that sets it up."""
    if request.user.is_authenticated and not second_factor.is_set_up(request.user):
        return HttpResponseRedirect(reverse("mfa_activate_totp"))
    response: HttpResponse = mfa.index(request)
    return response


def handle_provider_errors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Show an error page if an identity provider does not respond, or sends an invalid response."""

    @wraps(view)
    def marked(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, **kwargs)
        # Allauth does not check the responses of providers.
        except (RequestException, LookupError, TypeError, ValueError, ImproperlyConfigured) as error:
            logger.warning("An identity provider signed nobody in: %r", error)
            response: HttpResponse = render_authentication_error(request, None, exception=error)
            return response

    return marked
