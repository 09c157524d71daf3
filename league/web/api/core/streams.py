"""Answers of many lines, sent while they are read."""

from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from django.http import StreamingHttpResponse

#: Lines sent at once: a piece costs as much as a hundred lines.
LINES_PER_PIECE = 200


def stream(lines: Iterable[str], content_type: str, headers: dict[str, str]) -> StreamingHttpResponse:
    """Return an answer of lines, the first of which have been read: what is wrong by then is answered as an error."""
    iterator = pieces(lines)
    try:
        first = [next(iterator)]
    except StopIteration:
        first = []
    return StreamingHttpResponse(StartedStream(first, iterator), content_type=content_type, headers=headers)


class StartedStream:
    """Pieces of which the first have been read; closing it ends the reading, also where nobody began to listen."""

    def __init__(self, first: list[str], rest: Generator[str, None, None]) -> None:
        self.pieces, self.rest = chain(first, rest), rest

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces."""
        return self.pieces

    def close(self) -> None:
        """End the reading: whoever went away needs no more lines."""
        self.rest.close()


def pieces(lines: Iterable[str]) -> Generator[str, None, None]:
    """Yield lines in pieces of many; ends the lines' generator when it is closed itself."""
    iterator: Any = iter(lines)
    try:
        while piece := list(islice(iterator, LINES_PER_PIECE)):
            yield "".join(f"{line}\n" for line in piece)
    finally:
        iterator.close()
