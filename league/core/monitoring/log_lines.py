"""Formatters for log lines, as text or JSON, without secrets of links and database rows."""

import logging
import os
import re
import sys
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from league.core.monitoring.log_redaction import redact_secrets
from league.core.monitoring.telemetry import request_id

#: Invisible characters that affect terminals: controls beyond ASCII, bidirectional, line separators, zero width.
UNSEEN = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class TextFormatter(logging.Formatter):
    """Formats a line as text, followed by tracebacks."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 -- the library's name
        """Return a traceback without secrets."""
        return redact_secrets(super().formatException(ei))


class JsonLine(JsonFormatter):
    """Formats a line as JSON with selected fields."""

    def __init__(self) -> None:
        super().__init__(json_ensure_ascii=False)
        self.part = get_site_part(sys.argv)

    def format(self, record: logging.LogRecord) -> str:
        """Return a line with invisible characters escaped."""
        return UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", super().format(record))

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        """Fill in the fields of a line."""
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        log_data["level"], log_data["logger"] = record.levelname, record.name
        log_data["message"] = redact_secrets(record.getMessage())
        log_data["process"] = f"{self.part} {os.getpid()}"
        # Lines of waitress do not belong to the last request, whose id must not be added.
        if (name := request_id()) and not record.name.startswith("waitress"):
            log_data["request_id"] = name
        log_data.update(getattr(record, "facts", {}))
        if record.exc_info:
            log_data["traceback"] = redact_secrets(str(self.formatException(record.exc_info)))


def get_site_part(arguments: list[str]) -> str:
    """Return which part of the site a command line starts."""
    for part, command_words in (
        ("web", ("league/web/server.py",)),
        ("worker", ("celery", "worker")),
        ("beat", ("celery", "beat")),
    ):
        if command_words[0] in " ".join(arguments[:1]) and set(command_words[1:]) <= set(arguments):
            return part
    return "command"
