"""Streamed responses of many lines."""

from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from django.http import StreamingHttpResponse

#: Lines per piece: sending a piece costs as much as a hundred lines.
LINES_PER_PIECE = 200


def stream(lines: Iterable[str], content_type: str, headers: dict[str, str]) -> StreamingHttpResponse:
    """Return a response of lines; the first are read at once, so that early errors get an error response."""
    iterator = join_lines(lines)
    try:
        first = [next(iterator)]
    except StopIteration:
        first = []
    return StreamingHttpResponse(StartedStream(first, iterator), content_type=content_type, headers=headers)


class StartedStream:
    """Pieces of which the first has been read; ``close`` ends the reading even if iteration never began."""

    def __init__(self, first: list[str], rest: Generator[str, None, None]) -> None:
        self.pieces, self.rest = chain(first, rest), rest

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces."""
        return self.pieces

    def close(self) -> None:
        """End the reading after the client disconnected."""
        self.rest.close()


def join_lines(lines: Iterable[str]) -> Generator[str, None, None]:
    """Yield the lines in large pieces; closing it closes the lines' generator."""
    iterator: Any = iter(lines)
    try:
        while piece := list(islice(iterator, LINES_PER_PIECE)):
            yield "".join(f"{line}\n" for line in piece)
    finally:
        iterator.close()
