"""What HTTP says about an answer: who may keep it and how long, whether the asker has it already, its packed form.

A packed body is another representation: its strong tag is the plain one's with “-gzip” before the
last quote. Both name the same state of the thing, in If-None-Match and in If-Match.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpRequest
from django.utils.http import parse_etags

from league.web.response_headers import PRIVATE

#: Anybody may keep it, and asks whether it still stands.
PUBLIC = "public, no-cache"
PACKED = '-gzip"'
#: Smaller bodies are sent as they are.
SMALLEST = 1000
LEVEL = 5
GZIP = 31
NO_GZIP = re.compile(r"gzip\s*;\s*q=0(\.0*)?\s*(,|$)")


def matches(request: HttpRequest, etag: str) -> bool:
    """Return whether the asker has this answer already, packed or not."""
    named = request.META.get("HTTP_IF_NONE_MATCH", "")
    return any(tag.removeprefix("W/") in (etag, "*") for tag in parse_etags(named.replace(PACKED, '"')))


def takes_table(request: HttpRequest) -> bool:
    """Return whether the client accepts CSV by name; whether it prefers it, the view decides."""
    accepted = request.META.get("HTTP_ACCEPT", "")
    return "text/csv" in accepted or "text/*" in accepted


def takes_gzip(request: HttpRequest) -> bool:
    """Return whether the asker unpacks gzip."""
    accepted = request.META.get("HTTP_ACCEPT_ENCODING", "")
    return "gzip" in accepted and NO_GZIP.search(accepted) is None


def packed(body: bytes) -> bytes:
    """Return a body in gzip, the same bytes each time."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    return packer.compress(body) + packer.flush()


def packed_stream(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a stream in gzip: what has been handed in is handed out at once, nothing waits in the packer."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    for part in parts:
        yield packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()


def cache_control(view: Any, method: str, status: int) -> str:
    """Return who may keep the answer of an endpoint: anyone what a stranger may read, no one anything else."""
    if method not in ("GET", "HEAD") or status >= 400 or not view.is_public():
        return PRIVATE
    return PUBLIC
