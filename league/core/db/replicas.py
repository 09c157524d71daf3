"""Reads from a replica: which requests a replica answers, and the primary if it cannot.

A replica answers requests that only read public data. The primary answers the rest: writes, sessions, API tokens,
accounts, the desk, and for RUNGS_REPLICA_LAG seconds every read of a browser that wrote. A whole request reads one
server: inside ``reading`` the thread's default connection is that of the replica, for the ORM and plain statements.
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

from league.core.monitoring.meters import METERS

logger = logging.getLogger(__name__)

Answer = Callable[[HttpRequest], HttpResponseBase]
SAFE = ("GET", "HEAD")
#: They read no database.
FILES = ("/static/", "/look/")
#: What concerns the primary itself, accounts, and links that are good once.
PRIMARY = ("/admin/", "/accounts/", "/invitations/", "/report/", "/status", "/api/v1/tokens/")
#: The cookie of a browser that wrote.
WROTE = "rungs_wrote"
#: Seconds for which a replica that failed is left out.
LEFT_OUT = 5.0


class ReplicaMiddleware:
    """Has a replica answer what it can; not installed without replicas."""

    def __init__(self, get_response: Answer) -> None:
        if not settings.RUNGS_REPLICAS:
            raise MiddlewareNotUsed
        self.get_response = get_response
        # Processes begin with different replicas.
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
                mark(response)
            return response
        replica = self.connected() if may_read(request) else None
        answer = None if replica is None else self.from_replica(request, replica)
        if answer is None:
            METERS.count("rungs_reads_total", "database")
            answer = self.get_response(request)
        return answer

    def connected(self) -> str | None:
        """Return the first replica that answers; None if none does."""
        for alias in self.replicas:
            now = time.monotonic()
            if now < self.out_until[alias]:
                continue
            # While one request tries a replica that failed, no other waits for it.
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

    def leave_out(self, alias: str, why: object) -> None:
        """Leave a replica out for some seconds."""
        self.out_until[alias] = time.monotonic() + LEFT_OUT
        logger.warning("The replica %s is left out for %g seconds: %s", alias, LEFT_OUT, why)

    def from_replica(self, request: HttpRequest, alias: str) -> HttpResponseBase | None:
        """Return the answer of a replica; None if the primary must be asked, as if no replica had been.

        What a replica does not have may be on the primary, so it is asked for each error. A stream is not read here
        to its end, and could not be taken back.
        """
        attributes, meta = dict(request.__dict__), dict(request.META)
        with reading(alias):
            response = self.get_response(request)
            # One who asks too much is counted once.
            if response.status_code == 429 or (response.status_code < 400 and not response.streaming):
                METERS.count("rungs_reads_total", "replica")
                return response
            response.close()  # Django takes that for the end of the request, and must not close the primary
        if response.status_code >= 500 and not connections[alias].is_usable():
            self.leave_out(alias, f"its connection broke while {request.path_info} was answered.")
        request.__dict__.clear()
        request.__dict__.update(attributes)
        request.META.clear()
        request.META.update(meta)
        METERS.count("rungs_reads_total", "again")
        return None


@contextmanager
def reading(alias: str) -> Iterator[None]:
    """Have this thread ask a replica instead of the primary."""
    primary: Any = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections[alias]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


def may_read(request: HttpRequest) -> bool:
    """Return whether a replica may answer a request that reads."""
    known = {WROTE, settings.SESSION_COOKIE_NAME} & request.COOKIES.keys()
    return not known and "HTTP_AUTHORIZATION" not in request.META and not request.path_info.startswith(PRIMARY)


def mark(response: HttpResponseBase) -> None:
    """Have a browser read the primary for some seconds, unless its request was refused and wrote nothing."""
    if not 400 <= response.status_code < 500 and hasattr(response, "set_cookie"):
        response.set_cookie(
            WROTE, "1", max_age=settings.RUNGS_REPLICA_LAG, secure=settings.SESSION_COOKIE_SECURE, httponly=True,
            samesite="Lax",
        )  # fmt: skip
