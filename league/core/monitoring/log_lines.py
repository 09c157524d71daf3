"""Lines of the log: for people at a terminal, or one JSON object each; no secret of a link, no row of the database."""

import logging
import os
import re
import sys
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from league.core.monitoring.current_work import request_id
from league.core.monitoring.log_redaction import without_secrets

#: Letters that no one sees and terminals obey: controls beyond ASCII's, turns of the writing, ends of lines, no width.
UNSEEN = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class TextFormatter(logging.Formatter):
    """A line as people read it; tracebacks below it."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 -- the library's name
        """Return a traceback without secrets."""
        return without_secrets(super().formatException(ei))


class JsonLine(JsonFormatter):
    """A line as programs read it; what else a record carries (a request, its address) is left out."""

    def __init__(self) -> None:
        super().__init__(json_ensure_ascii=False)
        self.part = part_of(sys.argv)

    def format(self, record: logging.LogRecord) -> str:
        """Return a line; what no one would see of it is written out, as JSON may have it."""
        return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", super().format(record))

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        """Fill in the fields of a line."""
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        log_data["level"], log_data["logger"] = record.levelname, record.name
        log_data["message"] = without_secrets(record.getMessage())
        log_data["process"] = f"{self.part} {os.getpid()}"
        # What waitress logs is of no request, or of none that was read to its end: the last one's number is not its.
        if (name := request_id()) and not record.name.startswith("waitress"):
            log_data["request_id"] = name
        log_data.update(getattr(record, "facts", {}))
        if record.exc_info:
            log_data["traceback"] = without_secrets(str(self.formatException(record.exc_info)))


def part_of(arguments: list[str]) -> str:
    """Return which part of the site a command line runs."""
    for part, words in (
        ("web", ("league/web/server.py",)),
        ("worker", ("celery", "worker")),
        ("beat", ("celery", "beat")),
    ):
        if words[0] in " ".join(arguments[:1]) and set(words[1:]) <= set(arguments):
            return part
    return "command"
