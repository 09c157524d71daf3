"""Answers of many lines, sent while they are read."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer

NDJSON = "application/x-ndjson"
#: So many lines are sent at once: each piece costs as much as a hundred lines.
TOGETHER = 200


class NdjsonRenderer(JSONRenderer):
    """Lets clients ask for NDJSON; what it renders itself are problem documents."""

    media_type = NDJSON
    format = "ndjson"


class CsvRenderer(JSONRenderer):
    """Lets clients ask for CSV; what it renders itself are problem documents."""

    media_type = "text/csv"
    format = "csv"


def stream(lines: Iterable[str], content_type: str, headers: dict[str, str]) -> StreamingHttpResponse:
    """Return an answer of lines."""
    return StreamingHttpResponse(pieces(lines), content_type=content_type, headers=headers)


def pieces(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines in pieces of many; ends the lines' generator when it is closed itself."""
    iterator: Any = iter(lines)
    try:
        while piece := list(islice(iterator, TOGETHER)):
            yield "".join(f"{line}\n" for line in piece)
    finally:
        iterator.close()
