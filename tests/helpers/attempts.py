"""Attempts to sign in as tests need them: counted, without a password being hashed."""

from allauth.core.internal.ratelimit import consume
from django.http import HttpRequest
from django.test import RequestFactory

from league.web.sign_in.adapters import build_attempts_key

#: Wrong passwords of a username from a network in an hour, and of a network under all names.
OF_NAME, OF_NETWORK = 50, 200


def request_from(address: str) -> HttpRequest:
    """Return a request that came from an address."""
    return RequestFactory().post("/", REMOTE_ADDR=address)


def count_attempt(name: str, address: str = "192.0.2.1") -> bool:
    """Count an attempt; returns whether it was allowed."""
    request = request_from(address)
    key = build_attempts_key(name, request)
    return all(
        consume(request, app="allauth.account", action=action, key=key) for action in ("login_failed", "network_failed")
    )


def use_up_network(made: int = 0, address: str = "192.0.2.1") -> None:
    """Make all attempts that an address has left under other names, of which some were made."""
    assert all(count_attempt(f"name {number}", address) for number in range(OF_NETWORK - made))


def use_up(name: str = "olga", address: str = "192.0.2.1") -> None:
    """Make all attempts that a username has from an address."""
    assert all(count_attempt(name, address) for _ in range(OF_NAME))
