"""Removes secrets of links from log lines."""

import logging
import re
from functools import cache

from django.conf import settings

#: URLs with secrets, also URL-encoded in a query.
SLASH = "(?:/|%2F)"
#: Lines of PostgreSQL errors that contain values of the row.
ROW = re.compile(r"^(DETAIL|CONTEXT):.*$", re.MULTILINE)


@cache
def _compile_secret() -> re.Pattern[str]:
    """Return the pattern of secrets in links; Celery imports this before the settings are known."""
    before = "|".join(path.replace("/", SLASH) for path in settings.RUNGS_SECRET_PATHS)
    return re.compile(rf"({before})(?:(?!%2F|&)[^/\s])+(?:/[^/\s]+)?")


def redact_secrets(text: str) -> str:
    """Return a text without secrets of links and values of rows."""
    return ROW.sub(r"\1: …", _compile_secret().sub(r"\1…", text))


class RefusalsInALine(logging.Filter):
    """Logs refused requests without tracebacks, as they are not bugs."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Accept every record; remove the traceback if the status is below 500."""
        if record.name == "django.request" and getattr(record, "status_code", 500) < 500:
            record.exc_info, record.exc_text = None, None
        return True


class WithoutSecrets(logging.Filter):
    """Logs URLs without the secrets of links."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Accept every record, with secrets removed."""
        message = record.getMessage()
        redacted = redact_secrets(message)
        if redacted != message:
            record.msg, record.args = redacted, ()
        return True
