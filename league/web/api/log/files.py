"""Responses from a stored file, or a range of it (RFC 9110, 14), with a strong ETag."""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from league.core.transfer.selectors.stored_exports import GZIP_SUFFIX
from league.web.api.core.responses import GZIP_SUFFIX as PACKED_TAG
from league.web.api.core.responses import accepts_gzip, matches

PIECE = 256 * 1024
RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


class Pieces:
    """A range of an open file, which is closed with the response."""

    def __init__(self, file: BinaryIO, start: int, length: int) -> None:
        self.file, self.left = file, length
        file.seek(start)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the bytes in pieces."""
        while self.left > 0 and (piece := self.file.read(min(PIECE, self.left))):
            self.left -= len(piece)
            yield piece

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def answer_file(request: HttpRequest, path: Path, content_type: str, headers: dict[str, str]) -> HttpResponseBase:
    """Return a file, the requested range of it, or 304; raises FileNotFoundError if it was deleted."""
    stored = path.stat()
    tag = f'"{sha256(f"{path.name} {stored.st_mtime_ns} {stored.st_size}".encode()).hexdigest()[:32]}"'
    headers = {**headers, "ETag": tag, "Accept-Ranges": "bytes"}
    if matches(request, tag):
        return HttpResponse(status=304, headers=headers)
    requested_range = parse_range(request, tag)
    if requested_range is None and accepts_gzip(request):
        path = path.with_name(path.name + GZIP_SUFFIX)
        headers |= {"Content-Encoding": "gzip", "ETag": tag[:-1] + PACKED_TAG}
    file = path.open("rb")
    size = file.seek(0, 2)
    start, end, status = 0, size, 200
    if requested_range is not None:
        start, end = resolve_range(requested_range, size)
        if start >= end:
            file.close()
            return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{size}"})
        status = 206
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    headers["Content-Length"] = str(end - start)
    return StreamingHttpResponse(
        Pieces(file, start, end - start), status=status, content_type=content_type, headers=headers
    )


def parse_range(request: HttpRequest, tag: str) -> tuple[str, str] | None:
    """Return the first and last byte of the Range header as written; None for the complete file."""
    match = RANGE.fullmatch(request.META.get("HTTP_RANGE", "").strip())
    condition = request.META.get("HTTP_IF_RANGE", tag)
    if match is None or not any(match.groups()) or condition != tag or request.method != "GET":
        return None
    first, last = match[1], match[2]
    return None if first and last and int(last) < int(first) else (first, last)


def resolve_range(requested_range: tuple[str, str], size: int) -> tuple[int, int]:
    """Return the start and end of a range; an empty range if the file has no such part."""
    first, last = requested_range
    if not first:
        return max(size - int(last), 0), size
    return int(first), min(int(last) + 1, size) if last else size
