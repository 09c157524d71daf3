"""Caches values computed for a state of a league in Django's cache.

The key contains the state, so nothing needs to be invalidated: unused values are dropped after a while, or when the
cache is full. Anonymous users may request large boards of any time, so ``BoundedCache`` is limited in bytes.
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
#: Maximum size of the cache per process, in bytes.
MAX_BYTES = 200_000_000
#: Seconds after which a value is recomputed.
TIMEOUT = 3600
_MISSING = object()


class BoundedCache(LocMemCache):
    """Django's in-process cache with a limit in bytes; the least recently used values are dropped."""

    _cache: OrderedDict[str, bytes]
    _expire_info: dict[str, float | None]

    def _set(self, key: str, value: bytes, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Store a value, as the only one if it exceeds the limit; the lock is held."""
        super()._set(key, value, timeout)  # type: ignore[misc]  # not in the stubs
        total_bytes = sum(map(len, self._cache.values()))
        while total_bytes > MAX_BYTES and len(self._cache) > 1:
            last, removed = self._cache.popitem()
            del self._expire_info[last]
            total_bytes -= len(removed)


def cached(name: str, key: tuple[Any, ...], compute: Callable[[], V]) -> V:
    """Return what is stored under a key, or compute and store it."""
    stored = find(name, key, _MISSING)
    if stored is _MISSING:
        stored = compute()
        store(name, key, stored)
    value: V = stored
    return value


def find(name: str, key: tuple[Any, ...], default: Any = None) -> Any:
    """Return what is stored under a key, or the default."""
    return cache.get(_build_cache_key(name, key), default)


def store(name: str, key: tuple[Any, ...], value: Any) -> None:
    """Store a value under a key."""
    cache.set(_build_cache_key(name, key), value, TIMEOUT)


def _build_cache_key(name: str, key: tuple[Any, ...]) -> str:
    return f"{name}:{sha256(repr(key).encode()).hexdigest()}"
