"""Authentication by bearer token or by the browser's session."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from league.core.accounts.services.tokens import check_token
from league.core.permissions import Viewer, load_viewer_of_token, load_viewer_of_user
from league.models import Token


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer <token>``; an invalid token is an error, never an anonymous request."""

    def authenticate(self, request: Request) -> tuple[Any, Token] | None:
        """Return an anonymous user with the token; None without a bearer token."""
        segments = request.headers.get("Authorization", "").split()
        if not segments or segments[0].lower() != "bearer":
            return None
        token = check_token(segments[1]) if len(segments) == 2 else None
        if token is None:
            raise AuthenticationFailed("This token is not known, has expired or was revoked.")
        return AnonymousUser(), token

    def authenticate_header(self, request: Request) -> str:
        """Return the WWW-Authenticate header of a 401."""
        return 'Bearer realm="api"'


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # the library has no types here
    """Describes the bearer token in the OpenAPI document."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the security scheme."""
        text = (
            "A token with a scope: read, record (games, players) or organise (rules, ladders, leagues, initial "
            "ratings). It never has more rights in a league than the current role of the user who created it."
        )
        return {"type": "http", "scheme": "bearer", "description": text}


def get_viewer(request: Request) -> Viewer:
    """Return the viewer of a token or of the signed-in user."""
    token = request.auth
    return load_viewer_of_token(token) if isinstance(token, Token) else load_viewer_of_user(request.user)
