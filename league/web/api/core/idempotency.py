"""``Idempotency-Key``: a repeated request is executed once and gets the same response."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any, TypeVar, cast

from django.http import HttpResponse
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from league.core.games.services.idempotency import UNWRITTEN, StoredResponse, run_idempotently, store_answer
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


def idempotent(secret: str = "", *, reads: bool = False) -> Callable[[Post], Post]:
    """Execute a POST at most once per Idempotency-Key; see ``run_once``.

    ``reads``: it writes nothing, so that its response is made before the transaction that stores it.
    """

    def guard(post: Post) -> Post:
        @wraps(post)
        def inner(view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
            action = partial(post, view, request, *args, **kwargs)
            return run_once(request, _do_now(action) if reads else action, secret=secret)

        return cast("Post", inner)

    return guard


def _do_now(action: Callable[[], Any]) -> Callable[[], Any]:
    """Run an action, and return what gives its result or raises its error: a key that was used is refused before."""
    try:
        done = action()
    except Exception as error:  # noqa: BLE001 -- raised where its result is asked for
        return partial(_raise, error)
    return lambda: done


def _raise(error: Exception) -> None:
    raise error


def run_once(
    request: Request,
    action: Callable[[], Any],
    *,
    render: Callable[[Any], HttpResponse] | None = None,
    content: str | None = None,
    secret: str = "",
) -> HttpResponse:
    """Return the response of ``action``, which runs at most once per key if the request has one.

    With ``render``, ``action`` returns JSON that says what was done, and ``render`` makes the response of it, after the
    transaction: others do not wait for it. ``content`` identifies a body that is a stream. ``secret`` names a member of
    the response that is shown only once: it is not stored, and is empty in the response to a repeated request.
    """
    header = request.headers.get(HEADER)
    key, owner = None if header is None else read_key(header), _get_key_owner(request)
    if key is None or owner is None or request.GET.get("dry_run") == "true":
        response: HttpResponse = render(action()) if render else action()
        return response
    responses: list[Any] = []

    def run() -> StoredResponse:
        done = action()
        if render:
            return StoredResponse(UNWRITTEN, json.dumps(done), {})
        responses.append(done)
        return _build_stored(done, secret)

    outcome = run_idempotently(owner, key, _hash_request(request, content), run)
    if outcome.status == UNWRITTEN and render:
        answer = _build_stored(render(json.loads(outcome.body)), secret)
        outcome = store_answer(owner, key, replace(answer, replayed=outcome.replayed))
    headers = {**outcome.headers, **({REPLAYED: "true"} if outcome.replayed else {})}
    body = JSONRenderer().render(responses[-1].data) if secret and not outcome.replayed else outcome.body
    return HttpResponse(body, status=outcome.status, headers=headers, content_type="application/json")


def _build_stored(response: Any, secret: str) -> StoredResponse:
    """Return what is stored of a response."""
    data = {**response.data, secret: ""} if secret else response.data
    headers = {name: response[name] for name in STORED_HEADERS if response.has_header(name)}
    return StoredResponse(response.status_code, JSONRenderer().render(data).decode(), headers)


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
