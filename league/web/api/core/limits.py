"""Rate limits per minute, by token or address.

If Redis or Valkey is configured (the broker's, unless another is named), all web processes count there, with the
package limits. Without it, or while it is down, each process counts separately: the effective limit is then between
the configured limit and that limit times the number of processes. An invalid token counts for the client's address.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from limits.errors import StorageError
from limits.storage import RedisStorage

from league.core.errors import TooMany, TooManyLongRequests
from league.core.text.display_formats import format_number
from league.web.client_address import compute_network, get_client_address

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

    def add_here(self, client: str, minute: int, increment: int) -> int:
        """Count in this process only; returns the count of this minute."""
        with self.lock:
            if minute != self.minute:
                self.minute, self.counts = minute, {}
            if client not in self.counts and len(self.counts) >= MAX_CLIENTS:
                client = "others"
            count = self.counts[client] = self.counts.get(client, 0) + increment
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
    bad = COUNTER.add(f"{name} bad {_get_client_network(request)}", minute, 0) if _parse_bearer_token(request) else 0
    count = limit + 1 if bad >= limit else COUNTER.add(f"{name} {_build_client_key(request)}", minute)
    return LimitState(name, limit, limit - count, reset)


def count_bad_token(request: HttpRequest, limit_state: LimitState) -> None:
    """Count a request with an invalid token for its address."""
    COUNTER.add(f"{limit_state.name} bad {_get_client_network(request)}", int(time.time() // WINDOW))


def wait_for_work(request: HttpRequest) -> int:
    """Return the seconds until a network may send long requests again; 0: now."""
    limit = 1000 * settings.RUNGS_WORK_A_MINUTE
    now = time.time()
    minute = int(now // WINDOW)
    if not limit or COUNTER.add(f"{WORK} {_get_client_network(request)}", minute, 0) < limit:
        return 0
    return int((minute + 1) * WINDOW - now) + 1


def count_work(request: HttpRequest, seconds: float) -> None:
    """Add the CPU time of a response to its network's counter."""
    if settings.RUNGS_WORK_A_MINUTE:
        COUNTER.add(f"{WORK} {_get_client_network(request)}", int(time.time() // WINDOW), max(int(1000 * seconds), 1))


def _build_client_key(request: HttpRequest) -> str:
    """Return the client's key: the hash of its token, or its network."""
    token = _parse_bearer_token(request)
    return hashlib.sha256(token.encode()).hexdigest() if token else _get_client_network(request)


def _parse_bearer_token(request: HttpRequest) -> str:
    """Return the bearer token, "" if there is none; other schemes are ignored."""
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _get_client_network(request: HttpRequest) -> str:
    """Return the client's IPv4 address or IPv6 network (a household can use any of its addresses)."""
    return compute_network(get_client_address(request))


#: Seconds that a request waits for its turn, and the maximum number of waiting requests: each holds a thread. A hall
#: opens several pages at once after a round, and a third of the threads may wait.
MAX_WAIT, MAX_WAITING = 3.0, 4
#: Seconds that the first responses of a route wait for theirs; nobody knows what they take, and none is refused.
FIRST_WAIT = 1.0


class LongAnswers:
    """Counts the long requests that a process is handling."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.running = self.waiting = 0

    def has_room(self) -> bool:
        """Return whether another one may start."""
        return self.running < (settings.RUNGS_LONG_ANSWERS or self.running + 1)

    def enter(self) -> None:
        """Start one, after a wait if necessary; raises Crowded."""
        with self.changed:
            if not self.has_room() and not self.wait_for_turn():
                raise TooManyLongRequests(
                    _("The site is processing too many long requests. Try again in a few seconds.")
                )
            self.running += 1

    def enter_unmeasured(self, is_measured: Callable[[], bool]) -> bool:
        """Start one that may be long, after a moment if necessary; returns False if it has been measured meanwhile."""
        with self.changed:
            self.changed.wait_for(lambda: is_measured() or self.has_room(), FIRST_WAIT)
            if is_measured():
                return False
            self.running += 1
            return True

    def wait_for_turn(self) -> bool:
        """Wait for a turn; returns False after a timeout."""
        if self.waiting >= MAX_WAITING:
            return False
        self.waiting += 1
        try:
            return self.changed.wait_for(self.has_room, MAX_WAIT)
        finally:
            self.waiting -= 1

    def leave(self) -> None:
        """End one."""
        with self.changed:
            self.running -= 1
            self.changed.notify_all()


LONG_ANSWERS = LongAnswers()
#: CPU seconds of a long response. It waits for its turn, and counts for its network.
LONG_SECONDS = 0.1
#: How much of a measured cost is left after the next response that costs less.
FADING = 0.8


class MeasuredCosts:
    """The CPU seconds that responses of each route took lately, with and without a query: the highest, fading."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, bool], float] = {}

    def note(self, request: HttpRequest, seconds: float) -> None:
        """Note what a response took."""
        if key := _get_route_key(request):
            self.seconds[key] = max(seconds, FADING * self.seconds.get(key, 0.0))

    def is_measured(self, request: HttpRequest) -> bool:
        """Return whether this process has measured a response of the route."""
        key = _get_route_key(request)
        return key is None or key in self.seconds

    def is_long(self, request: HttpRequest) -> bool:
        """Return whether the response will probably be long."""
        key = _get_route_key(request)
        return key is not None and self.seconds.get(key, 0.0) >= LONG_SECONDS


MEASURED_COSTS = MeasuredCosts()


def _get_route_key(request: HttpRequest) -> tuple[str, bool] | None:
    match = request.resolver_match
    return None if match is None else (match.route, bool(request.META.get("QUERY_STRING")))


#: Signing in and private links have limits of their own, and no stranger's pages may keep anybody from them.
EXEMPT_PATHS = settings.RUNGS_PRIVATE_PATHS


def is_limited(request: HttpRequest) -> bool:
    """Return whether long responses of a client are limited: one without a token or session."""
    path = request.path_info
    if path.startswith(EXEMPT_PATHS) or (path.startswith("/api/") and _parse_bearer_token(request)):
        return False  # An invalid token is refused before any work.
    try:
        return not request.user.is_authenticated
    except DatabaseError as error:
        # Who it is cannot be read. A page that needs the database says so itself; one that needs none is still served.
        logger.warning("The session of a request could not be read: %s", error)
        return True


class RequestTurn:
    """The measured work of a response; if it may be long, it waits for its turn."""

    def __init__(self, request: HttpRequest) -> None:
        """Start; raises TooMany if the network has used up this minute's CPU time, or TooManyLongRequests."""
        self.request = request
        self.waited = (
            not MEASURED_COSTS.is_measured(request)
            and is_limited(request)
            and LONG_ANSWERS.enter_unmeasured(lambda: MEASURED_COSTS.is_measured(request))
        )
        if not self.waited and MEASURED_COSTS.is_long(request) and is_limited(request):
            _refuse_without_time(request)
            LONG_ANSWERS.enter()
            self.waited = True
        self.begun = time.thread_time()

    def end(self) -> None:
        """End the turn, and count its CPU time."""
        seconds = time.thread_time() - self.begun
        MEASURED_COSTS.note(self.request, seconds)
        if self.waited:
            LONG_ANSWERS.leave()
        if seconds >= LONG_SECONDS and is_limited(self.request):
            count_work(self.request, seconds)

    def end_with(self, response: HttpResponseBase) -> HttpResponseBase:
        """End the turn when the response is complete: a streamed one when it is closed."""
        if response.streaming and not response.has_header("Content-Length"):
            response._resource_closers.append(self.end)  # type: ignore[attr-defined]  # as requests are watched
        else:
            self.end()
        return response


def _refuse_without_time(request: HttpRequest) -> None:
    wait = wait_for_work(request)
    if wait:
        text = ngettext(
            "Your network sent too many long requests. Wait {count} second, or sign in.",
            "Your network sent too many long requests. Wait {count} seconds, or sign in.",
            wait,
        )
        error = TooMany(text.format(count=format_number(wait)))
        error.retry_after = str(wait)
        raise error


def compute_in_turn(request: HttpRequest, compute: Callable[[], HttpResponse]) -> HttpResponse:
    """Return a response that is computed in its turn; raises TooMany or TooManyLongRequests."""
    turn = RequestTurn(request)
    try:
        return compute()
    finally:
        turn.end()
