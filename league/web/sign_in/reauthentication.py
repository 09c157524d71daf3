"""Asks for the password again before sensitive actions: tokens, members, password links, accounts."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from league.web.sign_in.csrf_failure import get_referrer_path


def is_password_due(request: Any) -> bool:
    """Return whether the user must enter their password again."""
    return bool(is_reauthentication_required(request, app="league"))


def require_password(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Require a recently entered password for POST; the user then sends the form again.

    Unlike allauth's decorator it does not store the form, which may contain a new password.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and request.user.is_authenticated and is_password_due(request):
            messages.warning(request, _("Nothing has been done yet: enter your password, then try again."))
            page = {REDIRECT_FIELD_NAME: get_referrer_path(request)}
            return HttpResponseRedirect(f"{reverse('account_reauthenticate')}?{urlencode(page)}")
        return view(request, *args, **kwargs)

    return guarded
