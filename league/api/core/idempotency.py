"""``Idempotency-Key``: a request that is sent again is done once and answered alike."""

import hashlib
import json
import re
from collections.abc import Callable

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import is_dry_run
from league.api.core.problems import Failed
from league.models import Token
from league.services.recording.idempotency import Kept, run_idempotently

#: The headers of an answer that are kept with it.
TOLD = ("ETag", "Location")
HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
KEY = re.compile(r'"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255})')
PARAMETER = OpenApiParameter(
    HEADER,
    {"type": "string", "pattern": f"^({KEY.pattern})$"},
    OpenApiParameter.HEADER,
    description="A text of your choice, new for every request, the same when you send it again (1 to 255 characters of "
    "ASCII): it is done once, and within 24 hours the answer is the same one, with Idempotency-Replayed: true. Another "
    "request under the same key is refused (422); where the first is still being worked on, 409 with Retry-After.",
)


def once(request: Request, work: Callable[[], Response]) -> HttpResponse:
    """Return the answer of the work, which is done at most once where the request has a key."""
    given = request.headers.get(HEADER)
    if given is None:
        return work()

    def kept() -> Kept:
        response = work()
        headers = {name: response[name] for name in TOLD if response.has_header(name)}
        return Kept(response.status_code, JSONRenderer().render(response.data).decode(), headers)

    done = run_idempotently(owner_of(request), read_key(given), digest_of(request), kept)
    headers = {**done.headers, **({REPLAYED: "true"} if done.replayed else {})}
    return HttpResponse(done.body, status=done.status, headers=headers, content_type="application/json")


def is_plain_dry_run(request: Request) -> bool:
    """Tell whether only a diff is wanted; raises 400 for a key that is none, as without the dry run."""
    if HEADER in request.headers:
        read_key(request.headers[HEADER])
    return is_dry_run(request)


def read_key(text: str) -> str:
    """Return the key, with or without quotes; raises 400."""
    found = KEY.fullmatch(text.strip())
    if found is None:
        raise Failed(400, f"{HEADER} must be 1 to 255 printable characters of ASCII, without quotes or backslashes.")
    return found[1] or found[2]


def owner_of(request: Request) -> str:
    """Return whose keys they are: each token and each user has its own."""
    token = request.auth
    return f"token:{token.pk}" if isinstance(token, Token) else f"user:{request.user.pk}"


def digest_of(request: Request) -> str:
    """Return what tells requests apart: method, address, body as JSON, If-Match."""
    asked = [request.method, request.get_full_path(), request.data, request.headers.get("If-Match", "")]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def refuse_key(request: Request, instead: str) -> None:
    """Raise 400 where a key is sent to what takes none; ``instead`` says what keeps it from being done twice."""
    if HEADER in request.headers:
        raise Failed(400, f"This takes no {HEADER}: {instead}")
