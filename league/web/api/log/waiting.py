"""How a request for the log waits until there is more of it."""

import time
from collections.abc import Iterable, Iterator
from itertools import count

from django.http import HttpRequest
from rest_framework.request import Request

from league.core.log.selectors.log import load_log_lengths
from league.web.listeners import POLL_INTERVAL, WAITER, Waiter

#: Maximum seconds of ``?wait=``.
MAX_WAIT = 60
#: Milliseconds after which a browser connects anew when a stream has ended.
RETRY = "retry: 3000\n"


def get_waiter(request: Request | HttpRequest) -> Waiter | None:
    """Return the waiter that the web server gave a request; None if it may not wait without a thread."""
    waiter: Waiter | None = request.META.get(WAITER)
    return waiter


def has_waited(request: HttpRequest) -> bool:
    """Return whether this is another run of a request that waited."""
    waiter = get_waiter(request)
    return waiter is not None and waiter.runs > 0


def wait_for_entries(request: Request, league: int, position: int, seconds: float) -> bool:
    """Wait until a league's log is longer than a position; return whether the request runs again, without this answer.

    Under another server than Rungs' own, as in tests, the thread waits.
    """
    waiter = get_waiter(request)
    if waiter is not None:
        return waiter.wait(league, position, seconds)
    if WAITER in request.META:
        return False  # too many wait
    end = time.monotonic() + seconds
    while time.monotonic() < end and load_log_lengths([league]).get(league, 0) == position:
        time.sleep(min(POLL_INTERVAL, max(end - time.monotonic(), 0)))
    return False


def iter_events(lines: Iterable[str], after_position: int, *, first: bool) -> Iterator[str]:
    """Yield entries of a log as server-sent events; the positions of a log have no gap."""
    if first:
        yield RETRY
    for position, line in zip(count(after_position + 1), lines, strict=False):
        yield f"id: {position}\ndata: {line}\n"
