"""Routes read requests to replicas, with the primary as fallback.

Replicas answer requests that only read public data. The primary answers the rest: writes, sessions, API tokens,
accounts, the organiser's pages, and for RUNGS_REPLICA_LAG seconds every read of a browser that wrote. A request uses
one server: inside ``use_replica`` the thread's default connection is the replica's, for the ORM and plain statements.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from league.core.monitoring.telemetry import METERS

logger = logging.getLogger(__name__)

Answer = Callable[[HttpRequest], HttpResponseBase]
SAFE = ("GET", "HEAD")
#: Paths that do not use the database.
FILES = ("/static/", "/look/")
#: Paths that need the primary: its status, accounts, and single-use links.
PRIMARY = (*settings.RUNGS_PRIVATE_PATHS, "/status", "/api/v1/tokens/")
#: The cookie of a browser that wrote.
WROTE = "rungs_wrote"
#: Seconds for which a replica that failed is left out.
LEFT_OUT = 5.0


class ReplicaMiddleware:
    """Answers suitable requests from a replica; disabled without replicas."""

    def __init__(self, get_response: Answer) -> None:
        if not settings.RUNGS_REPLICAS:
            raise MiddlewareNotUsed
        self.get_response = get_response
        # Processes start with different replicas.
        first = os.getpid() % len(settings.RUNGS_REPLICAS)
        self.replicas = settings.RUNGS_REPLICAS[first:] + settings.RUNGS_REPLICAS[:first]
        self.out_until = dict.fromkeys(self.replicas, 0.0)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        if request.path_info.startswith(FILES):
            return self.get_response(request)
        if request.method not in SAFE:
            response = self.get_response(request)
            if request.method != "OPTIONS" and "HTTP_AUTHORIZATION" not in request.META:
                mark_writer(response)
            return response
        replica = self.connected() if may_read(request) else None
        replica_response = None if replica is None else self.from_replica(request, replica)
        if replica_response is None:
            METERS.count("rungs_reads_total", "database")
            replica_response = self.get_response(request)
        return replica_response

    def connected(self) -> str | None:
        """Return the first replica that answers; None if none does."""
        for alias in self.replicas:
            now = time.monotonic()
            if now < self.out_until[alias]:
                continue
            # While one request retries a failed replica, others do not wait for it.
            self.out_until[alias] = self.out_until[alias] and now + LEFT_OUT
            try:
                connections[alias].close_if_health_check_failed()
                connections[alias].ensure_connection()
            except Error as error:
                self.leave_out(alias, error)
            else:
                self.out_until[alias] = 0.0
                return alias
        return None

    def leave_out(self, alias: str, reason: object) -> None:
        """Do not use a replica for some seconds."""
        self.out_until[alias] = time.monotonic() + LEFT_OUT
        logger.warning("The replica %s is left out for %g seconds: %s", alias, LEFT_OUT, reason)

    def from_replica(self, request: HttpRequest, alias: str) -> HttpResponseBase | None:
        """Return the answer from a replica; None if the primary must answer instead.

        The primary may have data that the replica lacks, so it answers after any error. Streams are not buffered
        and could not be retried, so the primary answers them too.
        """
        attributes, meta = dict(request.__dict__), dict(request.META)
        with use_replica(alias):
            response = self.get_response(request)
            # Throttling must count the request once.
            if response.status_code == 429 or (response.status_code < 400 and not response.streaming):
                METERS.count("rungs_reads_total", "replica")
                return response
            response.close()  # Django treats this as the end of the request, and must not close the primary
        if response.status_code >= 500 and not connections[alias].is_usable():
            self.leave_out(alias, f"its connection broke while {request.path_info} was answered.")
        request.__dict__.clear()
        request.__dict__.update(attributes)
        request.META.clear()
        request.META.update(meta)
        METERS.count("rungs_reads_total", "again")
        return None


@contextmanager
def use_replica(alias: str) -> Iterator[None]:
    """Use a replica instead of the primary in this thread."""
    primary: Any = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections[alias]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


def may_read(request: HttpRequest) -> bool:
    """Return whether a replica may answer a read request."""
    session_cookies = {WROTE, settings.SESSION_COOKIE_NAME} & request.COOKIES.keys()
    return (
        not session_cookies and "HTTP_AUTHORIZATION" not in request.META and not request.path_info.startswith(PRIMARY)
    )


def mark_writer(response: HttpResponseBase) -> None:
    """Make a browser use the primary for some seconds, unless its request was refused and wrote nothing."""
    if not 400 <= response.status_code < 500 and hasattr(response, "set_cookie"):
        response.set_cookie(
            WROTE, "1", max_age=settings.RUNGS_REPLICA_LAG, secure=settings.SESSION_COOKIE_SECURE, httponly=True,
            samesite="Lax",
        )  # fmt: skip
