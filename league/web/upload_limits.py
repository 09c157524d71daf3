"""Limits of uploads, checked before they are read: small without an account, the import's limit for users."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

from league.core.games.services.game_files import MAX_STREAM_BYTES

#: Bytes in a form besides the file: fields and separators.
AROUND = 1_000_000


class UploadTooBig(RequestDataTooBig):
    """The upload is larger than the limit of ``most`` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"More than {most} bytes were sent.")
        self.most = most


class QuotaHandler(FileUploadHandler):
    """Refuses an upload by its Content-Length, before any of it is read."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803 -- Django's
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        """Check the length; other handlers read the upload."""
        user = getattr(self.request, "user", None)
        has_account = user is not None and user.is_authenticated
        limit = MAX_STREAM_BYTES + AROUND if has_account else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if content_length > limit:
            raise UploadTooBig(limit)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Pass on the data."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave files to the other handlers."""
