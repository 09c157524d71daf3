"""Users who need a second factor and have none are treated as signed out."""

from typing import Any

from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from league.core.accounts.services import second_factor


def _load_user(request: Any) -> Any:
    """Return the user of a request; anonymous on most pages, if a required second factor is missing."""
    if not hasattr(request, "_cached_user"):
        user = get_user(request)
        # The pages for setting up a second factor.
        open_pages = reverse("mfa_activate_totp"), reverse("account_reauthenticate")
        if second_factor.is_required(user) and request.path not in open_pages:
            user = user if second_factor.is_set_up(user) else AnonymousUser()
        request._cached_user = user
    return request._cached_user


class SignedInMiddleware(AuthenticationMiddleware):
    """Django's middleware with a check of the second factor; the user is loaded lazily."""

    def process_request(self, request: HttpRequest) -> None:
        """Set ``request.user``."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _load_user(request))  # type: ignore[assignment]  # as Django's own
