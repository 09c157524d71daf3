"""How many requests a minute somebody may make: counted in each web process, by token or by address.

A client gets at least the limit and, where its requests are spread over all of them, at most as many
times the limit as there are web processes: counting costs no query and no message. A token that is
not good counts for the address that it came from.
"""

import hashlib
import time
from dataclasses import dataclass
from threading import Lock

from django.conf import settings
from django.http import HttpRequest

from league.asker import address_of

WINDOW = 60
#: Askers that are counted apart in a minute; all beyond share one count.
MOST = 100_000
READS, WRITES = "reads", "writes"


@dataclass(frozen=True)
class Taken:
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


class Counter:
    """Counts of the present minute by asker."""

    def __init__(self) -> None:
        self.minute = 0
        self.counts: dict[str, int] = {}
        self.lock = Lock()

    def add(self, who: str, minute: int, by: int = 1) -> int:
        """Count a request (or none); returns how many there were in this minute."""
        with self.lock:
            if minute != self.minute:
                self.minute, self.counts = minute, {}
            if who not in self.counts and len(self.counts) >= MOST:
                who = "others"
            count = self.counts[who] = self.counts.get(who, 0) + by
            return count


COUNTER = Counter()


def take(request: HttpRequest) -> Taken | None:
    """Count a request; None where there is no limit."""
    name = READS if request.method in ("GET", "HEAD", "OPTIONS") else WRITES
    limit = settings.RUNGS_READS_A_MINUTE if name == READS else settings.RUNGS_WRITES_A_MINUTE
    if not limit:
        return None
    now = time.time()
    minute = int(now // WINDOW)
    reset = int((minute + 1) * WINDOW - now) + 1
    bad = COUNTER.add(f"{name} bad {address_of(request)}", minute, 0)
    count = limit + 1 if bad >= limit else COUNTER.add(f"{name} {asker(request)}", minute)
    return Taken(name, limit, limit - count, reset)


def count_bad_token(request: HttpRequest, taken: Taken) -> None:
    """Count a request with a token that was not good for its address."""
    COUNTER.add(f"{taken.name} bad {address_of(request)}", int(time.time() // WINDOW))


def asker(request: HttpRequest) -> str:
    """Return who asks: a token, which is not kept, or an address."""
    token = request.META.get("HTTP_AUTHORIZATION")
    return hashlib.sha256(token.encode()).hexdigest() if token else address_of(request)
