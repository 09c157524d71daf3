"""Reads files that may be compressed with gzip, detected by their first bytes."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Invalid

MAGIC = b"\x1f\x8b"


def open_decompressed(stream: "BufferedReader[Any]") -> Any:
    """Return a stream of a file's bytes, decompressed if it is gzip."""
    return gzip.GzipFile(fileobj=stream) if is_gzip(stream.peek(len(MAGIC))) else stream


def is_gzip(start: bytes) -> bool:
    """Return whether a file with this beginning is gzip."""
    return start.startswith(MAGIC)


@contextmanager
def refuse_broken_gzip(outcome: str) -> Iterator[None]:
    """Raise Invalid if a broken gzip file is read inside the block; ``outcome``: a sentence for the message."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Invalid(
            _("{outcome} The file cannot be unpacked: {error}.").format(outcome=outcome, error=error)
        ) from None
