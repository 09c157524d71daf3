"""How many requests a minute a user may make, by token or by address.

Where a Redis or Valkey is at hand (that of the broker, unless another one is named), all web processes count there, by
the package limits. Without one, and while it does not answer, each process counts for itself: a client then has at
least the limit, and at most as many times the limit as there are processes. A token that is not good counts for the
address that it came from.
"""

import hashlib
import logging
import time
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from django.conf import settings
from django.http import HttpRequest
from limits.errors import StorageError
from limits.storage import RedisStorage

from league.web.client_address import address_of, network_of

logger = logging.getLogger(__name__)
WINDOW = 60
#: Seconds that an answer of the shared counts is waited for, and for which they are left alone after there was none.
PATIENCE, PAUSE = 0.25, 10.0
#: Maximum number of clients counted separately per minute; the others share one count.
MAX_CLIENTS = 100_000
READS, WRITES = "reads", "writes"
#: Milliseconds of a processor for answers that take long, by network.
WORK = "work"


@dataclass(frozen=True)
class LimitState:
    """What is left of a limit after a request; ``left`` below 0 refuses it."""

    name: str
    limit: int
    left: int
    reset: int

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that tell of the limit (draft-ietf-httpapi-ratelimit-headers)."""
        headers = {
            "RateLimit-Policy": f'"{self.name}";q={self.limit};w={WINDOW}',
            "RateLimit": f'"{self.name}";r={max(self.left, 0)};t={self.reset}',
        }
        return headers if self.left >= 0 else {**headers, "Retry-After": str(self.reset)}


@lru_cache(maxsize=4)
def storage_at(url: str) -> RedisStorage:
    """Return the shared counts at an address; connecting is left to the first question."""
    # While another thread (Celery's) imports it, limits finds half of it, without a version, and refuses it.
    import redis  # noqa: F401 -- for what importing it does

    return RedisStorage(
        url, wrap_exceptions=True, key_prefix="rungs", socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
    )


class Counter:
    """Counts of the present minute by asker: of all web processes, or of this one where they share none just now."""

    def __init__(self) -> None:
        self.minute = 0
        self.counts: dict[str, int] = {}
        self.lock = Lock()
        self.shut_until = 0.0

    def add(self, who: str, minute: int, by: int = 1) -> int:
        """Count a request (or none); returns how many there were in this minute."""
        url = settings.RUNGS_LIMITS_URL
        if not url or time.monotonic() < self.shut_until:
            return self.add_here(who, minute, by)
        key = f"{minute}:{who}"
        try:
            shared = storage_at(url)
            return shared.incr(key, 2 * WINDOW, by) if by else shared.get(key)
        except StorageError as error:
            self.shut_until = time.monotonic() + PAUSE
            logger.warning("Requests are counted by each process for a while: %s", error)
            return self.add_here(who, minute, by)

    def add_here(self, who: str, minute: int, by: int) -> int:
        """Count in this process; returns how many there were in this minute."""
        with self.lock:
            if minute != self.minute:
                self.minute, self.counts = minute, {}
            if who not in self.counts and len(self.counts) >= MAX_CLIENTS:
                who = "others"
            count = self.counts[who] = self.counts.get(who, 0) + by
            return count


COUNTER = Counter()


def use_allowance(request: HttpRequest) -> LimitState | None:
    """Count a request; None if there is no limit."""
    name = READS if request.method in ("GET", "HEAD", "OPTIONS") else WRITES
    limit = settings.RUNGS_READS_A_MINUTE if name == READS else settings.RUNGS_WRITES_A_MINUTE
    if not limit:
        return None
    now = time.time()
    minute = int(now // WINDOW)
    reset = int((minute + 1) * WINDOW - now) + 1
    bad = COUNTER.add(f"{name} bad {network(request)}", minute, 0) if token_of(request) else 0
    count = limit + 1 if bad >= limit else COUNTER.add(f"{name} {asker(request)}", minute)
    return LimitState(name, limit, limit - count, reset)


def count_bad_token(request: HttpRequest, taken: LimitState) -> None:
    """Count a request with a token that was not good for its address."""
    COUNTER.add(f"{taken.name} bad {network(request)}", int(time.time() // WINDOW))


def wait_for_work(request: HttpRequest) -> int:
    """Return in how many seconds a network may ask for answers that take long again; 0: now."""
    limit = 1000 * settings.RUNGS_WORK_A_MINUTE
    now = time.time()
    minute = int(now // WINDOW)
    if not limit or COUNTER.add(f"{WORK} {network(request)}", minute, 0) < limit:
        return 0
    return int((minute + 1) * WINDOW - now) + 1


def count_work(request: HttpRequest, seconds: float) -> None:
    """Count how long a processor worked at an answer for a network."""
    if settings.RUNGS_WORK_A_MINUTE:
        COUNTER.add(f"{WORK} {network(request)}", int(time.time() // WINDOW), max(int(1000 * seconds), 1))


def asker(request: HttpRequest) -> str:
    """Return who asks: a token, which is not kept, or an address."""
    token = token_of(request)
    return hashlib.sha256(token.encode()).hexdigest() if token else network(request)


def token_of(request: HttpRequest) -> str:
    """Return the token that was given, "" if there is none: another word in that header says nothing of anyone."""
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def network(request: HttpRequest) -> str:
    """Return from where a user asks: an address, or all those of an IPv6 household, which takes them as it likes."""
    return network_of(address_of(request))
