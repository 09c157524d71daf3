"""``Idempotency-Key``: a request that is sent again is done once and answered alike."""

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
from league.web.api.core.problems import ApiProblem

#: The headers of an answer that are kept with it.
STORED_HEADERS = ("ETag", "Location")
HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
KEY = re.compile(r'"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255})')
#: The header in the OpenAPI document, where every POST has it.
PARAMETER = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "pattern": f"^({KEY.pattern})$"},
    "description": "A text of your choice, new for every request, the same when you send it again (1 to 255 characters "
    "of ASCII): it is done once, and within 24 hours the answer is the same one, with Idempotency-Replayed: true; a "
    "secret that is shown once is empty then. Another request under the same key is refused (422); where the first is "
    "still being worked on, 409 with Retry-After. Dry runs, and requests without a token or a session, store nothing.",
}
Post = TypeVar("Post", bound=Callable[..., Any])


def keyed(secret: str = "") -> Callable[[Post], Post]:
    """Let a POST be done at most once for a key that its sender chooses; see ``once``."""

    def guard(post: Post) -> Post:
        @wraps(post)
        def inner(view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
            return once(request, lambda: post(view, request, *args, **kwargs), secret=secret)

        return cast("Post", inner)

    return guard


def once(request: Request, work: Callable[[], Any], *, content: str | None = None, secret: str = "") -> HttpResponse:
    """Return the answer of the work, which is done at most once where the request has a key.

    ``content`` stands for the body where that is a stream. ``secret`` names the member of the answer that is shown
    once: it is not stored, and it is empty in the answer to a request that is sent again.
    """
    given = request.headers.get(HEADER)
    key = None if given is None else read_key(given)
    if key is None or request.GET.get("dry_run") == "true" or owner_of(request) is None:
        answer: HttpResponse = work()
        return answer
    answers: list[Any] = []

    def kept() -> StoredResponse:
        answers.append(work())
        stored = {**answers[-1].data, secret: ""} if secret else answers[-1].data
        headers = {name: answers[-1][name] for name in STORED_HEADERS if answers[-1].has_header(name)}
        return StoredResponse(answers[-1].status_code, JSONRenderer().render(stored).decode(), headers)

    done = run_idempotently(str(owner_of(request)), key, digest_of(request, content), kept)
    headers = {**done.headers, **({REPLAYED: "true"} if done.replayed else {})}
    body = done.body if done.replayed else JSONRenderer().render(answers[-1].data)
    return HttpResponse(body, status=done.status, headers=headers, content_type="application/json")


def read_key(text: str) -> str:
    """Return the key, with or without quotes; raises 400."""
    found = KEY.fullmatch(text)
    if found is None:
        raise ApiProblem(
            400, f"{HEADER} must be 1 to 255 printable characters of ASCII, without quotes or backslashes."
        )
    return found[1] or found[2]


def owner_of(request: Request) -> str | None:
    """Return whose keys they are: each token and each user has its own; None of a stranger, who may write nothing."""
    token = request.auth
    if isinstance(token, Token):
        return f"token:{token.pk}"
    return f"user:{request.user.pk}" if request.user.is_authenticated else None


def digest_of(request: Request, content: str | None) -> str:
    """Return what tells requests apart: method, address, body as JSON or what stands for it, If-Match."""
    try:
        body = request.data if content is None else content
    except UnsupportedMediaType:
        body = None  # an operation that reads no body takes any; the others refuse it
    asked = [request.method, request.get_full_path(), body, request.headers.get("If-Match", "")]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
