"""A small identity provider: OpenID Connect with discovery and signed tokens; its profile serves as Discord's."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, make_server

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa


class Quiet(WSGIRequestHandler):
    """Logs nothing."""

    def log_message(self, *args: Any) -> None:
        """Do nothing."""


class IdentityProvider:
    """Signs one person in, whom a test describes by ``claims``; keeps the forms that asked for tokens."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.server = make_server("127.0.0.1", 0, self.answer, handler_class=Quiet)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.claims: dict[str, Any] = {"sub": "anna-7"}
        #: What the profile is, if it is something else than the claims.
        self.profile: Any = None
        self.changed: dict[str, Any] = {}
        self.asked: list[dict[str, list[str]]] = []

    def answer(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        """Answer a request of the site's."""
        path = environ["PATH_INFO"]
        if path == "/token":
            length = int(environ.get("CONTENT_LENGTH") or 0)
            self.asked.append(parse_qs(environ["wsgi.input"].read(length).decode()))
        answers: dict[str, Callable[[], dict[str, Any]]] = {
            "/.well-known/openid-configuration": self.configuration,
            "/token": lambda: {"access_token": "a", "token_type": "Bearer", "id_token": self.id_token()},
            "/userinfo": lambda: self.claims if self.profile is None else self.profile,
        }
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(answers[path]()).encode()]

    def configuration(self) -> dict[str, Any]:
        """Return what discovery tells."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/jwks",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def id_token(self) -> str:
        """Return a signed token for the site."""
        now = int(time.time())
        whole = {"iss": self.issuer, "aud": "rungs", "iat": now, "exp": now + 60, **self.claims, **self.changed}
        return jwt.encode(whole, self.key, algorithm="RS256", headers={"kid": "1"})


@contextmanager
def running() -> Iterator[IdentityProvider]:
    """Serve an identity provider while what is inside runs."""
    provider = IdentityProvider()
    thread = threading.Thread(target=provider.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        provider.server.shutdown()
        thread.join()
        provider.server.server_close()
