"""Who is signed in: no one by one step who must take two, however they came by their session."""

from typing import Any

from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from league.core.accounts.services import second_factor


def signed_in(request: Any) -> Any:
    """Return the user of a request: no one on most pages, if a user must have a second step and has none yet."""
    if not hasattr(request, "_cached_user"):
        user = get_user(request)
        # The pages on which a user sets a second step up.
        open_pages = reverse("mfa_activate_totp"), reverse("account_reauthenticate")
        if second_factor.is_required(user) and request.path not in open_pages:
            user = user if second_factor.is_set_up(user) else AnonymousUser()
        request._cached_user = user
    return request._cached_user


class SignedInMiddleware(AuthenticationMiddleware):
    """Django's, with a look at the steps; no user is looked up before a user asks."""

    def process_request(self, request: HttpRequest) -> None:
        """Have the request tell who asks."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: signed_in(request))  # type: ignore[assignment]  # as Django's own
