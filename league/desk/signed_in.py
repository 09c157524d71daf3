"""Who is signed in: nobody by one step who must take two, however they came by their session."""

from typing import Any

from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from league.desk.sessions import took_both
from league.services.accounts import second_factor


def signed_in(request: Any) -> Any:
    """Return who is signed in. A session of before somebody became staff, or of before two steps were asked, ends."""
    if not hasattr(request, "_cached_user"):
        user = get_user(request)
        if second_factor.is_required(user) and not took_both(request.session):
            request.session.flush()
            user = AnonymousUser()
        request._cached_user = user
    return request._cached_user


class SignedInMiddleware(AuthenticationMiddleware):
    """Django's, with a look at the steps; nobody is looked up before somebody asks."""

    def process_request(self, request: HttpRequest) -> None:
        """Have the request tell who asks."""
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: signed_in(request))  # type: ignore[assignment]  # as Django's own
