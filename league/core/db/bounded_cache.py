"""What was computed for a state of a league, in Django's cache: found again while the state is the same.

The key has the state, so nothing is removed: what no one asks for any more is dropped after a while, or when the cache
is full.

Strangers ask for boards of any moment and pages of any query, which may be large: ``BoundedCache`` is full by bytes.
"""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

from django.core.cache import caches
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache
from django.utils.connection import ConnectionProxy

V = TypeVar("V")
#: The cache of this process.
cache: Any = ConnectionProxy(caches, "answers")
#: Bytes that a process holds.
MAX_BYTES = 200_000_000
#: Seconds after which an answer is computed again, whatever its key.
TIMEOUT = 3600
_MISSING = object()


class BoundedCache(LocMemCache):
    """Django's cache of a process, which forgets what no one asked for the longest time when it is full of bytes."""

    _cache: OrderedDict[str, bytes]
    _expire_info: dict[str, float | None]

    def _set(self, key: str, value: bytes, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Store a value, alone where it is larger than all that may be held; the lock is held."""
        super()._set(key, value, timeout)  # type: ignore[misc]  # no part of what the types know
        held = sum(map(len, self._cache.values()))
        while held > MAX_BYTES and len(self._cache) > 1:
            last, gone = self._cache.popitem()
            del self._expire_info[last]
            held -= len(gone)


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
