"""A Django cache in a table shared by all processes, for sign-in attempts and used codes.

Django's database cache hides errors, so that an uncounted attempt would be allowed. This one raises them.
"""

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import IntegrityError
from django.utils import timezone

from league.core.locking import run_in_transaction
from league.models import CacheEntry


class SharedCache(BaseCache):
    """A cache of JSON values; keys are stored as digests, as they contain IP addresses."""

    def __init__(self, _location: str, params: dict[str, Any]) -> None:
        super().__init__(params)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return a value that has not expired, or the default."""
        entry = CacheEntry.objects.filter(key=self._digest(key, version), expires_at__gt=timezone.now()).first()
        return default if entry is None else json.loads(entry.value)

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Store a value unless there is one; of several concurrent processes only one succeeds."""
        entry = self._entry(key, value, timeout, version)

        def insert() -> None:
            CacheEntry.objects.filter(key=entry.key, expires_at__lte=timezone.now()).delete()
            entry.save(force_insert=True)

        try:
            run_in_transaction(insert)
        except IntegrityError:
            return False
        return True

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Store a value."""
        CacheEntry.objects.bulk_create(
            [self._entry(key, value, timeout, version)],
            update_conflicts=True,
            unique_fields=["key"],
            update_fields=["value", "expires_at"],
        )

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Delete a value; return whether there was one."""
        return bool(CacheEntry.objects.filter(key=self._digest(key, version)).delete()[0])

    def clear(self) -> None:
        """Delete all values."""
        CacheEntry.objects.all().delete()

    def _digest(self, key: Any, version: int | None) -> str:
        return sha256(self.make_key(key, version).encode()).hexdigest()

    def _entry(self, key: Any, value: Any, timeout: Any, version: int | None) -> CacheEntry:
        seconds: Any = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        expires_at = timezone.now() + timedelta(seconds=seconds)
        return CacheEntry(key=self._digest(key, version), value=json.dumps(value), expires_at=expires_at)
