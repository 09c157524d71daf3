"""Responses of the API: caching, conditional requests, packed bodies, and problem documents (RFC 9457).

A gzip body is another representation: its strong tag is the tag of the unpacked body with “-gzip” before the last
quote. Both name the same state, in If-None-Match and in If-Match. Every error of the API is a problem document.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.core.exceptions import DisallowedHost, PermissionDenied, RequestDataTooBig
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect, JsonResponse
from django.urls import Resolver404, resolve
from django.utils.http import parse_etags
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.trouble import classify_database_error, release_connections
from league.core.errors import MAX_PROBLEMS, Invalid, Problem, RungsError, build_pointer, serialize_problem
from league.web.response_headers import PRIVATE

#: Any cache may store it and must revalidate it.
PUBLIC = "public, no-cache"
GZIP_SUFFIX = '-gzip"'
#: Smaller bodies are not compressed.
MIN_COMPRESSED_BYTES = 1000
COMPRESSION_LEVEL = 5
GZIP_WINDOW_BITS = 31
NO_GZIP = re.compile(r"gzip\s*;\s*q=0(\.0*)?\s*(,|$)")


def matches(request: HttpRequest, etag: str) -> bool:
    """Return whether the client already has this response, gzipped or not."""
    header = request.META.get("HTTP_IF_NONE_MATCH", "")
    return any(tag.removeprefix("W/") in (etag, "*") for tag in parse_etags(header.replace(GZIP_SUFFIX, '"')))


def compute_etag(body: dict[str, Any]) -> str:
    """Return the strong ETag of a JSON body, independent of the request's host."""
    content = {name: value for name, value in body.items() if name != "url"}
    text = json.dumps(content, cls=DjangoJSONEncoder, sort_keys=True)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def has_precondition(request: Request | HttpRequest) -> bool:
    """Return whether a change depends on the state that If-Match names."""
    return request.headers.get("If-Match", "").strip() not in ("", "*")


def meets_precondition(request: Request | HttpRequest, body: dict[str, Any]) -> bool:
    """Return whether If-Match names the state that a body shows."""
    # A proxy that compresses the response may weaken its ETag.
    etags = [tag.strip().removeprefix("W/") for tag in request.headers.get("If-Match", "").split(",")]
    return compute_etag(body) in etags


def accepts_csv(request: HttpRequest) -> bool:
    """Return whether the Accept header names CSV; the view decides whether it is preferred."""
    accepted = request.META.get("HTTP_ACCEPT", "")
    return "text/csv" in accepted or "text/*" in accepted


def accepts_gzip(request: HttpRequest) -> bool:
    """Return whether the client accepts gzip."""
    accepted = request.META.get("HTTP_ACCEPT_ENCODING", "")
    return "gzip" in accepted and NO_GZIP.search(accepted) is None


def compress(body: bytes) -> bytes:
    """Return a body compressed by gzip, without a timestamp."""
    packer = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, GZIP_WINDOW_BITS)
    return packer.compress(body) + packer.flush()


def compress_stream(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a stream compressed by gzip, flushed after each part."""
    packer = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, GZIP_WINDOW_BITS)
    for chunk in chunks:
        yield packer.compress(chunk) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()


def cache_control(view: Any, method: str, status: int) -> str:
    """Return the Cache-Control header: only responses that anonymous clients may read are cached."""
    if method not in ("GET", "HEAD") or status >= 400 or not view.is_public():
        return PRIVATE
    return PUBLIC


CONTENT_TYPE = "application/problem+json"
#: Path of the pages that explain the codes; URLs cannot be reversed at import time.
PAGES = "/docs/problems/"
TITLES = {
    400: ("invalid", "The request is not valid."),
    401: ("unauthenticated", "The request needs a token."),
    403: ("forbidden", "This is not allowed."),
    404: ("not_found", "This does not exist."),
    405: ("method_not_allowed", "This address does not support the method."),
    406: ("not_acceptable", "The response is only available as JSON."),
    409: ("conflict", "This conflicts with existing data."),
    412: ("changed", "The resource has changed meanwhile."),
    413: ("too_large", "The request is too large."),
    415: ("unsupported_media_type", "This media type is not supported here."),
    429: ("too_many", "Too many requests."),
    500: ("error", "The server failed."),
    503: ("unavailable", "The database does not respond."),
}


NO_MEMBERS: Mapping[str, Any] = {}
CURRENT_REQUEST: ContextVar[HttpRequest | None] = ContextVar("asked", default=None)


class ApiProblem(exceptions.APIException):
    """A problem that the API itself detects, with status, message and pointers."""

    def __init__(self, status: int, detail: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(detail)
        self.status_code, self.problems = status, problems


def build_problem_document(
    status: int,
    detail: str,
    problems: Sequence[Problem] = (),
    *,
    code: str = "",
    title: str = "",
    members: Mapping[str, Any] = NO_MEMBERS,
) -> dict[str, Any]:
    """Return a problem document; ``members`` are additional members."""
    known_code, known_title = TITLES.get(status, ("error", "The request failed."))
    code = code or known_code
    return {
        "type": build_error_page_url(code),
        "title": title or known_title,
        "status": status,
        "code": code,
        "detail": detail,
        "errors": [serialize_problem(problem) for problem in problems[:MAX_PROBLEMS]],
        **members,
    }


@contextmanager
def link_documents_to_request(request: HttpRequest) -> Iterator[None]:
    """Link the problem documents of a request to the host that it was sent to."""
    token = CURRENT_REQUEST.set(request)
    try:
        yield
    finally:
        CURRENT_REQUEST.reset(token)


def build_error_page_url(code: str) -> str:
    """Return the URL of the page that explains a code; only its path without a request or with an invalid host."""
    path, request = f"{PAGES}{code}/", CURRENT_REQUEST.get()
    try:
        return path if request is None else request.build_absolute_uri(path)
    except DisallowedHost:
        return path


def remove_host(problem: dict[str, Any]) -> dict[str, Any]:
    """Return a document with a path for its type, so that examples do not depend on a request's host."""
    return {**problem, "type": f"{PAGES}{problem['code']}/"}


def respond(status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    """Return a response that is a problem document."""
    return Response(body, status=status, headers=headers, content_type=CONTENT_TYPE)


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn an exception into a problem document; None for a server error."""
    if trouble := classify_database_error(error):
        release_connections(trouble)
        error = trouble
    if isinstance(error, RungsError):
        headers = {"Retry-After": error.retry_after} if error.retry_after else None
        return respond(error.status, build_error_document(error), headers)
    if isinstance(error, RequestDataTooBig):
        error = ApiProblem(413, "The request is larger than 2.5 MB; send less at once.")
    if isinstance(error, Http404):
        error = ApiProblem(404, "There is nothing at this address.")
    if isinstance(error, PermissionDenied):
        error = ApiProblem(403, "This is not allowed.")
    if not isinstance(error, exceptions.APIException):
        return None
    return respond(error.status_code, convert_exception(error), _list_error_headers(error))


def build_error_document(error: RungsError) -> dict[str, Any]:
    """Return the document of an error of the services."""
    return build_problem_document(
        error.status, error.detail, error.problems, code=error.code, title=error.title, members=error.members
    )


def convert_exception(error: exceptions.APIException) -> dict[str, Any]:
    """Return the document of a framework exception or an ApiProblem."""
    if isinstance(error, ApiProblem):
        return build_problem_document(error.status_code, str(error.detail), error.problems)
    if isinstance(error, exceptions.ValidationError):
        problems = list(_iter_problems(error.detail, ()))
        return build_problem_document(400, Invalid.of(problems).detail, problems)
    return build_problem_document(error.status_code, str(error.detail))


def _list_error_headers(error: exceptions.APIException) -> dict[str, str]:
    """Return the headers of an exception."""
    headers = {}
    if header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    return headers


def _iter_problems(detail: Any, names: tuple[str, ...]) -> Iterator[Problem]:
    """Yield a problem for every message in a serializer's nested details; ``names`` is the path to them."""
    if isinstance(detail, dict):
        for name, child in detail.items():
            yield from _iter_problems(child, names if name == "non_field_errors" else (*names, str(name)))
    elif isinstance(detail, list):
        for index, child in enumerate(detail):
            nested = isinstance(child, dict | list)
            yield from _iter_problems(child, (*names, str(index)) if nested else names)
    else:
        location = " ".join(names) or "request"
        yield Problem(build_pointer(*names), str(getattr(detail, "code", "invalid")), f"{location}: {detail}")


def build_problem_response(status: int, detail: str) -> JsonResponse:
    """Return a problem document outside the framework."""
    return JsonResponse(build_problem_document(status, detail), status=status, content_type=CONTENT_TYPE)


def build_error_response(error: RungsError) -> JsonResponse:
    """Return a response for an error of the services outside the framework."""
    response = JsonResponse(build_error_document(error), status=error.status, content_type=CONTENT_TYPE)
    if error.retry_after:
        response["Retry-After"] = error.retry_after
    return response


@csrf_exempt
def unknown_address(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Answer an unknown address of the API; redirects a GET that only lacks the last slash."""
    if not rest.endswith("/") and _is_api_address(request.path_info + "/"):
        if request.method in ("GET", "HEAD"):
            return HttpResponsePermanentRedirect(request.get_full_path(force_append_slash=True), preserve_request=True)
        return build_problem_response(
            404, f"Addresses end with a slash: send it to {request.path}/ instead. Nothing was written."
        )
    return build_problem_response(404, "There is nothing at this address; /api/v1/schema/ lists the addresses.")


def _is_api_address(path: str) -> bool:
    """Return whether an address exists in the API."""
    try:
        return resolve(path).func is not unknown_address
    except Resolver404:
        return False
