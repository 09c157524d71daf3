"""How much may come in by a form, told before it is read: of strangers little, of members what imports take."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

from league.core.games.services.game_files import MAX_STREAM_BYTES

#: What stands around a file in a form: its fields, and the lines between them.
AROUND = 1_000_000


class UploadTooBig(RequestDataTooBig):
    """More came as a file than may; ``most`` bytes may."""

    def __init__(self, most: int) -> None:
        super().__init__(f"More than {most} bytes were sent.")
        self.most = most


class QuotaHandler(FileUploadHandler):
    """Refuses a form that is too long by its own word, before any of it is read or written to disk."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803 -- Django's
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        """Look at the length of what comes; the other handlers read it."""
        user = getattr(self.request, "user", None)
        known = user is not None and user.is_authenticated
        most = MAX_STREAM_BYTES + AROUND if known else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if content_length > most:
            raise UploadTooBig(most)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Hand on what comes."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave files to the other handlers."""
