"""``Idempotency-Key``: a repeated request is executed once and gets the same response."""

import hashlib
import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.http import HttpResponse
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from league.core.games.services.idempotency import StoredResponse, run_idempotently
from league.models import Token
from league.web.api.core.responses import ApiProblem

#: Response headers that are stored with the response.
STORED_HEADERS = ("ETag", "Location")
HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
KEY = re.compile(r'"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255})')
#: The header in the OpenAPI document, where every POST has it.
KEY_PARAMETER = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "pattern": f"^({KEY.pattern})$"},
    "description": "A string of your choice (1 to 255 ASCII characters): new for every request, the same when you "
    "repeat one. The request is executed once; for 24 hours a repetition gets the same response with "
    "Idempotency-Replayed: true, without any secret that is shown only once. A different request under the same key "
    "gets 422; if the first is still being processed, 409 with Retry-After. Dry runs, and requests without a token or "
    "session, store nothing.",
}
Post = TypeVar("Post", bound=Callable[..., Any])


def idempotent(secret: str = "") -> Callable[[Post], Post]:
    """Execute a POST at most once per Idempotency-Key; see ``run_once``."""

    def guard(post: Post) -> Post:
        @wraps(post)
        def inner(view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
            return run_once(request, lambda: post(view, request, *args, **kwargs), secret=secret)

        return cast("Post", inner)

    return guard


def run_once(
    request: Request, action: Callable[[], Any], *, content: str | None = None, secret: str = ""
) -> HttpResponse:
    """Return the response of ``action``, which runs at most once per key if the request has one.

    ``content`` identifies a body that is a stream. ``secret`` names a member of the response that is shown only once:
    it is not stored, and is empty in the response to a repeated request.
    """
    header = request.headers.get(HEADER)
    key = None if header is None else read_key(header)
    if key is None or request.GET.get("dry_run") == "true" or _get_key_owner(request) is None:
        response: HttpResponse = action()
        return response
    responses: list[Any] = []

    def run() -> StoredResponse:
        responses.append(action())
        stored = {**responses[-1].data, secret: ""} if secret else responses[-1].data
        headers = {name: responses[-1][name] for name in STORED_HEADERS if responses[-1].has_header(name)}
        return StoredResponse(responses[-1].status_code, JSONRenderer().render(stored).decode(), headers)

    outcome = run_idempotently(str(_get_key_owner(request)), key, _hash_request(request, content), run)
    headers = {**outcome.headers, **({REPLAYED: "true"} if outcome.replayed else {})}
    body = outcome.body if outcome.replayed else JSONRenderer().render(responses[-1].data)
    return HttpResponse(body, status=outcome.status, headers=headers, content_type="application/json")


def read_key(text: str) -> str:
    """Return the key, with or without quotes; raises 400."""
    match = KEY.fullmatch(text)
    if match is None:
        raise ApiProblem(400, f"{HEADER} must be 1 to 255 printable ASCII characters, without quotes or backslashes.")
    return match[1] or match[2]


def _get_key_owner(request: Request) -> str | None:
    """Return the owner of a request's keys, a token or a user; None for an anonymous request, which cannot write."""
    token = request.auth
    if isinstance(token, Token):
        return f"token:{token.pk}"
    return f"user:{request.user.pk}" if request.user.is_authenticated else None


def _hash_request(request: Request, content: str | None) -> str:
    """Return the SHA-256 of the method, address, body (as JSON, or ``content``) and If-Match."""
    try:
        body = request.data if content is None else content
    except UnsupportedMediaType:
        body = None  # operations without a body ignore it; the others refuse it
    identity = [request.method, request.get_full_path(), body, request.headers.get("If-Match", "")]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
