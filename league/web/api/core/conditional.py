"""HTTP caching and compression of responses: Cache-Control, ETag comparison, gzip.

A gzipped body has its own strong ETag: the plain body's with “-gzip” before the closing quote. If-None-Match and
If-Match accept both.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpRequest
from django.utils.http import parse_etags

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
    named = request.META.get("HTTP_IF_NONE_MATCH", "")
    return any(tag.removeprefix("W/") in (etag, "*") for tag in parse_etags(named.replace(GZIP_SUFFIX, '"')))


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


def compress_stream(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a stream compressed by gzip, flushed after each part."""
    packer = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, GZIP_WINDOW_BITS)
    for part in parts:
        yield packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()


def cache_control(view: Any, method: str, status: int) -> str:
    """Return the Cache-Control header: only responses that anonymous clients may read are cached."""
    if method not in ("GET", "HEAD") or status >= 400 or not view.is_public():
        return PRIVATE
    return PUBLIC
