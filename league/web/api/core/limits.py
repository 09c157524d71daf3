"""Rate limits per minute, by token or address.

If Redis or Valkey is configured (the broker's, unless another is named), all web processes count there, with the
package limits. Without it, or while it is down, each process counts separately: the effective limit is then between
the configured limit and that limit times the number of processes. An invalid token counts for the client's address.
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
#: Seconds to wait for the shared counters, and seconds without them after a failure.
STORAGE_TIMEOUT, STORAGE_PAUSE = 0.25, 10.0
#: Maximum number of clients counted separately per minute; the others share one count.
MAX_CLIENTS = 100_000
READS, WRITES = "reads", "writes"
#: Counter of the CPU milliseconds that a network's long requests took.
WORK = "work"


@dataclass(frozen=True)
class LimitState:
    """The rest of a limit after a request; a negative ``left`` refuses it."""

    name: str
    limit: int
    left: int
    reset: int

    @property
    def headers(self) -> dict[str, str]:
        """Return the RateLimit headers (draft-ietf-httpapi-ratelimit-headers)."""
        headers = {
            "RateLimit-Policy": f'"{self.name}";q={self.limit};w={WINDOW}',
            "RateLimit": f'"{self.name}";r={max(self.left, 0)};t={self.reset}',
        }
        return headers if self.left >= 0 else {**headers, "Retry-After": str(self.reset)}


@lru_cache(maxsize=4)
def connect_storage(url: str) -> RedisStorage:
    """Return the shared counters at a URL; the first query connects."""
    # If another thread (Celery's) is still importing it, limits finds no version and refuses it.
    import redis  # noqa: F401 -- waits for that import

    return RedisStorage(
        url,
        wrap_exceptions=True,
        key_prefix="rungs",
        socket_timeout=STORAGE_TIMEOUT,
        socket_connect_timeout=STORAGE_TIMEOUT,
    )


class Counter:
    """Counters of the current minute by client, shared by all web processes or local to this one."""

    def __init__(self) -> None:
        self.minute = 0
        self.counts: dict[str, int] = {}
        self.lock = Lock()
        self.shut_until = 0.0

    def add(self, who: str, minute: int, by: int = 1) -> int:
        """Add to a client's counter; returns the count of this minute."""
        url = settings.RUNGS_LIMITS_URL
        if not url or time.monotonic() < self.shut_until:
            return self.add_here(who, minute, by)
        key = f"{minute}:{who}"
        try:
            shared = connect_storage(url)
            return shared.incr(key, 2 * WINDOW, by) if by else shared.get(key)
        except StorageError as error:
            self.shut_until = time.monotonic() + STORAGE_PAUSE
            logger.warning("Requests are counted by each process for a while: %s", error)
            return self.add_here(who, minute, by)

    def add_here(self, who: str, minute: int, by: int) -> int:
        """Count in this process only; returns the count of this minute."""
        with self.lock:
            if minute != self.minute:
                self.minute, self.counts = minute, {}
            if who not in self.counts and len(self.counts) >= MAX_CLIENTS:
                who = "others"
            count = self.counts[who] = self.counts.get(who, 0) + by
            return count


COUNTER = Counter()


def use_allowance(request: HttpRequest) -> LimitState | None:
    """Count a request and return the rest of its limit; None if there is no limit."""
    name = READS if request.method in ("GET", "HEAD", "OPTIONS") else WRITES
    limit = settings.RUNGS_READS_A_MINUTE if name == READS else settings.RUNGS_WRITES_A_MINUTE
    if not limit:
        return None
    now = time.time()
    minute = int(now // WINDOW)
    reset = int((minute + 1) * WINDOW - now) + 1
    bad = COUNTER.add(f"{name} bad {client_network(request)}", minute, 0) if token_of(request) else 0
    count = limit + 1 if bad >= limit else COUNTER.add(f"{name} {client_key(request)}", minute)
    return LimitState(name, limit, limit - count, reset)


def count_bad_token(request: HttpRequest, taken: LimitState) -> None:
    """Count a request with an invalid token for its address."""
    COUNTER.add(f"{taken.name} bad {client_network(request)}", int(time.time() // WINDOW))


def wait_for_work(request: HttpRequest) -> int:
    """Return the seconds until a network may send long requests again; 0: now."""
    limit = 1000 * settings.RUNGS_WORK_A_MINUTE
    now = time.time()
    minute = int(now // WINDOW)
    if not limit or COUNTER.add(f"{WORK} {client_network(request)}", minute, 0) < limit:
        return 0
    return int((minute + 1) * WINDOW - now) + 1


def count_work(request: HttpRequest, seconds: float) -> None:
    """Add the CPU time of a response to its network's counter."""
    if settings.RUNGS_WORK_A_MINUTE:
        COUNTER.add(f"{WORK} {client_network(request)}", int(time.time() // WINDOW), max(int(1000 * seconds), 1))


def client_key(request: HttpRequest) -> str:
    """Return the client's key: the hash of its token, or its network."""
    token = token_of(request)
    return hashlib.sha256(token.encode()).hexdigest() if token else client_network(request)


def token_of(request: HttpRequest) -> str:
    """Return the bearer token, "" if there is none; other schemes are ignored."""
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def client_network(request: HttpRequest) -> str:
    """Return the client's IPv4 address or IPv6 network (a household can use any of its addresses)."""
    return network_of(address_of(request))
