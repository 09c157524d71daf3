"""Files that may be packed with gzip: known by their first bytes, and a sentence where they are broken."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Invalid

MAGIC = b"\x1f\x8b"


def unpacked(stream: "BufferedReader[Any]") -> Any:
    """Return a stream of the bytes of a file, unpacked where its content is gzip."""
    return gzip.GzipFile(fileobj=stream) if is_packed(stream.peek(len(MAGIC))) else stream


def is_packed(start: bytes) -> bool:
    """Return whether a file that begins so is packed."""
    return start.startswith(MAGIC)


@contextmanager
def unpacking(outcome: str) -> Iterator[None]:
    """Raise Invalid if what is read inside is broken gzip; ``outcome``: a sentence that says what came of it."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Invalid(
            _("{outcome} The file cannot be unpacked: {error}.").format(outcome=outcome, error=error)
        ) from None
