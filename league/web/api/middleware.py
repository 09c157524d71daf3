"""What stands around every answer of the API: limits, other sites' pages, kept boards, packing."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

from league.core.text.numbers import counted
from league.web.api.core.conditional import PACKED, SMALLEST, packed, packed_stream, takes_gzip
from league.web.api.core.limits import LimitState, count_bad_token, use_allowance
from league.web.api.core.problems import asked_by, plain
from league.web.api.leaderboard import kept_answer
from league.web.response_headers import PRIVATE

Answer = Callable[[HttpRequest], HttpResponseBase]
READING = ("GET", "HEAD", "OPTIONS")
#: What pages of other sites may send; a token is none of it.
PREFLIGHT = {
    "Access-Control-Allow-Methods": ", ".join(READING),
    "Access-Control-Allow-Headers": "Accept, If-None-Match, If-Modified-Since",
    "Access-Control-Max-Age": "86400",
}
EXPOSED = "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Content-SHA256, X-Published-SHA256"
CONDITIONS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH")
KINDS = ("application/json", "application/problem+json", "application/x-ndjson", "text/csv")


class ApiMiddleware:
    """Wraps the addresses below /api/; all others pass untouched."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        if not request.path_info.startswith("/api/"):
            return self.get_response(request)
        had = tags_had(request)
        taken = use_allowance(request)
        with asked_by(request):
            response = self.answer(request, taken)
        if taken is not None:
            for name, value in taken.headers.items():
                response.setdefault(name, value)
            if response.status_code == 401 and "HTTP_AUTHORIZATION" in request.META:
                count_bad_token(request, taken)
        open_to_all(request, response)
        tell_variants(response)
        if response.status_code == 304:
            restore_tag(response, had)
        elif takes_gzip(request):
            pack(response)
        return response

    def answer(self, request: HttpRequest, taken: LimitState | None) -> HttpResponseBase:
        """Refuse, answer or hand on a request."""
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            request.get_host()  # a host that is not served is told nothing
            return plain(403, "Ask by https://: what comes plainly, a token with it, is for all to read.")
        if taken is not None and taken.left < 0:
            refused = plain(
                429, f"More than {taken.limit:,} requests in a minute; wait {counted(taken.reset, 'second')}."
            )
            refused["Cache-Control"] = PRIVATE
            return refused
        if request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META:
            return HttpResponse(status=204, headers={**PREFLIGHT, "Cache-Control": PRIVATE})
        return kept_answer(request) or self.get_response(request)


def open_to_all(request: HttpRequest, response: HttpResponseBase) -> None:
    """Let pages of other sites read what strangers may read; never with a token, a session, or to write."""
    if request.method in READING and "HTTP_AUTHORIZATION" not in request.META:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = EXPOSED


def tags_had(request: HttpRequest) -> str:
    """Return the tags that the asker named, and let all further work see those of plain bodies only."""
    named: str = request.META.get("HTTP_IF_NONE_MATCH", "")
    for condition in CONDITIONS:
        if PACKED in request.META.get(condition, ""):
            request.META[condition] = request.META[condition].replace(PACKED, '"')
    return named


def restore_tag(response: HttpResponseBase, had: str) -> None:
    """Let a 304 bear the tag of the packed body where the asker has that one."""
    etag = response.get("ETag", "")
    suffixed = etag[:-1] + PACKED
    if etag and suffixed in had:
        response["ETag"] = suffixed


def tell_variants(response: HttpResponseBase) -> None:
    """Say on what an answer depends: a public one on its packing only, any other on who asks, too."""
    if response.get("Cache-Control", "").startswith("public"):
        response["Vary"] = "Accept-Encoding"
    else:
        patch_vary_headers(response, ("Accept-Encoding", "Authorization", "Cookie"))


def pack(response: Any) -> None:
    """Pack a body of JSON, lines of JSON or CSV; a stream is packed part by part."""
    if response.get("Content-Type", "").split(";")[0] not in KINDS or response.has_header("Content-Encoding"):
        return
    if response.status_code == 206:
        return  # a part of the plain body
    if response.streaming:
        if response.is_async:
            return
        response.streaming_content = packed_stream(response.streaming_content)
        del response["Content-Length"]
    elif len(response.content) < SMALLEST:
        return
    else:
        board = getattr(response, "board", None)
        response.content = board.packed if board else packed(response.content)
        response["Content-Length"] = str(len(response.content))
    response["Content-Encoding"] = "gzip"
    etag = response.get("ETag", "")
    if etag.startswith('"'):
        response["ETag"] = etag[:-1] + PACKED
