"""Measures and logs each request: id, duration and database queries."""

import logging
import re
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from league.core.monitoring import latency, statements
from league.core.monitoring.current_work import CurrentWork, begin
from league.core.monitoring.exporters import TRACES, mark_failed
from league.core.monitoring.log_config import JSON, REQUESTS
from league.core.monitoring.log_redaction import without_secrets
from league.core.monitoring.meters import METERS

logger = logging.getLogger(REQUESTS)
API, DESK, PAGES, FILES = "api", "desk", "pages", "files"
FACES = {"/api/": API, "/admin/": DESK, "/static/": FILES, "/look/": FILES}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
LEAGUE = re.compile(r"/leagues/([A-Za-z0-9_-]{1,64})/")
#: The headers that propagate a client's trace.
CARRIED = {"traceparent": "HTTP_TRACEPARENT", "tracestate": "HTTP_TRACESTATE"}
Answer = Callable[[HttpRequest], HttpResponseBase]
#: Maximum length of a logged path.
MAX_PATH_LENGTH = 500


class WatchMiddleware:
    """Measures and logs all requests except health checks."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.lines, self.statements = settings.RUNGS_LOG == JSON, statements.wanted()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        begun = perf_counter()
        doing = begin(request.META.get("HTTP_X_REQUEST_ID", ""))
        if self.statements:
            statements.watch_statements()
        response: Any = answer_in_span(self.get_response, request, doing) if TRACES.on else self.get_response(request)
        took = perf_counter() - begun
        response.headers["X-Request-ID"] = doing.request_id
        if kind := latency.kind_of(request):
            latency.TIMES.add(kind, took)
        if METERS.on:
            face = next((face for start, face in FACES.items() if request.path.startswith(start)), PAGES)
            METERS.count("rungs_requests_total", face, method_of(request), str(response.status_code))
            METERS.observe("rungs_request_seconds", took, face, route_of(request) or "none")
            METERS.count("rungs_request_statements_total", face, by=doing.queries)
            METERS.count("rungs_request_database_seconds_total", face, by=doing.seconds)
        if self.lines:
            tell = partial(log_request, request, response, doing, begun)
            # A streamed response ends with its last chunk.
            response._resource_closers.append(tell) if response.streaming else tell()
        answered: HttpResponseBase = response
        return answered


def answer_in_span(get_response: Answer, request: HttpRequest, doing: CurrentWork) -> HttpResponseBase:
    """Answer a request in a span, below the client's span if given."""
    carrier = {name: request.META[key] for name, key in CARRIED.items() if key in request.META}
    path, method = without_secrets(request.path)[:MAX_PATH_LENGTH], method_of(request)
    facts = {"http.request.method": method, "url.path": path, "rungs.request_id": doing.request_id}
    with TRACES.span(method, "SERVER", facts, carrier) as span:
        response = get_response(request)
        route = route_of(request) or "none"
        span.update_name(f"{method} {route}")
        told = {"http.route": route, "http.response.status_code": response.status_code}
        span.set_attributes({**told, "rungs.league": league_of(path) or doing.league})
        if response.status_code >= 500:
            mark_failed(span, str(response.status_code))
    return response


def log_request(request: HttpRequest, response: HttpResponseBase, doing: CurrentWork, begun: float) -> None:
    """Log an answered request."""
    path = without_secrets(request.path)[:MAX_PATH_LENGTH]
    facts = {
        "request_id": doing.request_id,
        "method": method_of(request),
        "path": path,
        "route": route_of(request),
        "status": response.status_code,
        **client_of(request),
        "league": league_of(path) or doing.league,
        "ms": round(1000 * (perf_counter() - begun), 2),
        "queries": doing.queries,
        "query_ms": round(1000 * doing.seconds, 2),
    }
    logger.info("%s %s %s", facts["method"], path, response.status_code, extra={"facts": facts})


def client_of(request: Any) -> dict[str, str]:
    """Return the authenticated client, if already looked up: the username, or the prefix of a token."""
    if prefix := getattr(getattr(request, "auth", None), "prefix", ""):
        return {"token": prefix}
    user = getattr(request, "_cached_user", None)
    return {"user": user.get_username()} if user is not None and user.is_authenticated else {}


def method_of(request: HttpRequest) -> str:
    """Return the method, "OTHER" if unknown."""
    return request.method if request.method in METHODS else "OTHER"


def route_of(request: HttpRequest) -> str:
    """Return the name of the matched URL pattern, never the path; "" if none matched."""
    match = request.resolver_match
    return "" if match is None else match.view_name


def league_of(path: str) -> str:
    """Return the slug of the league in a path, "" if there is none."""
    found = LEAGUE.search(path)
    return found.group(1) if found else ""
