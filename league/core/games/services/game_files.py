"""Reading games from a file of any format: limits, and the games with their lines."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO

from django.conf import settings
from django.utils.translation import gettext as _

from league.core.errors import Invalid, Problems
from league.core.games.services.game_input import NewGame
from league.core.text import gzip_files
from league.core.text.wording import format_with_separators

#: A file that unpacks to more bytes than this is refused. CSV: about a million results, which are put
#: together to games in memory. Lines of JSON are read as they come: two million games of four.
MAX_FILE_BYTES = settings.RUNGS_LIMITS["import_file_bytes"]
MAX_STREAM_BYTES = settings.RUNGS_LIMITS["import_stream_bytes"]


@dataclass(frozen=True, slots=True)
class ReadGame:
    """A game of the file with the line of each result (the header is line 1); ``whole``: all of it on one line."""

    game: NewGame
    lines: tuple[int, ...]
    whole: bool = False


@dataclass(frozen=True)
class ReadFile:
    """All games of a file in file order, as they are read, and the columns that say nothing about them.

    What is wrong in the file is in ``problems`` when the last game has come.
    """

    games: Iterable[ReadGame]
    ignored: tuple[str, ...]
    problems: Problems = field(default_factory=Problems)


def raise_invalid_on_broken_gzip() -> AbstractContextManager[None]:
    """Raise Invalid if what is read inside is broken gzip."""
    return gzip_files.refuse_broken_gzip(_("Nothing was imported."))


def open_bytes(source: BinaryIO, max_bytes: int) -> "BufferedReader[Any]":
    """Return the bytes of a file of at most so many, unpacked where its content is gzip."""
    reader: BufferedReader[Any] = BufferedReader(LimitedStream(source, max_bytes))
    stream = gzip_files.open_decompressed(reader)
    return reader if stream is reader else BufferedReader(LimitedStream(stream, max_bytes))


class LimitedStream(RawIOBase):
    """A stream of bytes that refuses to be longer than a file may be, however small it was packed."""

    def __init__(self, stream: Any, most: int) -> None:
        self.stream, self.most, self.left = stream, most, most

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; returns the number of bytes, 0 at the end."""
        data = self.stream.read(len(buffer))
        self.left -= len(data)
        if self.left < 0:
            raise Invalid(
                _("Nothing was imported. The file is larger than {most} bytes; import it in parts.").format(
                    most=format_with_separators(self.most)
                )
            )
        buffer[: len(data)] = data
        return len(data)
