"""Measures and logs each request and its SQL statements; slow statements are logged without their values.

Recent response times are stored in memory for the status page. With several processes, it shows those of the process
that answers.
"""

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from league.core.monitoring.log_config import JSON, REQUESTS, STATEMENTS
from league.core.monitoring.log_redaction import redact_secrets
from league.core.monitoring.telemetry import DOING, METERS, TRACES, CurrentWork, begin_work, mark_failed

logger = logging.getLogger(REQUESTS)
statement_logger = logging.getLogger(STATEMENTS)
API, DESK, PAGES, FILES = "api", "desk", "pages", "files"
FACES = {"/api/": API, "/admin/": DESK, "/static/": FILES, "/look/": FILES}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
LEAGUE = re.compile(r"/leagues/([A-Za-z0-9_-]{1,64})/")
#: The headers that propagate a client's trace.
CARRIED = {"traceparent": "HTTP_TRACEPARENT", "tracestate": "HTTP_TRACESTATE"}
Answer = Callable[[HttpRequest], HttpResponseBase]
#: Maximum length of a logged path.
MAX_PATH_LENGTH = 500


#: Maximum number of times stored per kind, for how many seconds, and minimum number for a figure, as the time of a
#: single response would reveal what was done.
MAX_ANSWERS, LATELY, LEAST = 1_000, 900.0, 20
#: Paths whose response times depend on secrets.
SECRET = ("/admin/login/", *(path for path in settings.RUNGS_PRIVATE_PATHS if path != "/admin/"))
READ, WRITTEN = "api_reads", "api_writes"
KINDS = (PAGES, DESK, READ, WRITTEN)
READING = ("GET", "HEAD", "OPTIONS")
#: Maximum length of a logged statement.
MAX_STATEMENT_LENGTH = 2000
TEXTS = re.compile(r"'(?:[^']|'')*'")
LISTS = re.compile(r"%s(?:, ?%s){3,}")
ROWS = re.compile(r"(\((?:[^()]*)\))(?:, ?\1)+")
Execute = Callable[[Any, Any, bool, dict[str, Any]], Any]


class WatchMiddleware:
    """Measures and logs all requests except health checks."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.lines, self.statements = settings.RUNGS_LOG == JSON, is_statement_timing_enabled()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        started_at = perf_counter()
        doing = begin_work(request.META.get("HTTP_X_REQUEST_ID", ""))
        if self.statements:
            watch_statements()
        response: Any = answer_in_span(self.get_response, request, doing) if TRACES.on else self.get_response(request)
        took = perf_counter() - started_at
        response.headers["X-Request-ID"] = doing.request_id
        if kind := _classify_request(request):
            TIMES.add(kind, took)
        if METERS.on:
            face = next((face for start, face in FACES.items() if request.path.startswith(start)), PAGES)
            METERS.count("rungs_requests_total", face, _get_method(request), str(response.status_code))
            METERS.observe("rungs_request_seconds", took, face, _get_route(request) or "none")
            METERS.count("rungs_request_statements_total", face, by=doing.queries)
            METERS.count("rungs_request_database_seconds_total", face, by=doing.seconds)
        if self.lines:
            tell = partial(log_request, request, response, doing, started_at)
            # A streamed response ends with its last chunk.
            response._resource_closers.append(tell) if response.streaming else tell()
        answered: HttpResponseBase = response
        return answered


def answer_in_span(get_response: Answer, request: HttpRequest, doing: CurrentWork) -> HttpResponseBase:
    """Answer a request in a span, below the client's span if given."""
    carrier = {name: request.META[key] for name, key in CARRIED.items() if key in request.META}
    path, method = redact_secrets(request.path)[:MAX_PATH_LENGTH], _get_method(request)
    facts = {"http.request.method": method, "url.path": path, "rungs.request_id": doing.request_id}
    with TRACES.span(method, "SERVER", facts, carrier) as span:
        response = get_response(request)
        route = _get_route(request) or "none"
        span.update_name(f"{method} {route}")
        attributes = {"http.route": route, "http.response.status_code": response.status_code}
        span.set_attributes({**attributes, "rungs.league": _parse_league_slug(path) or doing.league})
        if response.status_code >= 500:
            mark_failed(span, str(response.status_code))
    return response


def log_request(request: HttpRequest, response: HttpResponseBase, doing: CurrentWork, started_at: float) -> None:
    """Log an answered request."""
    path = redact_secrets(request.path)[:MAX_PATH_LENGTH]
    facts = {
        "request_id": doing.request_id,
        "method": _get_method(request),
        "path": path,
        "route": _get_route(request),
        "status": response.status_code,
        **_describe_client(request),
        "league": _parse_league_slug(path) or doing.league,
        "ms": round(1000 * (perf_counter() - started_at), 2),
        "queries": doing.queries,
        "query_ms": round(1000 * doing.seconds, 2),
    }
    logger.info("%s %s %s", facts["method"], path, response.status_code, extra={"facts": facts})


def _describe_client(request: Any) -> dict[str, str]:
    """Return the authenticated client, if already looked up: the username, or the prefix of a token."""
    if prefix := getattr(getattr(request, "auth", None), "prefix", ""):
        return {"token": prefix}
    user = getattr(request, "_cached_user", None)
    return {"user": user.get_username()} if user is not None and user.is_authenticated else {}


def _get_method(request: HttpRequest) -> str:
    """Return the method, "OTHER" if unknown."""
    return request.method if request.method in METHODS else "OTHER"


def _get_route(request: HttpRequest) -> str:
    """Return the name of the matched URL pattern, never the path; "" if none matched."""
    match = request.resolver_match
    return "" if match is None else match.view_name


def _parse_league_slug(path: str) -> str:
    """Return the slug of the league in a path, "" if there is none."""
    match = LEAGUE.search(path)
    return match.group(1) if match else ""


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
        cutoff = self.clock() - LATELY
        with self.lock:
            took = {
                kind: sorted(took for time, took in timings if time >= cutoff) for kind, timings in self.answers.items()
            }
        return {
            kind: Pace(len(all_of), _compute_percentile(all_of, 0.5), _compute_percentile(all_of, 0.95))
            for kind, all_of in took.items()
            if len(all_of) >= LEAST
        }


def _compute_percentile(in_order: list[float], share: float) -> float:
    """Return a percentile in milliseconds (nearest rank)."""
    return round(1000.0 * in_order[ceil(share * len(in_order)) - 1], 1)


def _classify_request(request: HttpRequest) -> str:
    """Return the kind of a request; "" for files, status and health checks."""
    path = request.path
    if path.startswith(("/static/", "/status", "/look/", *SECRET)):
        return ""
    if path.startswith("/api/"):
        return READ if request.method in READING else WRITTEN
    return DESK if path.startswith("/admin/") else PAGES


TIMES = Times()


def remove_values(sql: str) -> str:
    """Return a statement without values, with long lists of placeholders shortened."""
    return ROWS.sub(r"\1, …", LISTS.sub("%s, …", TEXTS.sub("'…'", " ".join(sql.split()))))[:MAX_STATEMENT_LENGTH]


def measure(execute: Execute, sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Run a statement and record its duration."""
    started_at = perf_counter()
    try:
        if TRACES.on and DOING.get() is not None:
            shape = remove_values(str(sql))
            facts = {"db.system.name": context["connection"].vendor, "db.query.text": shape}
            with TRACES.span(shape.partition(" ")[0], "CLIENT", facts):
                return execute(sql, params, many, context)
        return execute(sql, params, many, context)
    finally:
        took = perf_counter() - started_at
        doing = DOING.get()
        if doing is not None:
            doing.queries += 1
            doing.seconds += took
        slow = settings.RUNGS_SLOW_QUERY_MS
        if slow and took * 1000 >= slow:
            log_slow(str(sql), took)


def log_slow(sql: str, seconds: float) -> None:
    """Log a slow statement."""
    shape, ms = remove_values(sql), round(1000 * seconds, 1)
    METERS.count("rungs_slow_statements_total")
    statement_logger.warning("A statement took %s ms: %s", ms, shape, extra={"facts": {"ms": ms, "statement": shape}})


def watch_statements() -> None:
    """Start measuring the statements of this thread's connections."""
    for connection in connections.all():
        if measure not in connection.execute_wrappers:
            connection.execute_wrappers.append(measure)


def is_statement_timing_enabled() -> bool:
    """Return whether any setting needs the durations of statements."""
    return bool(settings.RUNGS_SLOW_QUERY_MS or settings.RUNGS_LOG == JSON or settings.RUNGS_METRICS or TRACES.on)
