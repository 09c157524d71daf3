"""Recent response times of this process, for the status page.

They are held in memory and recorded by ``league.core.monitoring.requests``. With several processes, the status page
shows those of the process that answers.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from django.http import HttpRequest

#: Maximum number of times stored per kind, for how many seconds, and minimum number for a figure, as the time of a
#: single response would reveal what was done.
MAX_ANSWERS, LATELY, LEAST = 1_000, 900.0, 20
#: Paths whose response times depend on secrets.
SECRET = ("/admin/login/", "/invitations/", "/report/", "/accounts/")
PAGES, DESK, READ, WRITTEN = "pages", "desk", "api_reads", "api_writes"
KINDS = (PAGES, DESK, READ, WRITTEN)
READING = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Pace:
    """Response times of a kind: number, median and 95th percentile in milliseconds."""

    count: int
    median_ms: float
    p95_ms: float


class Times:
    """The response times of the last 15 minutes by kind."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.lock = clock, threading.Lock()
        self.answers = {kind: deque[tuple[float, float]](maxlen=MAX_ANSWERS) for kind in KINDS}

    def add(self, kind: str, seconds: float) -> None:
        """Record a response time."""
        with self.lock:
            self.answers[kind].append((self.clock(), seconds))

    def lately(self) -> dict[str, Pace]:
        """Return response times by kind; kinds with too few are omitted."""
        since = self.clock() - LATELY
        with self.lock:
            took = {kind: sorted(took for at, took in given if at >= since) for kind, given in self.answers.items()}
        return {
            kind: Pace(len(all_of), percentile(all_of, 0.5), percentile(all_of, 0.95))
            for kind, all_of in took.items()
            if len(all_of) >= LEAST
        }


def percentile(in_order: list[float], share: float) -> float:
    """Return a percentile in milliseconds (nearest rank)."""
    return round(1000.0 * in_order[ceil(share * len(in_order)) - 1], 1)


def kind_of(request: HttpRequest) -> str:
    """Return the kind of a request; "" for files, status and health checks."""
    path = request.path
    if path.startswith(("/static/", "/status", "/look/", *SECRET)):
        return ""
    if path.startswith("/api/"):
        return READ if request.method in READING else WRITTEN
    return DESK if path.startswith("/admin/") else PAGES


TIMES = Times()
