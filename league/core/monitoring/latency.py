"""How long answers take: what this process answered lately, for the status page.

A handful of figures in memory and nothing else; ``league.core.monitoring.requests`` takes the times. A site of several
processes tells those of the one that was asked.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from django.http import HttpRequest

#: Maximum number of answers remembered per kind, for how many seconds, and how many a figure needs: the time of a
#: single answer would reveal what was done.
MAX_ANSWERS, LATELY, LEAST = 1_000, 900.0, 20
#: How long these take depends on secrets.
SECRET = ("/admin/login/", "/invitations/", "/report/", "/accounts/")
PAGES, DESK, READ, WRITTEN = "pages", "desk", "api_reads", "api_writes"
KINDS = (PAGES, DESK, READ, WRITTEN)
READING = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Pace:
    """How long the answers of a kind took: how many, half of them and 95 of 100 within so many milliseconds."""

    count: int
    median_ms: float
    p95_ms: float


class Times:
    """The answers of the last quarter of an hour by kind, each with when it was given."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.lock = clock, threading.Lock()
        self.answers = {kind: deque[tuple[float, float]](maxlen=MAX_ANSWERS) for kind in KINDS}

    def add(self, kind: str, seconds: float) -> None:
        """Note an answer that took so many seconds."""
        with self.lock:
            self.answers[kind].append((self.clock(), seconds))

    def lately(self) -> dict[str, Pace]:
        """Return how long answers took by kind; kinds of which little was asked are left out."""
        since = self.clock() - LATELY
        with self.lock:
            took = {kind: sorted(took for at, took in given if at >= since) for kind, given in self.answers.items()}
        return {
            kind: Pace(len(all_of), at_most(all_of, 0.5), at_most(all_of, 0.95))
            for kind, all_of in took.items()
            if len(all_of) >= LEAST
        }


def at_most(in_order: list[float], share: float) -> float:
    """Return within how many milliseconds such a share of the answers was given (nearest rank)."""
    return round(1000.0 * in_order[ceil(share * len(in_order)) - 1], 1)


def kind_of(request: HttpRequest) -> str:
    """Return as what an answer counts; "" for files and for what asks only how the site is."""
    path = request.path
    if path.startswith(("/static/", "/status", "/look/", *SECRET)):
        return ""
    if path.startswith("/api/"):
        return READ if request.method in READING else WRITTEN
    return DESK if path.startswith("/admin/") else PAGES


TIMES = Times()
