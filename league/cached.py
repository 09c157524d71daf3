"""What was computed for a state of a league, in Django's cache: found again while the state is the same.

The key has the state, so nothing is removed: what nobody asks for any more is dropped after a while, or when the cache
is full.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

from django.core.cache import cache

V = TypeVar("V")
#: Seconds after which an answer is computed again, whatever its key.
TIMEOUT = 3600
_MISSING = object()


def cached(name: str, key: tuple[Any, ...], compute: Callable[[], V]) -> V:
    """Return what is stored under a key, or compute and store it."""
    found = find(name, key, _MISSING)
    if found is _MISSING:
        found = compute()
        store(name, key, found)
    value: V = found
    return value


def find(name: str, key: tuple[Any, ...], default: Any = None) -> Any:
    """Return what is stored under a key, or the default."""
    return cache.get(_address(name, key), default)


def store(name: str, key: tuple[Any, ...], value: Any) -> None:
    """Store a value under a key."""
    cache.set(_address(name, key), value, TIMEOUT)


def _address(name: str, key: tuple[Any, ...]) -> str:
    return f"{name}:{sha256(repr(key).encode()).hexdigest()}"
