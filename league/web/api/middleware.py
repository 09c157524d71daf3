"""Middleware of the API: rate limits, CORS, cached boards, compression, health checks."""

import logging
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.cache import patch_vary_headers

from league.core.capabilities import load_mapping
from league.core.db.trouble import AWAY, build_read_only_error
from league.core.errors import DatabaseUnavailable, RungsError
from league.core.monitoring.requests import METHODS
from league.core.text.display_formats import format_count
from league.web.api.core.limits import LONG_ANSWERS, LimitState, count_bad_token, use_allowance
from league.web.api.core.responses import (
    GZIP_SUFFIX,
    MIN_COMPRESSED_BYTES,
    accepts_gzip,
    build_error_response,
    build_problem_response,
    compress,
    compress_stream,
    link_documents_to_request,
)
from league.web.api.leaderboard import cached_board
from league.web.api.log.waiting import has_waited
from league.web.response_headers import PRIVATE

Answer = Callable[[HttpRequest], HttpResponseBase]
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
#: CORS: headers that pages of other sites may send; Authorization is not among them.
PREFLIGHT = {
    "Access-Control-Allow-Methods": ", ".join(SAFE_METHODS),
    "Access-Control-Allow-Headers": "Accept, If-None-Match, If-Modified-Since",
    "Access-Control-Max-Age": "86400",
}
EXPOSED = "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Content-SHA256, X-Published-SHA256"
CONDITIONS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH")
COMPRESSED_TYPES = ("application/json", "application/problem+json", "application/x-ndjson", "text/csv")


class ApiMiddleware:
    """Applies to addresses below /api/ only."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Handle a request."""
        if not request.path_info.startswith("/api/"):
            return self.get_response(request)
        client_tags = normalize_tags(request)
        # A request that waited has been counted.
        state = None if has_waited(request) else use_allowance(request)
        with link_documents_to_request(request):
            response = self.answer(request, state)
        if state is not None:
            for name, value in state.headers.items():
                response.setdefault(name, value)
            if response.status_code == 401 and "HTTP_AUTHORIZATION" in request.META:
                count_bad_token(request, state)
        add_cors_headers(request, response)
        add_vary(response)
        if response.status_code == 304:
            restore_tag(response, client_tags)
        elif accepts_gzip(request):
            compress_response(response)
        return response

    def answer(self, request: HttpRequest, state: LimitState | None) -> HttpResponseBase:
        """Refuse a request, answer it from the cache, or pass it on."""
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            request.get_host()  # raises for an unknown host
            return build_problem_response(403, "Use https://. Plain HTTP would expose your token.")
        if state is not None and state.left < 0:
            refused = build_problem_response(
                429, f"More than {state.limit:,} requests in a minute; wait {format_count(state.reset, 'second')}."
            )
            refused["Cache-Control"] = PRIVATE
            return refused
        if request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META:
            return HttpResponse(status=204, headers={**PREFLIGHT, "Cache-Control": PRIVATE})
        stored = cached_board(request) if request.method in ("GET", "HEAD") else None
        return stored or self.get_response(request)


def add_cors_headers(request: HttpRequest, response: HttpResponseBase) -> None:
    """Let pages of other sites read public data; never with a token or session, and never write."""
    if request.method in SAFE_METHODS and "HTTP_AUTHORIZATION" not in request.META:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = EXPOSED


def normalize_tags(request: HttpRequest) -> str:
    """Replace gzip ETags in conditional headers by those of the plain bodies; returns the original If-None-Match."""
    original: str = request.META.get("HTTP_IF_NONE_MATCH", "")
    for condition in CONDITIONS:
        if GZIP_SUFFIX in request.META.get(condition, ""):
            request.META[condition] = request.META[condition].replace(GZIP_SUFFIX, '"')
    return original


def restore_tag(response: HttpResponseBase, client_tags: str) -> None:
    """Give a 304 the ETag of the gzipped body if the client sent that one."""
    etag = response.get("ETag", "")
    suffixed = etag[:-1] + GZIP_SUFFIX
    if etag and suffixed in client_tags:
        response["ETag"] = suffixed


def add_vary(response: HttpResponseBase) -> None:
    """Set Vary: public responses depend on the encoding only, all others on the client too."""
    if response.get("Cache-Control", "").startswith("public"):
        response["Vary"] = "Accept-Encoding"
    else:
        patch_vary_headers(response, ("Accept-Encoding", "Authorization", "Cookie"))


def compress_response(response: Any) -> None:
    """Compress a body of JSON, NDJSON or CSV; a stream part by part."""
    if response.get("Content-Type", "").split(";")[0] not in COMPRESSED_TYPES or response.has_header(
        "Content-Encoding"
    ):
        return
    if response.status_code == 206:
        return  # a range of the plain body
    if response.streaming:
        if response.is_async:
            return
        response.streaming_content = compress_stream(response.streaming_content)
        del response["Content-Length"]
    elif len(response.content) < MIN_COMPRESSED_BYTES:
        return
    else:
        board = getattr(response, "board", None)
        response.content = board.gzipped if board else compress(response.content)
        response["Content-Length"] = str(len(response.content))
    response["Content-Encoding"] = "gzip"
    etag = response.get("ETag", "")
    if etag.startswith('"'):
        response["ETag"] = etag[:-1] + GZIP_SUFFIX


logger = logging.getLogger(__name__)
#: Seconds within which the database must answer.
TIMEOUT = 1.5
View = Callable[[HttpRequest], HttpResponse | None]


class HealthMiddleware:
    """Answers /healthz, /readyz and the apps' own checks without sessions, host checks or accounts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.views: Mapping[str, View] = {
            "/healthz": healthz,
            "/readyz": readyz,
            **load_mapping(lambda app: app.monitoring.health_views),
        }

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a health check, or pass the request on."""
        view = self.views.get(request.path_info) if request.method in METHODS else None
        response = None if view is None else view(request)
        if response is None:
            return self.get_response(request)
        response["Content-Length"] = str(len(response.content))
        return response


class HealthCheck(threading.Thread):
    """Queries the database in a separate thread with its own connection."""

    def __init__(self) -> None:
        super().__init__(name="readyz", daemon=True)
        self.problem: RungsError | None = DatabaseUnavailable(AWAY)

    def run(self) -> None:
        """Ask whether the database answers, and takes writes."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SHOW transaction_read_only" if connection.vendor == "postgresql" else "SELECT 'off'")
                (read_only,) = cursor.fetchone()
            path = Path(str(connection.settings_dict["NAME"]))
            if connection.vendor == "sqlite" and path.exists():
                # To try a write would wait for the one under way. The folder takes the write-ahead log.
                read_only = "off" if all(os.access(one, os.W_OK) for one in (path, path.parent)) else "on"
            self.problem = build_read_only_error() if read_only == "on" else None
        except Error as error:
            logger.warning("The database does not answer: %s", error)
        finally:
            connection.close()


class RunningCheck:
    """The check that is running, if any: there is at most one thread, even if the database hangs."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.check: HealthCheck | None = None

    def find_problem(self) -> RungsError | None:
        """Return why the database cannot be used, None if it answered in time and takes writes."""
        with self.lock:
            check = self.check
            if check is None or not check.is_alive():
                check = self.check = HealthCheck()
                check.start()
        check.join(TIMEOUT)
        return check.problem


DATABASE_CHECK = RunningCheck()


def healthz(request: HttpRequest) -> JsonResponse:
    """Report that the process is alive, without any further check."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Report within two seconds whether the database takes writes, and whether long anonymous requests have to wait."""
    problem = DATABASE_CHECK.find_problem()
    if problem is not None:
        return build_error_response(problem)
    if LONG_ANSWERS.has_room():
        return JsonResponse({"status": "ready"})
    return JsonResponse({"status": "saturated", "running": LONG_ANSWERS.running, "waiting": LONG_ANSWERS.waiting})
